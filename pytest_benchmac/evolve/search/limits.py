"""When a search ends."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

#: The part of a budget that breeds; the rest checks the final front and gives it names.
_BREEDING_SHARE = 0.8


def _never() -> bool:
    return False


@dataclass
class Limits:
    """The bounds of a search for one program."""

    #: Seconds; None for as long as the iterations take.
    budget_s: float | None = None
    #: Generations; None for as many as the time allows.
    iterations: int | None = None
    #: Somebody wants it to end now, without a result.
    interrupted: Callable[[], bool] = _never
    _began: float = field(default_factory=time.monotonic, init=False)

    def begin(self) -> None:
        """The original is known to be fit: the time counts from here."""
        self._began = time.monotonic()

    def generations_left(self, done: int) -> bool:
        """Another generation may begin."""
        return (self.iterations is None or done < self.iterations) and not self.breeding_over()

    def breeding_over(self) -> bool:
        """The time for offspring is used up."""
        return self._spent() >= _BREEDING_SHARE

    def over(self) -> bool:
        """The whole time is used up."""
        return self._spent() >= 1

    def _spent(self) -> float:
        if self.interrupted():
            raise KeyboardInterrupt
        if self.budget_s is None:
            return -math.inf
        return (time.monotonic() - self._began) / self.budget_s
