"""The process on a node that judges, started by `executors.ray.node`."""

from __future__ import annotations

import sys

from pytest_benchmac.executors.ray.serving import serve
from pytest_benchmac.judging.interrupts import sigterm_interrupts

if __name__ == "__main__":
    try:
        with sigterm_interrupts():
            serve()
    except KeyboardInterrupt:
        sys.exit(130)
