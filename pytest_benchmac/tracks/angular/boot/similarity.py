"""How like two multisets, and two sequences, are."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence


def multiset_f1(first: Iterable[Hashable], second: Iterable[Hashable]) -> float:
    """2·|A ∩ B| / (|A| + |B|) over multisets; 1.0 for two empty ones.

    The harmonic mean of precision |A ∩ B| / |A| and recall |A ∩ B| / |B| (van Rijsbergen 1979),
    which is Dice's coefficient (1945).
    """
    a, b = Counter(first), Counter(second)
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0


def longest_common(first: Iterable[Hashable], second: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence (Hunt and Szymanski 1977)."""
    places: dict[Hashable, list[int]] = {}
    for at, each in enumerate(second):
        places.setdefault(each, []).append(at)
    # The lowest place in `second` at which a common subsequence of each length ends.
    ends: list[int] = []
    for each in first:
        for at in reversed(places.get(each, ())):
            length = bisect_left(ends, at)
            ends[length : length + 1] = [at]
    return len(ends)
