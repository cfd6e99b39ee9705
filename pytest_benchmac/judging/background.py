"""Context managers entered and left in a thread of their own, beside what goes on."""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

logger = logging.getLogger("benchmac")

T = TypeVar("T")


class Background(Generic[T]):
    """Starts to enter a context manager at once; a context manager itself.

    Entering waits until it is entered, and raises what that raised. Leaving does not wait until it
    is left; `close` does. One thread does both, and lives as long: a process that was started to
    die with its parent would die with the thread that started it.
    """

    def __init__(self, manager: AbstractContextManager[T]) -> None:
        self._manager = manager
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="benchmac-background")
        self._entered = self._thread.submit(manager.__enter__)
        self._wanted = False
        self._left: Future[None] | None = None

    @property
    def taken(self) -> bool:
        """Did anybody enter it?"""
        return self._wanted

    def __enter__(self) -> T:
        self._wanted = True
        return self._entered.result()

    def __exit__(self, *exc: object) -> None:
        if self._left is None:
            self._left = self._thread.submit(self._leave)

    def _leave(self) -> None:
        if self._entered.exception() is None:
            self._manager.__exit__(None, None, None)

    def close(self) -> None:
        """Leave it, if nobody did, and wait for that; raises what leaving raised."""
        self.__exit__()
        self._thread.shutdown()
        failure = self._entered.exception()
        if failure is not None and not self._wanted:
            logger.warning("what was started ahead, and not wanted after all, failed: %s", failure)
        if self._left is not None:
            self._left.result()
