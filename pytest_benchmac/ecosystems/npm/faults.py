"""What npm prints when registry or machine fails: by its codes, of npm 6 to 11."""

from __future__ import annotations

import re

from pytest_benchmac.ecosystems.faults import Fault, FaultRule


def _code(codes: str) -> re.Pattern[str]:
    """The line that names the code, and nothing beside it."""
    return re.compile(rf"^npm (?:ERR!|error) code (?:{codes})\s*$")


FAULTS = (
    FaultRule(
        Fault.MEMORY,
        re.compile(r"Fatal process OOM|JavaScript heap out of memory"),
        samples=("memory",),
    ),
    FaultRule(Fault.NO_SPACE, _code("ENOSPC"), samples=("disk_full",)),
    FaultRule(Fault.STATUS, _code(r"E5\d\d|E429|E408"), samples=("status_503", "status_429")),
    FaultRule(
        Fault.TIMEOUT,
        _code("EIDLETIMEOUT|ERR_SOCKET_TIMEOUT|ESOCKETTIMEDOUT|ETIMEDOUT"),
        origin="npm's lib/utils/error-message.js, and codes of its agents",
    ),
    FaultRule(
        Fault.TIMEOUT,
        re.compile(r"^npm (?:ERR!|error) network timeout at: "),
        samples=("timeout",),
    ),
    FaultRule(Fault.DNS, _code("ENOTFOUND|EAI_AGAIN"), samples=("dns",)),
    FaultRule(Fault.REFUSED, _code("ECONNREFUSED|ENETUNREACH"), samples=("refused",)),
    # The same code as for a connection that broke off.
    FaultRule(
        Fault.TRUNCATED,
        re.compile(r"^npm (?:ERR!|error) network aborted\s*$"),
        samples=("truncated",),
    ),
    FaultRule(Fault.RESET, _code("ECONNRESET|EPIPE"), samples=("reset", "closed")),
    FaultRule(Fault.CORRUPT, _code("EINTEGRITY"), samples=("corrupt",)),
)
