"""The toy track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from benchmac_toy_track.instance import ToyInstance
from benchmac_toy_track.stages import BUILD, CHECK, PATCH, ToyContext, read_book
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.errors import BaselineError, InstanceError
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.protocol import Stage, Track


class ToyTrack(Track[ToyInstance]):
    """Books that a shell script binds."""

    name = "toy"
    version = 1
    instance_type = ToyInstance
    all_stages = (PATCH, BUILD, CHECK)
    metrics: Mapping[str, Metric] = {
        "patch_applied": Metric("patch"),
        "book_bound": Metric("build"),
        "version_reached": Metric("check", title="version"),
        "words_kept": Metric("check", title="words", share=True),
    }

    def base_recipe(
        self, instance: ToyInstance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """A minimal Debian with git."""
        packages = ("ca-certificates", "git")
        return BaseRecipe(reference=instance.environment.image, apt_packages=packages)

    def stages(
        self, instance: ToyInstance, kind: SubmissionKind
    ) -> Sequence[Stage[ToyInstance, Any]]:
        """Of the untouched base it is known whether it can be bound, and no more."""
        return (BUILD,) if kind is SubmissionKind.BASELINE else self.all_stages

    def learn(self, context: ToyContext) -> BaselineFacts:
        """The words of the base's book."""
        instance = context.instance
        ran = context.run(instance.commands.build, timeout_s=instance.timeouts.build)
        book = read_book(context)
        if not ran.passed or book is None:
            raise BaselineError(f"{instance.id}: the untouched base cannot be bound")
        return {"words": list(book.words)}

    def criteria(self, instance: ToyInstance) -> dict[str, Any]:
        """The version to reach."""
        return {"target_version": instance.migration.target_version}

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """What passed, and the share of words that are left."""
        metrics = super().compute_metrics(stages, criteria, integrity)
        check = next((each for each in stages if each.name == CHECK.name), None)
        if check is not None and check.outcome is not Outcome.NOT_REACHED:
            seen = CHECK.seen(check)
            metrics["version_reached"] = seen.version == criteria["target_version"]
            metrics["words_kept"] = seen.kept_words / max(1, seen.base_words)
        return metrics

    def artifacts(self, context: ToyContext) -> Sequence[PurePosixPath]:
        """The book."""
        return [context.sandbox.project / "out"]

    def extras(self) -> Extras:
        """The suite, and what a system under test is told."""
        return Extras(
            suite="benchmac_toy_track.suite",
            task=files("benchmac_toy_track") / "task.txt",
            initial=initial,
        )


def initial(checkout: Path, instance_id: str, target: str | None) -> str:
    """What `benchmac init` writes for a book; raises InstanceError where there is none."""
    try:
        version = (checkout / "VERSION").read_text().strip()
    except OSError as error:
        raise InstanceError("is no book: it has no VERSION", where=checkout) from error
    return f"""\
id = "{instance_id}"
track = "toy"
license = "UNKNOWN"

[source]
@source@

[migration]
source_version = "{version}"
target_version = "{target or int(version) + 1}"

[environment]
image = "example.invalid/debian-with-git@sha256:{"0" * 64}"
"""


track = ToyTrack()
