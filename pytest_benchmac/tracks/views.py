"""What reports show of what a stage looked at: pages of an application, areas of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pytest_benchmac.model.evaluation import StageResult


@dataclass(frozen=True)
class PageView:
    """One page, compared with the base's."""

    name: str
    #: What was compared -> how alike it is, in [0, 1]; None where it was not.
    alike: Mapping[str, float | None] = field(default_factory=dict)
    #: What is wrong with the page, errors included.
    wrong: Sequence[str] = ()
    #: What the console said that the base's did not, and requests that failed.
    console: Sequence[str] = ()
    #: Pictures, as paths below the case's artifacts.
    pictures: Sequence[str] = ()


@runtime_checkable
class ShowsPages(Protocol):
    """A track with stages that look at pages. Optional."""

    def pages(self, stage: StageResult) -> Sequence[PageView]:
        """The pages that a stage looked at; empty for any other stage."""
        ...


@dataclass(frozen=True)
class MatrixRow:
    """The cases of one area of what a stage tried."""

    area: str
    passed: int
    total: int
    #: The first that failed, and how; empty where none did.
    first: str = ""


@runtime_checkable
class ShowsMatrix(Protocol):
    """A track with stages that try many cases. Optional."""

    def matrix(self, stage: StageResult) -> Sequence[MatrixRow]:
        """The areas of a stage's cases; empty for any other stage."""
        ...
