"""What the processors of the whole machine did, by `/proc/stat` (proc(5))."""

from __future__ import annotations

import os
from pathlib import Path


def processor_seconds() -> tuple[float, float]:
    """Seconds since the machine started: of work, and stolen by the host while there was work."""
    numbers = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    user, nice, system, _, _, irq, softirq, steal = numbers[:8]
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + softirq) / tick, steal / tick
