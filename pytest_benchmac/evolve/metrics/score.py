"""RC and RR: complexity and readability of a program as two numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Literal

from pytest_benchmac.evolve.metrics.complexity import COMPLEXITY
from pytest_benchmac.evolve.metrics.readability import READABILITY
from pytest_benchmac.evolve.metrics.source import Source
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.model.base import Model


class Thresholds(Model):
    """What real code has of each metric: there a C is as complex, and an R as hard to read."""

    name: str
    what: str
    #: By code of the metric.
    limits: dict[str, float]


class Published(Model):
    """`published.json`: what the paper tells."""

    source: str
    complexity: Thresholds
    readability: Thresholds
    #: Benchmark -> RC and RR -> before and after an hour of evolution for each program.
    table4: dict[str, dict[Literal["RC", "RR"], tuple[float, float]]]


class Score(Model):
    """What the metrics of a program are, and what follows from them."""

    #: C1 to C7 and R1 to R13.
    metrics: dict[str, float]
    rc: float
    rr: float


@cache
def published() -> Published:
    """What the paper tells."""
    text = resources.files("pytest_benchmac.evolve.metrics").joinpath("published.json")
    return Published.model_validate_json(text.read_bytes())


def complexity_shares(metrics: Mapping[str, float]) -> Mapping[str, float]:
    """min(Ci / CTi, 1) for each Ci (section 3.2 of the paper)."""
    limits = published().complexity.limits
    return {code: min(metrics[code] / limit, 1.0) for code, limit in limits.items()}


def readability_shares(metrics: Mapping[str, float]) -> Mapping[str, float]:
    """RRi = max(1 - Ri / RTi, 0) for each Ri (section 3.2 of the paper)."""
    limits = published().readability.limits
    return {code: max(1.0 - metrics[code] / limit, 0.0) for code, limit in limits.items()}


def rc(metrics: Mapping[str, float]) -> float:
    """Complexity in [0, 1]: the mean of `complexity_shares`."""
    return _mean(complexity_shares(metrics))


def rr(metrics: Mapping[str, float]) -> float:
    """Readability in [0, 1]: the mean of `readability_shares`."""
    return _mean(readability_shares(metrics))


def score(program: Program) -> Score:
    """Every metric of a program.

    Raises:
        SyntaxError: a file is no Python.
    """
    source = Source.of(program)
    functions: Mapping[str, Callable[[Source], float]] = {**COMPLEXITY, **READABILITY}
    metrics = {code: function(source) for code, function in functions.items()}
    return Score(metrics=metrics, rc=rc(metrics), rr=rr(metrics))


def _mean(shares: Mapping[str, float]) -> float:
    return sum(shares.values()) / len(shares)
