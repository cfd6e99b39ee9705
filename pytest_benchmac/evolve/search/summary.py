"""The table over all programs of a run, like the paper's table 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from pytest_benchmac.evolve.metrics.score import published
from pytest_benchmac.evolve.search.log import Gate, SearchLog
from pytest_benchmac.evolve.search.results import LOG_FILE, Scores, StoredFolder, read_results
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.base import Model

SUMMARY_FILE = "summary.json"


class Means(Model):
    """Means over programs."""

    rc: float
    rr: float
    pylint: float
    coverage: float


class OperatorUse(Model):
    """What one operator did in all programs together."""

    tried: int
    #: Applications in the results, and how many of the results have one.
    applications: int
    programs: int
    #: What its applications added to the mean RC.
    contribution: float


class Summary(Model):
    """`summary.json`."""

    #: Programs that were evolved.
    programs: int
    #: Id -> reason of those that were not.
    dropped: dict[str, str]
    before: Means | None
    after: Means | None
    #: By code.
    operators: dict[str, OperatorUse]
    #: Offspring dropped, by gate.
    gates: dict[Gate, int]
    #: Which thresholds RC and RR were computed with.
    complexity_thresholds: str
    readability_thresholds: str


def summarize(results: Path) -> Summary:
    """The summary of the programs in a run's folder, which is also written there.

    Raises:
        InputError: there are none, or a record cannot be read.
        StoreError: it cannot be written.
    """
    folders = read_results(results)
    evolved = [folder for folder in folders if not folder.record.dropped]
    logs = [_log(folder) for folder in evolved]
    gates = Counter[Gate]()
    for log in logs:
        gates.update(log.dropped)
    summary = Summary(
        programs=len(evolved),
        dropped={each.record.id: each.record.dropped for each in folders if each.record.dropped},
        before=_means([folder.record.before.scores for folder in evolved]),
        after=_means([folder.record.after.scores for folder in evolved]),
        operators=_operators(logs),
        gates=dict(sorted(gates.items())),
        complexity_thresholds=published().complexity.name,
        readability_thresholds=published().readability.name,
    )
    write_whole(results / SUMMARY_FILE, summary.model_dump_json(indent=2) + "\n")
    return summary


def _log(folder: StoredFolder) -> SearchLog:
    return SearchLog.model_validate_json((folder.path / LOG_FILE).read_bytes())


def _operators(logs: Sequence[SearchLog]) -> dict[str, OperatorUse]:
    codes = sorted({code for log in logs for code in log.operators})
    uses = {}
    for code in codes:
        own = [log.operators[code] for log in logs if code in log.operators]
        uses[code] = OperatorUse(
            tried=sum(each.tried for each in own),
            applications=sum(each.in_result for each in own),
            programs=sum(each.in_result > 0 for each in own),
            contribution=sum(each.contribution for each in own) / len(logs),
        )
    return uses


def _means(scores: Sequence[Scores]) -> Means | None:
    if not scores:
        return None

    def mean(value: Callable[[Scores], float]) -> float:
        return fmean(map(value, scores))

    return Means(
        rc=mean(lambda each: each.rc),
        rr=mean(lambda each: each.rr),
        pylint=mean(lambda each: each.pylint),
        coverage=mean(lambda each: each.coverage or 0.0),
    )
