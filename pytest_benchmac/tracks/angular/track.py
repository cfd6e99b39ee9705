"""Angular major-version upgrades, judged as in the BenchMAC thesis (2025), section 3, and beyond.

patch -> install -> version -> build, fail fast. The version check asks npm for the installed
`@angular/core` and `@angular/cli`; both must have the target's major version. Where the instance
declares `[boot]`, the build is then booted in a browser: see `boot/`. Where it declares `[tests]`,
its own tests are run: see `tests/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.evaluation import Integrity, StageResult, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.angular.base_build import BaseBuild
from pytest_benchmac.tracks.angular.boot.compare import BootResult, boot_similarity
from pytest_benchmac.tracks.angular.boot.stage import learn_boot
from pytest_benchmac.tracks.angular.boot_stage import BootStage, boot_plan
from pytest_benchmac.tracks.angular.build import BuildStage
from pytest_benchmac.tracks.angular.environment import angular_recipe
from pytest_benchmac.tracks.angular.install import ENV, InstallStage, install
from pytest_benchmac.tracks.angular.instance import AngularInstance, major_of
from pytest_benchmac.tracks.angular.integrity.bill import harness_files, read_bill
from pytest_benchmac.tracks.angular.integrity.bundle import script_bytes
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.command_lines import as_ng
from pytest_benchmac.tracks.angular.integrity.component_rules import is_compiled_by_browsers
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.output import output_folders_of
from pytest_benchmac.tracks.angular.own_tests import TestStage
from pytest_benchmac.tracks.angular.patch import AngularPatchStage
from pytest_benchmac.tracks.angular.version import VersionStage, version_achieved
from pytest_benchmac.tracks.angular.views import pages_seen
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.protocol import BROKEN_OFF, Stage, StageContext, Track
from pytest_benchmac.tracks.views import PageView

_BY_BROWSERS = (
    "the untouched base's build leaves it to browsers to compile its components (`aot: false`), so "
    "that its scripts do not say what they are made of. Add `--aot` to the build command."
)
#: Not in the untouched base: it has no patch, and no version to reach.
_OF_PATCHES = ("patch", "version")


class AngularTrack(Track[AngularInstance]):
    """See the module's docstring."""

    name = "angular"
    version = 29
    instance_type = AngularInstance
    ecosystems = (npm,)
    all_stages = (
        AngularPatchStage(),
        InstallStage(),
        VersionStage(),
        BuildStage(),
        # Neither of the two says anything about the other.
        BootStage(),
        TestStage(),
    )
    metrics: Mapping[str, Metric] = {
        "patch_application_success": Metric("patch"),
        "install_success": Metric("install"),
        "target_version_achieved": Metric("version"),
        "build_success": Metric("build"),
        "boot_success": Metric("boot"),
        "boot_similarity": Metric("boot", share=True),
        "tests_success": Metric("test"),
    }

    def stages(
        self, instance: AngularInstance, kind: SubmissionKind
    ) -> Sequence[Stage[AngularInstance, Any]]:
        """A chain up to the build, then boot and tests where the instance declares them."""
        absent: tuple[str, ...] = _OF_PATCHES if kind is SubmissionKind.BASELINE else ()
        if instance.boot is None:
            absent += ("boot",)
        if instance.tests is None:
            absent += ("test",)
        return tuple(stage for stage in self.all_stages if stage.name not in absent)

    def base_recipe(
        self, instance: AngularInstance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """Debian with git, the exact Node and the exact npm."""
        return angular_recipe(instance)

    def learn(self, context: StageContext[AngularInstance]) -> BaselineFacts:
        """How the untouched base boots, its build, and what that is made of."""
        instance = context.instance
        room = CleanRoom(context)
        source, _ = room.source("base")
        base = Snapshot.scan(source.root, instance.commands.build)
        ran, _ = install(context)
        if ran.passed:
            room.have_billed(base.workspace, instance.commands.build)
            line = as_ng(instance.commands.build)
            ran = context.run(line, timeout_s=instance.timeouts.build, env=ENV)
        if not ran.passed:
            raise BaselineError(
                f"{instance.id}: the untouched base cannot be built: `{ran.attempt.command}` ended "
                f"with exit code {ran.attempt.exit_code}: {ran.attempt.stderr_tail[-1000:]}"
            )
        with TemporaryDirectory(dir=context.scratch) as folder:
            built = Path(folder)
            context.copy_project(self.artifacts(context), built)
            artifacts = SourceTree.scan(built)
            bill = read_bill(artifacts).named(base.inventory)
            if is_compiled_by_browsers(base.inventory, bill):
                raise BaselineError(f"{instance.id}: {_BY_BROWSERS}")
            for path in harness_files(artifacts):
                (built / path).unlink()
            learn_boot(
                context,
                boot_plan(context),
                built,
                source_major=major_of(instance.migration.source_version) or 0,
            )
            return {
                **BaseBuild.keep(built, bill),
                "script_bytes": script_bytes(SourceTree.scan(built)),
            }

    def criteria(self, instance: AngularInstance) -> dict[str, Any]:
        """The versions to leave and to reach."""
        return instance.migration.model_dump()

    def pages(self, stage: StageResult) -> Sequence[PageView]:
        """The pages that the boot stage looked at."""
        return pages_seen(stage)

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """True, false or a share; None where the case did not get there, or has no such stage."""
        values = super().compute_metrics(stages, criteria, integrity)
        seen = {stage.name: stage.observations for stage in stages}
        if values["target_version_achieved"] is not None:
            target = criteria["target_version"]
            values["target_version_achieved"] = version_achieved(seen["version"], target)
        if values["boot_similarity"] is not None:
            broken_off = not seen["boot"].keys().isdisjoint(BROKEN_OFF)
            values["boot_similarity"] = (
                None if broken_off else boot_similarity(BootResult.model_validate(seen["boot"]))
            )
        return values

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """Every metric that applies is true, and nothing fatal was found."""
        present = {stage.name for stage in stages}
        wanted = [
            name
            for name, metric in self.metrics.items()
            if metric.stage in present and not metric.share
        ]
        believed = integrity.verdict is not Verdict.REJECTED
        return believed and bool(wanted) and all(metrics[name] is True for name in wanted)

    def on_host(self, instance: AngularInstance) -> AngularInstance:
        """Without boot and tests: the browser has an image of its own."""
        return instance.model_copy(update={"boot": None, "tests": None})

    def artifacts(self, context: StageContext[AngularInstance]) -> Sequence[PurePosixPath]:
        """The output folders that the patched angular.json names, else `dist`."""
        return output_folders_of(context)

    def extras(self) -> Extras:
        """Suite, task, commands of its own, and Angular Schematics as a SUT."""
        from pytest_benchmac.tracks.angular.commands import propose_boot
        from pytest_benchmac.tracks.angular.initial import initial
        from pytest_benchmac.tracks.angular.integrity.explained import explanations
        from pytest_benchmac.tracks.angular.own_tests import own_tests
        from pytest_benchmac.tracks.angular.schematics import KIND

        return Extras(
            suite="pytest_benchmac.tracks.angular.suite",
            task=files("pytest_benchmac.tracks.angular") / "task.txt",
            commands=(propose_boot.add_parser,),
            adapters=(KIND,),
            own_tests=own_tests,
            initial=initial,
            explanations=explanations,
        )


track = AngularTrack()
