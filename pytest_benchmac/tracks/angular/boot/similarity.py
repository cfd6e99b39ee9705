"""How like two multisets are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable


def multiset_f1(first: Iterable[Hashable], second: Iterable[Hashable]) -> float:
    """2·|A ∩ B| / (|A| + |B|) over multisets; 1.0 for two empty ones.

    The harmonic mean of precision |A ∩ B| / |A| and recall |A ∩ B| / |B| (van Rijsbergen 1979),
    which is Dice's coefficient (1945).
    """
    a, b = Counter(first), Counter(second)
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0
