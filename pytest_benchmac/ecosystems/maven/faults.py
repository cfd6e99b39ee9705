"""What Maven prints when registry or machine fails."""

from __future__ import annotations

import re

from pytest_benchmac.ecosystems.faults import Fault, FaultRule


def _transfer(reasons: str) -> re.Pattern[str]:
    """The line that says what was not transferred, with the reason at its end."""
    return re.compile(rf"Could not transfer (?:artifact|metadata) .*(?:{reasons})")


FAULTS = (
    FaultRule(
        Fault.MEMORY,
        re.compile(
            r"^Could not reserve enough space for |insufficient memory for the Java Runtime"
            r"|java\.lang\.OutOfMemoryError"
        ),
        samples=("memory",),
    ),
    FaultRule(Fault.NO_SPACE, re.compile(r"No space left on device"), samples=("disk_full",)),
    FaultRule(
        Fault.STATUS,
        # After 429 Maven waits for five minutes: no output of it was captured.
        _transfer(r"[Ss]tatus(?: code)?:? (?:5\d\d|429|408)"),
        samples=("status_503",),
    ),
    FaultRule(Fault.TIMEOUT, _transfer("timed out"), samples=("timeout",)),
    FaultRule(
        Fault.DNS,
        _transfer("Unknown ?[Hh]ost|Name or service|Temporary failure"),
        samples=("dns",),
    ),
    FaultRule(
        Fault.REFUSED,
        _transfer("Connection refused|No route to host|Network is unreachable|Connect to "),
        samples=("refused",),
    ),
    FaultRule(
        Fault.UNTRUSTED,
        _transfer("PKIX path"),
        origin="the JDK's own words, `PKIX path building failed`",
    ),
    FaultRule(
        Fault.TRUNCATED,
        _transfer("Premature end of (?:Content-Length|chunk)"),
        samples=("truncated",),
    ),
    FaultRule(
        Fault.RESET,
        _transfer("Connection (?:reset|closed)|NoHttpResponse|failed to respond"),
        samples=("reset", "closed"),
    ),
    FaultRule(Fault.CORRUPT, _transfer("Checksum validation failed"), samples=("corrupt",)),
)
