"""What pages tell other hosts by the queries of pictures and the like: by names and values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set

from pytest_benchmac.tracks.angular.boot.counted import Counted, together
from pytest_benchmac.tracks.angular.boot.walked import Walks

#: Figures, which times, sizes and places have. And how long words are told: by their length.
_FIGURES = re.compile(r"\d+(?:\.\d+)?")
_LONG = re.compile(r"~(\d{1,6})")
_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,4}){1,3}")
#: What chance and clocks make.
_PLAIN = re.compile(r"[\w.~-]*", re.ASCII)
#: What is the same at so many steps says whose it is, and not what goes on.
_OFTEN = 3
#: A value that the base itself does not repeat may be so many times as long.
_LONGER = 2


def new_queries(base: Walks, again: Walks, steps: Iterable[Counted]) -> Iterator[str]:
    """Hosts that the base asks for pictures, asked with what the base never tells them.

    Figures in values do not matter, but where the base has the same value each time; nor do values
    that it does not repeat, if they are as short and as plain.

    Args:
        base: its walks.
        again: the same once more.
        steps: those that count.
    """
    first, second = (_values(walks) for walks in (base, again))
    times = Counter(query[:2] for walk in base for step in walk for query in set(step.queries))
    hosts = {
        host for walks in (base, again) for walk in walks for step in walk for host in step.hosts
    }
    told: set[tuple[str, str]] = set()
    for step, own in together(steps):
        for host, name, value in own.queries:
            at = host, name
            theirs, others = first.get(at, set()), second.get(at, set())
            known = theirs | others
            if host not in hosts or at in told or value in known:
                continue
            often = len(known) == 1 and times[at] >= _OFTEN
            if not (
                _is_like(value, known, often=often) or (theirs != others and _fits(value, known))
            ):
                told.add(at)
                yield f"{host} with {name}={value!r} ({step.base.did})"


def _values(walks: Walks) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for walk in walks:
        for step in walk:
            for host, name, value in step.queries:
                found.setdefault((host, name), set()).add(value)
    return found


def _is_like(value: str, known: Set[str], *, often: bool) -> bool:
    """Is a value one of the base's, but for figures, or a long word as it has?"""
    if long := _LONG.fullmatch(value):
        lengths = [int(each[1]) for other in known if (each := _LONG.fullmatch(other))]
        return bool(lengths) and int(long[1]) <= _LONGER * max(lengths)
    own = often and not _VERSION.fullmatch(value)
    return not own and _FIGURES.sub("0", value) in {_FIGURES.sub("0", each) for each in known}


def _fits(value: str, known: Set[str]) -> bool:
    """Is a value as short, and as plain, as those of the base that are others each time?"""
    plain = all(_PLAIN.fullmatch(each) for each in known)
    longest = max(map(_length, known), default=0)
    return _length(value) <= _LONGER * longest and (not plain or bool(_PLAIN.fullmatch(value)))


def _length(value: str) -> int:
    long = _LONG.fullmatch(value)
    return int(long[1]) if long else len(value)
