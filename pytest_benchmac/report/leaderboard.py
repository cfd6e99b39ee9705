"""The models of `leaderboard.json`: counts per SUT, and what statistics say about them.

Percentages and both ends of intervals are in [0, 100].
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import ClassVar, Literal, cast

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from pytest_benchmac.model.base import InstanceId, Model, SparseModel, SutName
from pytest_benchmac.model.evaluation import Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult

#: Low and high end of a 95% interval in percent.
PercentInterval = tuple[float, float]


class _WhereTold(SparseModel):
    #: Fields of tracks whose headline is a share, or whose metrics have titles.
    sparse: ClassVar[frozenset[str]] = frozenset(
        {"headline", "titles", "headline_percentage", "headline_interval"}
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        # The fields, which the serializer hides from pydantic; the untold ones are optional.
        fields = {key: value for key, value in core_schema.items() if key != "serialization"}
        schema = handler(cast("CoreSchema", fields))
        model = handler.resolve_ref_schema(schema)
        model["required"] = [name for name in model["required"] if name not in cls.sparse]
        return schema


class MetricSummary(Model):
    """One metric over the cases of one SUT.

    `judged` is the denominator: the completed cases that have the metric's stage at all (the
    baseline has no patch stage). `achieved`, `failed` and `not_reached` add up to it; a share
    below 1 counts as failed, and enters `percentage` with its value.
    """

    judged: int
    achieved: int
    failed: int
    not_reached: int
    #: Mean in percent, [0, 100], with null as 0; None when nothing was judged.
    percentage: float | None
    #: Is any value strictly between 0 and 1? Then `percentage` is no proportion of cases.
    fractional: bool


class LeaderboardRow(_WhereTold):
    """What one SUT reached on one track."""

    #: 1 is best; SUTs that reach as much share a rank. None for the self-tests.
    rank: int | None
    sut: SutName
    kind: SubmissionKind
    #: The fixed denominator: `asked` = `cases` + `missing`, the same for all SUTs of a track with
    #: one attempt each.
    asked: int
    #: All records; `cases` = `judged` + `errors`.
    cases: int
    #: Cases with a verdict; `judged` = `resolved` + `unchecked` + `failed`.
    judged: int
    resolved: int
    #: Resolved by every metric, but nothing is known of their integrity: not resolved here.
    unchecked: int
    failed: int
    #: Of the failed ones, those whose patch is empty.
    empty: int
    #: Cases that ended in an infrastructure error.
    errors: int
    #: Asked for, and there is no record: no prediction, or not judged yet. An instance counts once
    #: for every attempt that the SUT has at others.
    missing: int
    missing_instances: tuple[InstanceId, ...]
    #: Resolved of judged in percent; None when nothing was judged.
    resolved_percentage: float | None
    #: What the row is ranked by, of all that was asked for: errors, unchecked and missing cases
    #: count as not achieved. None when nothing was asked for.
    asked_percentage: float | None
    #: Mean of the headline over the judged cases, where a track ranks by a share; null counts as 0.
    headline_percentage: float | None = None
    metrics: dict[str, MetricSummary]
    #: How many judged cases have which integrity verdict.
    integrity: dict[Verdict, int]
    #: Judged cases that are not resolved, by cause; they add up to `failed`.
    causes: dict[str, int]
    #: How many judged cases, resolved or not, show which sign in their patch and trajectory.
    signs: dict[str, int]
    #: Means over the cases whose SUT told; None when none did.
    mean_cost_usd: float | None
    mean_steps: float | None


class Summary(Model):
    """Numbers of several cases."""

    count: int
    mean: float
    median: float
    minimum: float
    maximum: float


class Spending(Model):
    """What a SUT spent of one thing: dollars, steps or seconds. Only cases that have it count."""

    #: Over all judged cases; None when none told.
    all_cases: Summary | None
    #: Over the resolved ones.
    resolved_cases: Summary | None
    #: All that was spent, divided by the number of resolved cases; None when there is none.
    per_resolved: float | None


class SutStatistics(_WhereTold):
    """What statistics say about one SUT."""

    sut: SutName
    #: Wilson 95% of resolved of all asked for; None when that is nothing.
    resolved_interval: PercentInterval | None
    #: Student's t 95% of the headline's mean over all asked for, where a track ranks by a share.
    #: May leave [0, 100].
    headline_interval: PercentInterval | None = None
    #: Wilson 95% per metric; None where a value is a share, since a mean of shares is no
    #: proportion.
    metric_intervals: dict[str, PercentInterval | None]
    #: Most attempts at one instance.
    attempts: int
    #: k -> pass@k in percent, mean over instances, for every k that all instances have attempts
    #: for; empty with a single attempt.
    pass_at_k: dict[int, float]
    #: Instances that more than half of the attempts resolved, of all; None with a single attempt.
    majority_resolved: int | None
    majority_percentage: float | None
    cost_usd: Spending
    steps: Spending
    #: What the SUT took, by its own account.
    duration_s: Spending
    #: What the harness took to judge its cases.
    evaluation_s: Spending
    #: Does no other SUT reach as much for less? None without known costs.
    efficient: bool | None
    #: Mean partial credit in percent over the cases that have one; never ranked by.
    partial_percentage: float | None


class InstanceDifficulty(Model):
    """How many SUTs failed at an instance; by majority where a SUT has several attempts."""

    instance_id: str
    suts: int
    failures: int
    percentage: float
    #: Wilson 95%.
    interval: PercentInterval


class PairComparison(Model):
    """Two SUTs on the instances that both were judged on (by majority of attempts)."""

    first: SutName
    second: SutName
    common: int
    both: int
    only_first: int
    only_second: int
    #: Exact McNemar, two-sided.
    p_value: float
    #: The same, corrected by Holm for all pairs of the track.
    p_holm: float


class TrackStatistics(Model):
    """Everything that needs more than counting."""

    suts: tuple[SutStatistics, ...]
    #: Hardest first.
    instances: tuple[InstanceDifficulty, ...]
    #: Smallest p-value first.
    pairs: tuple[PairComparison, ...]


class TrackLeaderboard(_WhereTold):
    """The rows of one track, best first, the self-tests last."""

    track: str
    #: Metric -> the stage that decides it, in the order that tables show them.
    metrics: dict[str, str]
    #: The metric, a share, whose mean the rows are ranked by; None: by resolved cases.
    headline: str | None = None
    #: Metric -> heading of its column, for those that have one of their own.
    titles: dict[str, str] | None = None
    rows: tuple[LeaderboardRow, ...]
    #: None when it was not asked for: a pytest session counts only.
    statistics: TrackStatistics | None = None


class Leaderboard(Model):
    """Every track's rows. The same evaluations give the same bytes."""

    schema_version: Literal[1] = 1
    tracks: tuple[TrackLeaderboard, ...]

    def to_json(self) -> str:
        """The text of `leaderboard.json`."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"


def headline_values(cases: Iterable[CaseResult], headline: str) -> list[float]:
    """The share of each judged case; one without a value has 0, and so has a rejected one."""
    return [
        0.0 if case.verdict is Verdict.REJECTED else float(case.metrics.get(headline) or 0)
        for case in cases
        if case.judged
    ]
