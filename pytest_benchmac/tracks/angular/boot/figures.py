"""Numbers that a page shows instead of the base's: pure functions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

#: A number as pages write it.
_FIGURE = re.compile(r"\d[\d.,:]*")
#: A time of day to the second, which no two looks at a page have to agree in.
_SECONDS = re.compile(r"\d:[0-5]\d:[0-5]\d")

#: Role and name.
Read = tuple[str, str]


def other_figures(base: Iterable[Read], case: Iterable[Read]) -> Iterator[tuple[str, str]]:
    """Texts of the base that the case shows with other numbers: the base's, and the case's.

    Times to the second are left out.
    """
    here, there = set(base), set(case)
    new: dict[Read, list[str]] = {}
    for role, name in sorted(there - here):
        new.setdefault((role, _FIGURE.sub("0", name)), []).append(name)
    for role, name in sorted(here - there):
        others = new.get((role, _FIGURE.sub("0", name)), [])
        wrong = [each for each in others if _listed(each) != _listed(name)]
        if wrong and not _SECONDS.search(name):
            yield name, wrong[0]


def other_words(
    base: Iterable[Read],
    case: Iterable[Read],
    base_page: Collection[Read],
    case_page: Collection[Read],
) -> Iterator[tuple[str, str]]:
    """Numbers of the base that a case shows nowhere on a page, where it shows others instead.

    Texts may have other words than the base's: numbers are looked for in any of them. One that is
    gone is no fault by itself, nor one that is new. Those of one figure are too common to tell.

    Args:
        base: a part of the base's page, such as a component.
        case: the same part of the case's.
        base_page: the whole page of the base.
        case_page: the whole page of the case.

    Yields:
        A text of the base with such a number, and one of the case's with another.
    """
    here, there = dict.fromkeys(base), dict.fromkeys(case)
    known, shown = (_numbers(name for _, name in page) for page in (base_page, case_page))
    gone = [name for role, name in here if (role, name) not in there and _numbers([name]) - shown]
    new = [name for role, name in there if (role, name) not in here and _numbers([name]) - known]
    yield from zip((each for each in gone if not _SECONDS.search(each)), new, strict=False)


def _listed(text: str) -> list[str]:
    """Its numbers in order, without what only groups their figures."""
    return [each.strip(".,:").replace(",", "") for each in _FIGURE.findall(text)]


def _numbers(texts: Iterable[str]) -> set[str]:
    return {each for text in texts for each in _listed(text) if len(each) > 1}
