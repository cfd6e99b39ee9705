"""What became of a set of cases, as records and artifacts have it. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.observations import Observations
from pytest_benchmac.tracks.rewrite.cases.answers import Did
from pytest_benchmac.tracks.rewrite.cases.models import Case

#: Failed cases told in the record, and kinds of difference.
_TOLD, _KINDS = 20, 10


#: The paper's tiers: name -> lines from which it begins.
TIERS = {"large": 50_000, "medium": 10_000, "small": 0}


def tier_of(lines: int) -> str:
    """The tier of a program by its source lines (section 3 of RepoMod-Bench)."""
    return next(name for name, least in TIERS.items() if lines >= least)


class AreaSeen(Model):
    """The cases of one area."""

    passed: int
    total: int


class FailedCase(Model):
    """A case that was not answered as expected."""

    id: str
    area: str
    how: ForeignText


class CasesSeen(Observations):
    """A set of cases."""

    total: int = 0
    passed: int = 0
    #: By area, in the suite's order.
    areas: dict[str, AreaSeen] = Field(default_factory=dict)
    #: Of those that failed the first twenty, and the first of each area.
    failed: tuple[FailedCase, ...] = ()
    #: First differences, without their numbers and texts, and how many cases have each.
    kinds: dict[str, int] = Field(default_factory=dict)
    timed_out: int = 0
    #: Lines of the rewrite and of the source that are not blank; 0 where that is not known.
    lines: int = 0
    source_lines: int = 0
    #: Seconds for all of them.
    cases_s: float = 0.0
    #: See `memorised.rates_of`.
    rates: dict[str, float] = Field(default_factory=dict, exclude=True)

    @property
    def rate(self) -> float:
        """The share that passed; 0 for none."""
        return self.passed / self.total if self.total else 0.0


class CaseOutcome(Model):
    """One case, as `cases.json` has it."""

    id: str
    area: str
    passed: bool
    duration_s: float
    #: The first difference; empty where there is none.
    difference: ForeignText


def outcomes_of(
    cases: Sequence[Case], did: Mapping[str, Did], differences: Mapping[str, str]
) -> list[CaseOutcome]:
    """One line per case."""
    return [
        CaseOutcome(
            id=case.id,
            area=case.area,
            passed=not differences[case.id],
            duration_s=round(did[case.id].duration_s, 4),
            difference=differences[case.id],
        )
        for case in cases
    ]


def summed(outcomes: Sequence[CaseOutcome]) -> dict[str, object]:
    """The fields of `CasesSeen` that outcomes decide."""
    areas: dict[str, list[int]] = {}
    for each in outcomes:
        counts = areas.setdefault(each.area, [0, 0])
        counts[0] += each.passed
        counts[1] += 1
    failed = [each for each in outcomes if not each.passed]
    kinds = Counter(kind_of(each.difference) for each in failed)
    return {
        "total": len(outcomes),
        "passed": len(outcomes) - len(failed),
        "areas": {name: AreaSeen(passed=p, total=t) for name, (p, t) in areas.items()},
        "failed": tuple(
            FailedCase(id=each.id, area=each.area, how=each.difference) for each in _told(failed)
        ),
        "kinds": dict(kinds.most_common(_KINDS)),
        "timed_out": sum(each.difference.startswith("timed out") for each in failed),
    }


def _told(failed: Sequence[CaseOutcome]) -> list[CaseOutcome]:
    """The first ones, and the first of each area, which the matrix of a page has."""
    areas: set[str] = set()
    told = []
    for number, each in enumerate(failed):
        if number < _TOLD or each.area not in areas:
            told.append(each)
        areas.add(each.area)
    return told


def kind_of(difference: str) -> str:
    """A difference without what was expected, places and numbers: the same for one cause."""
    told = difference.partition(", expected: ")[0]
    told = re.sub(r"^step \d+ \([^)]*\): ", "", told)
    return re.sub(r"-?\d+(?:\.\d+)?", "N", told)[:200]


def as_file(outcomes: Sequence[CaseOutcome], **more: object) -> bytes:
    """`cases.json`."""
    told = {**more, "cases": [each.model_dump(mode="json") for each in outcomes]}
    return json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n"
