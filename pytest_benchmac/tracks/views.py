"""What reports show of the pages of an application that a stage looked at."""

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
