"""Memory where very many objects are made at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_objects() -> Iterator[None]:
    """For a block that makes many objects, nearly all of which stay.

    Python looks for garbage again and again as their number grows, and finds none: a third of the
    time.
    """
    looks = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looks:
            gc.enable()


def stay() -> None:
    """What there is now stays to the end of the process: it is not looked at for garbage again."""
    gc.collect()
    gc.freeze()
