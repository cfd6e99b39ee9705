"""Angular major-version upgrades, judged as in the BenchMAC thesis (2025), section 3, and beyond.

patch -> install -> version -> build, fail fast. The version check asks npm for the installed
`@angular/core` and `@angular/cli`; both must have the target's major version. Where the instance
declares `[boot]`, the build is then booted in a browser: see `angular_boot`. Where it declares
`[tests]`, its own tests are run: see `angular_tests`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.ecosystems.base import Ecosystem, Package
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.node import node_package
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.compare import BootResult, boot_similarity, faults
from pytest_benchmac.tracks.angular.boot.stage import boot_stage, learn_boot
from pytest_benchmac.tracks.angular.failures import (
    AngularCause,
    diagnose_boot,
    diagnose_build,
    diagnose_install,
)
from pytest_benchmac.tracks.angular.instance import AngularInstance, major_of
from pytest_benchmac.tracks.angular.integrity.bundle import script_bytes
from pytest_benchmac.tracks.angular.integrity.legs import build_with_integrity, patch_with_integrity
from pytest_benchmac.tracks.angular.npm import ENV, RETRIED, _install, node_check
from pytest_benchmac.tracks.angular.output import WORKSPACE_BYTES, output_folders
from pytest_benchmac.tracks.angular.tests.runs import RunResult
from pytest_benchmac.tracks.angular.tests.runs import faults as test_faults
from pytest_benchmac.tracks.angular.tests.stage import test_stage
from pytest_benchmac.tracks.angular.version_stage import _version, version_achieved, version_reason
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.patch import patch_reason, run_patch_stage
from pytest_benchmac.tracks.protocol import StageContext, StageSpec

#: Faults of a boot that its reason names.
_FAULTS_TOLD = 5


class AngularTrack:
    """See the module's docstring."""

    name = "angular"
    ecosystems: tuple[Ecosystem, ...] = (npm,)
    instance_type: type[Instance] = AngularInstance
    facts_version: int | None = 3
    metrics: Mapping[str, str] = {
        "patch_application_success": "patch",
        "install_success": "install",
        "target_version_achieved": "version",
        "build_success": "build",
        "boot_success": "boot",
        "boot_similarity": "boot",
        "tests_success": "test",
    }

    def stages(self, instance: Instance, kind: SubmissionKind) -> Sequence[StageSpec]:
        """A chain up to the build; the untouched base has no patch, and no version to reach."""
        narrowed = _narrow(instance)
        # Neither of the two says anything about the other.
        last: tuple[StageSpec, ...] = ()
        if (plan := _boot_plan(narrowed)) is not None:
            last += (StageSpec("boot", needs=("build",), standby=plan.standby),)
        if narrowed.tests is not None:
            last += (StageSpec("test", needs=("build",)),)
        if kind is SubmissionKind.BASELINE:
            return (StageSpec("install"), StageSpec("build", needs=("install",)), *last)
        return (
            StageSpec("patch"),
            StageSpec("install", needs=("patch",)),
            StageSpec("version", needs=("install",)),
            # Its bundle, as the boot after it, is compared with the base's.
            StageSpec("build", needs=("version",), compared=plan is not None),
            *last,
        )

    def base_recipe(
        self, instance: Instance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """Debian with git, the exact Node and the exact npm."""
        environment = _narrow(instance).environment
        modules = PurePosixPath("usr/local/lib/node_modules/npm")
        return BaseRecipe(
            reference=environment.image,
            apt_packages=("ca-certificates", "git"),
            packages=(
                node_package(environment.node),
                Package(
                    ecosystem="npm",
                    name="npm",
                    version=environment.npm,
                    destination=modules,
                    links={
                        "usr/local/bin/npm": "bin/npm-cli.js",
                        "usr/local/bin/npx": "bin/npx-cli.js",
                    },
                ),
            ),
            checks=(
                node_check(environment.node),
                ToolCheck("npm", "npm --version", environment.npm, version=environment.npm),
            ),
        )

    def learn(self, context: StageContext) -> BaselineFacts:
        """How the untouched base boots, and the size of its scripts, where it is to be booted."""
        instance = _narrow(context.instance)
        plan = _boot_plan(instance)
        if plan is None:
            return {}
        timeouts, commands = instance.timeouts, instance.commands
        ran, _ = _install(context, commands.install, timeouts.install)
        if ran.attempt.exit_code == 0:
            ran = context.run(commands.build, timeout_s=timeouts.build, env=ENV)
        if ran.attempt.exit_code != 0:
            raise BaselineError(
                f"{instance.id}: the untouched base cannot be built: `{ran.attempt.command}` ended "
                f"with exit code {ran.attempt.exit_code}: {ran.attempt.stderr_tail[-1000:]}"
            )
        with TemporaryDirectory(dir=context.scratch) as folder:
            built = Path(folder)
            context.copy_project(self.artifacts(context), built)
            facts = learn_boot(
                context,
                plan,
                built,
                source_major=major_of(instance.migration.source_version) or 0,
            )
            return {**facts, "script_bytes": script_bytes(SourceTree.scan(built))}

    def run_stage(self, stage: str, context: StageContext) -> Mapping[str, Any]:
        """Run one of patch, install, version, build, boot, test."""
        instance = _narrow(context.instance)
        timeouts = instance.timeouts
        if stage == "patch":
            return patch_with_integrity(
                context, instance, lambda: run_patch_stage(context, timeouts.patch)
            )
        if stage == "install":
            _, retried = _install(context, instance.commands.install, timeouts.install)
            return {RETRIED: retried}
        if stage == "version":
            return _version(context, timeouts.version)
        if stage == "boot":
            return self._boot(context, instance)
        if stage == "test":
            return self._test(context, instance)
        legacy_peer_deps = any(each.observations.get(RETRIED) for each in context.stages)
        return build_with_integrity(context, instance, legacy_peer_deps=legacy_peer_deps, env=ENV)

    def _boot(self, context: StageContext, instance: AngularInstance) -> dict[str, Any]:
        plan = _boot_plan(instance)
        if plan is None:
            raise ValueError(f"{instance.id} declares no boot")
        migration = instance.migration
        untouched = context.submission.kind is SubmissionKind.BASELINE
        version = migration.source_version if untouched else migration.target_version
        return boot_stage(
            context,
            plan,
            expected_major=int(version.partition(".")[0]),
            # What the clean room built, where there was one.
            build_output=lambda: context.artifacts or context.collect(self.artifacts(context)),
        )

    def _test(self, context: StageContext, instance: AngularInstance) -> dict[str, Any]:
        command = instance.commands.test
        if instance.tests is None or command is None:
            raise ValueError(f"{instance.id} declares no tests")
        return test_stage(
            context,
            command,
            self.base_recipe(instance),
            instance.directory / instance.tests.runs,
            reporter=instance.tests.reporter,
            timeout_s=instance.timeouts.test,
            env=ENV,
        )

    def criteria(self, instance: Instance) -> dict[str, Any]:
        """The versions to leave and to reach."""
        return _narrow(instance).migration.model_dump()

    def reason(self, stage: StageResult, criteria: Mapping[str, Any]) -> str:
        """Why the stage did not pass; empty when it passed."""
        if stage.name == "patch":
            return patch_reason(stage)
        if stage.name == "version":
            return version_reason(stage.observations, criteria["target_version"])
        if stage.name == "boot" and "copy_limit" not in stage.observations:
            found = faults(_result(stage.observations))
            more = f" (and {len(found) - _FAULTS_TOLD} more)" if len(found) > _FAULTS_TOLD else ""
            return "; ".join(found[:_FAULTS_TOLD]) + more
        if stage.name == "test":
            return "; ".join(test_faults(RunResult.model_validate(stage.observations)))
        if stage.exit_code == 0:
            return ""
        if stage.attempts and (limits := stage.attempts[-1].limits_hit):
            return f"stopped at the sandbox's bound on {', '.join(limits)}"
        return f"exit code {stage.exit_code}"

    def diagnose(
        self, stage: str, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """Why install, version check, build, boot or tests failed; see docs/failures.md."""
        if stage == "install":
            return diagnose_install(output)
        if stage == "build":
            return diagnose_build(output)
        if stage == "version" and observations.get("parsed"):
            return Diagnosis(cause=AngularCause.WRONG_VERSION, evidence=reason)
        if stage == "boot":
            try:
                return diagnose_boot(_result(observations))
            except ValidationError:
                # It was broken off before it saw anything.
                return None
        if stage == "test":
            # Without a whole run they were not even compiled, or the browser broke off.
            broken = diagnose_build(output) if observations.get("problem") else None
            return broken or Diagnosis(cause=AngularCause.TESTS_FAILED, evidence=reason)
        return None

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any]
    ) -> dict[str, MetricValue]:
        """True, false or a share; None where the case did not get there, or has no such stage."""
        by_name = {stage.name: stage for stage in stages}
        values: dict[str, MetricValue] = {}
        for metric, name in self.metrics.items():
            stage = by_name.get(name)
            if stage is None or stage.outcome is Outcome.NOT_REACHED:
                values[metric] = None
            elif name == "version":
                values[metric] = version_achieved(stage.observations, criteria["target_version"])
            elif metric == "boot_similarity":
                seen = stage.observations
                values[metric] = None if "copy_limit" in seen else boot_similarity(_result(seen))
            else:
                values[metric] = self.reason(stage, criteria) == ""
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
            metric
            for metric, stage in self.metrics.items()
            if stage in present and metric != "boot_similarity"
        ]
        believed = integrity.verdict is not Verdict.REJECTED
        return believed and bool(wanted) and all(metrics[name] is True for name in wanted)

    def on_host(self, instance: Instance) -> Instance:
        """Without boot and tests: the browser has an image of its own."""
        return _narrow(instance).model_copy(update={"boot": None, "tests": None})

    def artifacts(self, context: StageContext) -> Sequence[PurePosixPath]:
        """The output folders that the patched angular.json names, else `dist`."""
        project = context.sandbox.project
        content = context.read_file(project / "angular.json", max_bytes=WORKSPACE_BYTES)
        try:
            workspace = json.loads(content or b"null")
        except (ValueError, RecursionError):
            workspace = None
        return [project / folder for folder in output_folders(workspace)]


def _result(observations: Mapping[str, Any]) -> BootResult:
    return BootResult.model_validate(observations)


def _narrow(instance: Instance) -> AngularInstance:
    if not isinstance(instance, AngularInstance):
        raise TypeError(f"{instance.id} is not an Angular instance")
    return instance


def _boot_plan(instance: AngularInstance) -> BootPlan | None:
    if instance.boot is None:
        return None
    return BootPlan(
        boot=instance.boot,
        fixtures=instance.http_fixtures,
        directory=instance.directory,
        timeout_s=instance.timeouts.boot,
    )
