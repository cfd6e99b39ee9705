"""What the integrity legs of a run's cases cost, in seconds and beside their builds.

    python benchmarks/integrity_cost.py REPORTS

Reads the records of a run, and runs nothing. A leg's share is that of the whole case, which ran
under the same load. Where the build in the clean room is the case's only one, `build` is no cost
of integrity: such cases are counted apart.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation


def builds(evaluation: Evaluation) -> int:
    """How many builds did the case run?"""
    stage = next((stage for stage in evaluation.stages if stage.name == "build"), None)
    if stage is None or not stage.attempts:
        return 0
    legs = {leg.name for leg in evaluation.integrity.legs}
    return 1 + (stage.observations.get("built_in") == "project" and "build" in legs)


def table(evaluations: Sequence[Evaluation]) -> list[str]:
    """A line per leg: cases, median and largest seconds, median share of the case."""
    seconds: dict[str, list[float]] = defaultdict(list)
    shares: dict[str, list[float]] = defaultdict(list)
    for evaluation in evaluations:
        for leg in evaluation.integrity.legs:
            seconds[leg.name].append(leg.duration_s)
            shares[leg.name].append(leg.duration_s / evaluation.duration_s)
    return [
        f"  {name:<14}{len(each):>5} cases{statistics.median(each):>9.1f} s median"
        f"{max(each):>9.1f} s at most{statistics.median(shares[name]):>9.1%} of the case"
        for name, each in seconds.items()
    ]


def main() -> None:
    """Print the tables; nothing is asserted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("reports", type=Path)
    evaluations = list(EvaluationStore(parser.parse_args().reports).all())
    for count, said in (
        (1, "one build, in the clean room or of a rejected patch"),
        (2, "two builds, since they could differ"),
    ):
        some = [each for each in evaluations if each.integrity.legs and builds(each) == count]
        if some:
            print(f"{said}: {len(some)} cases", *table(some), sep="\n")


if __name__ == "__main__":
    main()
