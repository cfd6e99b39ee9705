"""One generation, as it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case
from pytest_benchmac.tracks.adapter import Adapter


@dataclass(frozen=True)
class Job:
    """One generation: which SUT works on which instance, and where the result goes."""

    instance: Instance
    adapter: Adapter
    settings: Settings
    #: The folder given as `--out`, which `pytest --patch-dir` takes.
    out: Path
    #: Seconds that the SUT has.
    time_limit_s: float
    attempt: int = 1
    #: Which of the track's descriptions of the task the SUT gets; None for its only one, or first.
    description: str | None = None
    #: How it gets to a patch: see `modes`.
    mode: str = "direct"
    #: Model that selects a plan, as litellm names it.
    judge: str | None = None
    #: The SUT is asked for a verdict without the work: see `redteam`.
    attacking: bool = False

    @property
    def case(self) -> Case:
        """The key that the patch will be judged under."""
        return Case(instance_id=self.instance.id, sut=self.adapter.sut, attempt=self.attempt)

    @property
    def recorded_settings(self) -> dict[str, JsonValue]:
        """What a result says about how it was made; another value means another result."""
        told: dict[str, JsonValue] = {"description": self.description, "judge": self.judge}
        if self.mode != "direct":
            told["mode"] = self.mode
        if self.attacking:
            told["attacking"] = True
        given = {name: value for name, value in told.items() if value is not None}
        return {**self.adapter.settings(), "time_limit_s": self.time_limit_s, **given}

    def path(self, suffix: str) -> Path:
        """A file of the result: `.patch`, `.json` or `.trajectory.jsonl`."""
        stem = self.out / self.case.stem
        return stem.with_name(stem.name + suffix)
