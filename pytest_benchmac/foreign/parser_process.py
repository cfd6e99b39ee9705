"""A process that parses what a submission wrote, started by `parsing.py`.

The parser is native code, and sources of a submission can crash it (a hundred thousand nested
braces do) or keep it busy; then this process dies and not the harness.

The request is a JSON object, `root` and `paths`; the answer one JSON line per path, in order,
written as it is read.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: What is read of a source at most; the rest counts as not there.
MAX_SOURCE_BYTES = 4 * 1024 * 1024
_CPU_S = 60
_MEMORY_BYTES = 2 * 1024 * 1024 * 1024
_STACK_BYTES = 8 * 1024 * 1024


def answer_request(answer: Callable[[str, bytes], dict[str, Any] | None]) -> None:
    """Answer one request, which names files, by what `answer` makes of each one's path and content.

    Raises:
        OSError: a file cannot be opened, or is a link.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    # The same on every machine: how deep a source may nest before the parser crashes.
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    stack = _STACK_BYTES if most == resource.RLIM_INFINITY else min(most, _STACK_BYTES)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
    request = json.load(sys.stdin)
    for path in request["paths"]:
        descriptor = os.open(Path(request["root"], path), os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(MAX_SOURCE_BYTES)
        sys.stdout.write(json.dumps(answer(path, content)) + "\n")
        sys.stdout.flush()
