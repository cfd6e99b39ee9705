"""What a command runs that is in no file of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

BEFORE = r"(?<![\w.@-])"
#: What runs, or hands to a shell, a text that is in no file of the project.
_RUNS: Mapping[str, re.Pattern[str]] = {
    "a download": re.compile(
        rf"{BEFORE}(?:curl|wget|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|git\s+clone)"
        r"(?:\.exe)?(?=[\s\"']|$)",
        re.IGNORECASE,
    ),
    "code in the script": re.compile(
        rf"{BEFORE}(?:(?:node|nodejs|bun|perl|ruby)\s+(?:-\S+\s+)*(?:-[ep]{{1,2}}|--eval|--print)"
        r"|python[23]?\s+(?:-\S+\s+)*-c|deno\s+eval)(?=[\s=\"']|$)"
    ),
    "what another command prints": re.compile(
        rf"(?<!\|)\|\s*(?:sudo\s+)?(?:/\S*/)?(?:(?:ba|da|k|z)?sh|node)\b(?!\s+[\w./])"
        rf"|{BEFORE}(?:ba|da|k|z)?sh\s+<\(|{BEFORE}eval\s"
    ),
}


def fetched(command: str) -> Iterator[str]:
    """What a command runs that is in no file, whatever packages are installed."""
    for what, pattern in _RUNS.items():
        if pattern.search(command):
            yield what
