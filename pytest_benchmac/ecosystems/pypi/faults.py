"""What pip and uv print when registry or machine fails.

Of a page that an index answers with 5xx, pip says nothing but that there is no such package.
"""

from __future__ import annotations

import re

from pytest_benchmac.ecosystems.faults import Fault, FaultRule

FAULTS = (
    FaultRule(Fault.MEMORY, re.compile(r"^MemoryError\b"), samples=("memory",)),
    FaultRule(Fault.NO_SPACE, re.compile(r"No space left on device"), samples=("disk_full",)),
    FaultRule(
        Fault.STATUS,
        re.compile(r"HTTP error (?:5\d\d|429|408)|too many 5\d\d error responses"),
        samples=("status_503", "status_429"),
    ),
    FaultRule(
        Fault.TIMEOUT, re.compile(r"ConnectTimeoutError|ReadTimeoutError"), samples=("timeout",)
    ),
    FaultRule(
        Fault.DNS,
        re.compile(r"Name or service not known|Temporary failure in name resolution"),
        samples=("dns",),
    ),
    FaultRule(
        Fault.RESET,
        re.compile(r"Connection (?:reset by peer|aborted)|RemoteDisconnected"),
        samples=("reset", "closed"),
    ),
    FaultRule(
        Fault.REFUSED,
        re.compile(
            r"Connection refused|NewConnectionError|Max retries exceeded"
            r"|error sending request for url"
        ),
        samples=("refused",),
    ),
    # Of an answer that ends early, pip sees that the digest is another.
    FaultRule(
        Fault.CORRUPT,
        re.compile(r"THESE PACKAGES DO NOT MATCH THE HASHES"),
        samples=("corrupt", "truncated"),
    ),
)
