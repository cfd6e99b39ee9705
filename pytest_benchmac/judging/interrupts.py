"""SIGTERM, by which CI systems cancel jobs, ends a run as Control-C does: in good order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt where SIGTERM arrives, unless somebody else takes care of it."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def let_results_be_written() -> None:
    """Have SIGTERM change nothing any more, where it would interrupt: the run is ending anyway."""
    if signal.getsignal(signal.SIGTERM) is _interrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
