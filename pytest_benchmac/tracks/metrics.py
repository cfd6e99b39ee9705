"""What a track says about each of its metrics."""

from __future__ import annotations

from dataclasses import dataclass

#: The headline of a track that ranks by how many cases are resolved.
RESOLVED = "resolved"


@dataclass(frozen=True)
class Metric:
    """A metric beside its value: where it comes from, and how tables show it."""

    #: The stage without which it does not apply to a case; the last one of several.
    stage: str
    #: Heading of its column; empty for the stage's name, or the metric's where a stage has several.
    title: str = ""
    #: Is it a share in [0, 1] rather than true or false?
    share: bool = False
