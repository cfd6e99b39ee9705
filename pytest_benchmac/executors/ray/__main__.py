"""The process on a node that judges, started by `executors.ray.node`, and one above it.

A Ray worker that ends kills its children by SIGKILL, whose sandboxes would stay: so what judges is
a grandchild, which sees its input end.
"""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Judge in a process of its own, and end as it does."""
    if process := os.fork():
        # Of no use to this one; the reader is to see the end of the other.
        os.close(0)
        os.close(1)
        _, status = os.waitpid(process, 0)
        return os.waitstatus_to_exitcode(status)
    # Not above: what forks has no threads yet.
    from pytest_benchmac.executors.ray.serving import serve
    from pytest_benchmac.judging.interrupts import sigterm_interrupts

    try:
        with sigterm_interrupts():
            serve()
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
