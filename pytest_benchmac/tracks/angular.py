"""Angular major-version upgrades, judged as in the BenchMAC thesis (2025), section 3, and beyond.

patch -> install -> version -> build, fail fast. The version check asks npm for the installed
`@angular/core` and `@angular/cli`; both must have the target's major version. Where the instance
declares `[boot]`, the build is then booted in a browser: see `angular_boot`. Where it declares
`[tests]`, its own tests are run: see `angular_tests`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, StringConstraints, ValidationError, model_validator

from pytest_benchmac.errors import BaselineError
from pytest_benchmac.integrity import SourceTree
from pytest_benchmac.model import (
    BaselineFacts,
    Commands,
    Environment,
    Instance,
    Integrity,
    MetricValue,
    Migration,
    Model,
    Outcome,
    Seconds,
    StageResult,
    SubmissionKind,
    Timeouts,
    Verdict,
)
from pytest_benchmac.tracks.angular_boot.browser import BootPlan
from pytest_benchmac.tracks.angular_boot.compare import BootResult, boot_similarity, faults
from pytest_benchmac.tracks.angular_boot.config import Boot
from pytest_benchmac.tracks.angular_boot.stage import boot_stage, learn_boot
from pytest_benchmac.tracks.angular_failures import (
    AngularCause,
    diagnose_boot,
    diagnose_build,
    diagnose_install,
)
from pytest_benchmac.tracks.angular_integrity.bundle import script_bytes
from pytest_benchmac.tracks.angular_integrity.legs import (
    build_with_integrity,
    patch_with_integrity,
)
from pytest_benchmac.tracks.angular_tests.config import Tests
from pytest_benchmac.tracks.angular_tests.runs import RunResult
from pytest_benchmac.tracks.angular_tests.runs import faults as test_faults
from pytest_benchmac.tracks.angular_tests.stage import test_stage
from pytest_benchmac.tracks.base import (
    BaseRecipe,
    NpmTool,
    Ran,
    StageContext,
    StageSpec,
    ToolCheck,
)
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.node import node_check, node_tool
from pytest_benchmac.tracks.patching import patch_reason, run_patch_stage

T = TypeVar("T")

_NUMBER = r"(0|[1-9][0-9]*)"
_SEMVER = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
ExactVersion = Annotated[
    str,
    StringConstraints(pattern=rf"^{_SEMVER}$"),
    Field(description="an exact version, such as 18.20.8"),
]
MajorVersion = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]*$"),
    Field(description="a major version, such as 17"),
]

PackageName = Annotated[
    str,
    StringConstraints(pattern=r"^(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*$"),
    Field(description="the name of an npm package, such as esbuild or @scope/package"),
]

NgTest = Annotated[
    str,
    StringConstraints(pattern=r"^npx ng test(?: [A-Za-z0-9@=._/,:-]+)*$"),
    Field(description="`npx ng test`, with plain arguments at most"),
]

#: The packages whose major version must be the target's.
FRAMEWORK_PACKAGES = ("@angular/cli", "@angular/core")

_LEGACY_PEER_DEPS = "--legacy-peer-deps"
_RETRIED = "retried_with_legacy_peer_deps"
_ERESOLVE = re.compile(r"^npm (?:ERR!|error) code ERESOLVE\s*$", re.MULTILINE)
_NPM_LS_BYTES = 4 * 1024 * 1024
_WORKSPACE_BYTES = 1024 * 1024
_MAX_OUTPUT_FOLDERS = 16
#: Faults of a boot that its reason names.
_FAULTS_TOLD = 5
#: Of every command. Variables beat the project's .npmrc, where colour would hide ERESOLVE from us,
#: and package-lock-only would have `npm ls` report the lock file instead of what is installed.
ENV = {
    "NG_CLI_ANALYTICS": "false",
    "npm_config_color": "false",
    "npm_config_package_lock_only": "false",
}


class AngularMigration(Migration):
    """`source_version`: @angular/core at the base; `target_version`: the major to reach."""

    source_version: ExactVersion
    target_version: MajorVersion


class NodeEnvironment(Environment):
    """Exact Node and npm, the same whether the base image was pulled or bootstrapped."""

    node: ExactVersion
    npm: ExactVersion


class AngularCommands(Commands):
    """`install`, `build` and `test`, each one shell command run in the project folder."""

    install: str
    build: str
    #: Goes with `[tests]`; options of the harness are added to it.
    test: NgTest | None = None


class AngularTimeouts(Timeouts):
    """Seconds per stage and attempt."""

    install: Seconds = 600.0
    version: Seconds = 60.0
    build: Seconds = 900.0
    boot: Seconds = 120.0
    test: Seconds = 600.0


class AngularIntegrity(Model):
    """What the clean room needs to know of the application."""

    #: Packages of the base whose own install scripts the build cannot do without; all others are
    #: left out. They run once the packages are verified to be what was published.
    install_scripts: tuple[PackageName, ...] = ()


class AngularInstance(Instance):
    """An instance of the Angular track."""

    migration: AngularMigration
    environment: NodeEnvironment
    commands: AngularCommands
    timeouts: AngularTimeouts = AngularTimeouts()
    integrity: AngularIntegrity = AngularIntegrity()
    #: How to see that the application runs; without it there is no boot stage.
    boot: Boot | None = None
    #: How its own tests are run; without it there is no test stage.
    tests: Tests | None = None

    @model_validator(mode="after")
    def _tests_have_a_command(self) -> Self:
        if (self.commands.test is None) != (self.tests is None):
            raise ValueError("`commands.test` and a table `[tests]` go together")
        return self

    @property
    def decisive_files(self) -> Sequence[Path]:
        """The recorded test runs too, once there are any."""
        runs = [] if self.tests is None else [self.directory / self.tests.runs]
        return [*super().decisive_files, *(file for file in runs if file.is_file())]


class AngularTrack:
    """See the module's docstring."""

    name = "angular"
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
            npm_tools=(
                node_tool(environment.node),
                NpmTool(
                    package="npm",
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
            return {_RETRIED: retried}
        if stage == "version":
            return _version(context, timeouts.version)
        if stage == "boot":
            return self._boot(context, instance)
        if stage == "test":
            return self._test(context, instance)
        legacy_peer_deps = any(each.observations.get(_RETRIED) for each in context.stages)
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
        content = context.read_file(project / "angular.json", max_bytes=_WORKSPACE_BYTES)
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


def _install(context: StageContext, command: str, timeout_s: float) -> tuple[Ran, bool]:
    def run(line: str) -> tuple[Ran, int | None, str]:
        ran = context.run(line, timeout_s=timeout_s, env=ENV)
        return ran, ran.attempt.exit_code, ran.stderr

    return install_with_retry(command, run)


def install_with_retry(
    command: str, run: Callable[[str], tuple[T, int | None, str]]
) -> tuple[T, bool]:
    """Install; on a peer dependency conflict once more with the flag that npm itself proposes.

    The thesis's protocol: ERESOLVE is npm's word for a conflict of peer ranges, which real
    projects override.

    Args:
        command: the instance's.
        run: runs a command line; what it did, its exit code, and what it printed.

    Returns:
        What the last attempt did, and whether it was the second one.
    """
    done, exit_code, printed = run(command)
    retry = needs_legacy_peer_deps(command, exit_code, printed)
    if retry:
        done, _, _ = run(f"{command} {_LEGACY_PEER_DEPS}")
    return done, retry


def needs_legacy_peer_deps(command: str, exit_code: int | None, stderr: str) -> bool:
    """Did this install fail with ERESOLVE, without the flag that would have avoided it?"""
    failed = exit_code not in (0, None)
    return failed and _LEGACY_PEER_DEPS not in command and bool(_ERESOLVE.search(stderr))


def _version(context: StageContext, timeout_s: float) -> dict[str, Any]:
    ran = context.run(
        f"npm ls {' '.join(FRAMEWORK_PACKAGES)} --json",
        timeout_s=timeout_s,
        env=ENV,
        capture_bytes=_NPM_LS_BYTES,
    )
    return installed_versions(ran.stdout)


def installed_versions(npm_ls: bytes) -> dict[str, Any]:
    """What `npm ls --json` says about the root's framework packages.

    npm's exit code is not asked: it is 1 for any peer problem in an otherwise sound tree.

    Returns:
        `{"parsed": bool, "installed": {package: version or None}}`, None for an absent package.
    """
    try:
        tree = json.loads(npm_ls)
    except (ValueError, RecursionError):
        tree = None
    # With `error`, npm found no tree; with `invalid`, the root's package.json is not readable.
    if not isinstance(tree, dict) or tree.get("invalid") is True:
        return {"parsed": False, "installed": {}}
    if "error" in tree and "dependencies" not in tree:
        return {"parsed": False, "installed": {}}
    # npm leaves `dependencies` out when it found none of the packages.
    dependencies = tree.get("dependencies", {})
    if not isinstance(dependencies, dict):
        return {"parsed": False, "installed": {}}
    installed: dict[str, str | None] = {}
    for package in FRAMEWORK_PACKAGES:
        entry = dependencies.get(package)
        version = entry.get("version") if isinstance(entry, dict) else None
        missing = isinstance(entry, dict) and bool(entry.get("missing"))
        installed[package] = version if isinstance(version, str) and not missing else None
    return {"parsed": True, "installed": installed}


def major_of(version: str) -> int | None:
    """Major of a semantic version (`17.0.0-rc.1` is 17), None for anything else."""
    match = re.fullmatch(_SEMVER, version)
    return int(match[1]) if match else None


def version_achieved(observations: Mapping[str, Any], target_version: str) -> bool | None:
    """Have core and cli both the target's major? None when npm's output was no JSON object."""
    if not observations.get("parsed"):
        return None
    installed = observations["installed"]
    return all(
        (version := installed.get(package)) is not None and major_of(version) == int(target_version)
        for package in FRAMEWORK_PACKAGES
    )


def version_reason(observations: Mapping[str, Any], target_version: str) -> str:
    """Why the target version was not achieved; empty when it was."""
    achieved = version_achieved(observations, target_version)
    if achieved:
        return ""
    if achieved is None:
        return "npm ls printed no JSON"
    seen = ", ".join(
        f"{package} {version or 'absent'}" for package, version in observations["installed"].items()
    )
    return f"installed: {seen}; wanted: {target_version}.x for each"


def output_folders(workspace: object) -> list[str]:
    """Output folders of the application builders in a parsed angular.json; `dist` if none.

    `outputPath` is a string, or (application builder, 17 and on) an object with `base`. Folders
    outside the project, or inside one another, are left out.
    """
    folders: list[PurePosixPath] = []
    projects = workspace.get("projects") if isinstance(workspace, dict) else None
    for project in projects.values() if isinstance(projects, dict) else ():
        targets = None
        if isinstance(project, dict):
            targets = project.get("architect") or project.get("targets")
        build = targets.get("build") if isinstance(targets, dict) else None
        options = build.get("options") if isinstance(build, dict) else None
        output = options.get("outputPath") if isinstance(options, dict) else None
        if isinstance(output, dict):
            output = output.get("base")
        if isinstance(output, str) and output.isprintable() and len(output) < 1024:
            folder = PurePosixPath(output)
            if not folder.is_absolute() and ".." not in folder.parts and folder.parts:
                folders.append(folder)
    outermost = [f for f in folders if not any(other in f.parents for other in folders)]
    return list(dict.fromkeys(map(str, outermost)))[:_MAX_OUTPUT_FOLDERS] or ["dist"]
