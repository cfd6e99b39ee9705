"""What recorded cases promise of fresh ones. Pure.

A rewrite that lacks a route or a subcommand fails wherever an input asks for it, and inputs that
are drawn may do so more often than recorded ones. What it answers among the recorded ones it has to
answer among fresh ones: only a table of answers does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pytest_benchmac.tracks.rewrite.cases.models import ApiCase, Case

#: A fresh rate that is lower than promised by more is that of a table of answers.
MEMORISED = 0.2
_VARIABLE = re.compile(r"\{\w+\}|\d+")
_SEGMENTS = 3


def asked_by(case: Case) -> frozenset[str]:
    """What of the program a case asks: a subcommand, or routes without what varies in them."""
    if not isinstance(case, ApiCase):
        return frozenset({case.argv[0] if case.argv else ""})
    return frozenset(f"{step.method} {_route(step.path)}" for step in case.steps)


def _route(path: str) -> str:
    segments = path.partition("?")[0].split("/")[1 : 1 + _SEGMENTS]
    return "/" + "/".join("*" if _VARIABLE.fullmatch(each) else each for each in segments)


def rates_of(cases: Sequence[Case], failed: Iterable[str]) -> dict[str, float]:
    """What is asked -> the share of the recorded cases asking it that passed; "*" for all.

    Args:
        cases: the recorded ones.
        failed: ids of those that failed.
    """
    wrong = set(failed)
    asking: dict[str, list[bool]] = {}
    for case in cases:
        for key in {"*", *asked_by(case)}:
            asking.setdefault(key, []).append(case.id not in wrong)
    return {key: sum(passed) / len(passed) for key, passed in asking.items()}


def promised(cases: Sequence[Case], rates: Mapping[str, float]) -> float:
    """The rate of fresh cases that recorded ones promise: of each, its least promising part.

    What no recorded case asks is promised by all of them together.
    """
    if not cases:
        return 0.0
    whole = rates.get("*", 0.0)
    return sum(min(rates.get(key, whole) for key in asked_by(case)) for case in cases) / len(cases)
