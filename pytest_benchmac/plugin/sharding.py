"""Splits the cases of a run over machines: `--shard=I/N`."""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import Case
from pytest_benchmac.report.cases import load_records


@dataclass(frozen=True)
class Shard:
    """The `number`-th of `total` parts, counted from 1."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `I/N`.

        Raises:
            InputError: it is something else.
        """
        match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text)
        if match is None or int(match[1]) > int(match[2]):
            raise InputError(
                f"{text!r} is not of the form I/N with I from 1 to N",
                where="--shard",
                remedy="Give I/N with 1 <= I <= N, such as --shard=2/4.",
            )
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


def recorded_durations(folder: Path) -> dict[Case, float]:
    """Seconds that each judged case of a report folder took.

    Raises:
        RecordError: there are no evaluations, or one cannot be read.
    """
    return {
        record.case: record.duration_s
        for record, _ in load_records([folder])
        if record.status == "completed"
    }


def cases_of(shard: Shard, cases: Iterable[Case], durations: Mapping[Case, float]) -> set[Case]:
    """The cases of one part; every case is in exactly one, whatever order they come in.

    Longest first to the part that has least to do (R. L. Graham, "Bounds on multiprocessing timing
    anomalies", SIAM J. Appl. Math. 17, 1969): no part takes more than 4/3 of the best possible. A
    case without a recorded duration counts with the mean of its instance's, else of all. The
    machines have to be given the same durations, or none.
    """
    expected = expected_durations(set(cases), durations)
    ordered = sorted(expected, key=lambda case: (-expected[case], case.id))
    loads = [(0.0, number) for number in range(1, shard.total + 1)]
    own: set[Case] = set()
    for case in ordered:
        load, number = heapq.heappop(loads)
        if number == shard.number:
            own.add(case)
        heapq.heappush(loads, (load + expected[case], number))
    return own


def expected_durations(
    cases: Collection[Case], durations: Mapping[Case, float]
) -> dict[Case, float]:
    """Seconds for each case: as recorded, else the mean of its instance's, else of all."""
    of_instance: dict[str, list[float]] = {}
    # Sorted, so that sums of floats do not depend on the order of files.
    for case in sorted(durations, key=lambda case: case.id):
        of_instance.setdefault(case.instance_id, []).append(durations[case])
    mean = (
        fmean(durations[case] for case in sorted(durations, key=lambda c: c.id)) if durations else 1
    )
    means = {instance: fmean(known) for instance, known in of_instance.items()}
    return {case: durations.get(case, means.get(case.instance_id, mean)) for case in cases}
