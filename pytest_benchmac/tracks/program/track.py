"""Programs before and after evolution: GeneBench's four tasks (2025), judged apart from answers.

The paper asserts `f(x) == y` in a process with the answer. Here answers about values are literals
that nothing runs, and answers that are programs run where nothing says what is expected: see the
README.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from pytest_benchmac.environment.project import SOURCE_ALONE, Tree
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.program.environment import java_recipe, python_recipe
from pytest_benchmac.tracks.program.instance import ProgramInstance
from pytest_benchmac.tracks.program.stages import ANSWER, STAGES, TESTS
from pytest_benchmac.tracks.protocol import Stage, Track, Workplace

#: Nothing but an answer comes to it: the same for every case.
_EMPTY = Tree(source=None, shared=True)


class ProgramTrack(Track[ProgramInstance]):
    """See the module's docstring."""

    name = "program"
    version = 1
    instance_type = ProgramInstance
    all_stages = STAGES
    metrics: Mapping[str, Metric] = {"solved": Metric("tests", title="solved")}
    work_s = 600.0

    def base_recipe(
        self, instance: ProgramInstance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """Java for translations, and Python for all else."""
        translated = instance.task.kind == "translate" and kind is not SubmissionKind.BASELINE
        return java_recipe() if translated else python_recipe()

    def tree(self, instance: ProgramInstance, kind: SubmissionKind) -> Tree:
        """Nothing."""
        return _EMPTY

    def workplace(self, instance: ProgramInstance) -> Workplace:
        """The program, on the base where it runs."""
        return Workplace(python_recipe(), SOURCE_ALONE)

    def stages(
        self, instance: ProgramInstance, kind: SubmissionKind
    ) -> Sequence[Stage[ProgramInstance, Any]]:
        """Only translations are compiled, and an untouched program is no answer."""
        if kind is SubmissionKind.BASELINE:
            return (TESTS,)
        return STAGES if instance.task.kind == "translate" else (ANSWER, TESTS)

    def criteria(self, instance: ProgramInstance) -> dict[str, Any]:
        """Which question it is: what reports compare."""
        return {
            "task": instance.task.kind,
            "program": instance.program.name,
            "version": instance.program.version,
        }

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """Solved where every stage passed, and not where one failed."""
        if any(stage.outcome is Outcome.FAILED for stage in stages):
            return {"solved": False}
        done = bool(stages) and all(stage.outcome is Outcome.PASSED for stage in stages)
        return {"solved": True if done else None}

    def extras(self) -> Extras:
        """Suite and task."""
        from pytest_benchmac.tracks.program.task import descriptions_of

        return Extras(
            suite="pytest_benchmac.tracks.program.suite",
            task=files("pytest_benchmac.tracks.program") / "task.txt",
            descriptions=descriptions_of,
        )


track = ProgramTrack()
