"""Which framework versions npm installed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.angular.failures import AngularCause
from pytest_benchmac.tracks.angular.install import ENV
from pytest_benchmac.tracks.angular.instance import AngularInstance, major_of
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Observations, Stage, StageContext

#: The packages whose major version must be the target's.
FRAMEWORK_PACKAGES = ("@angular/cli", "@angular/core")
_NPM_LS_BYTES = 4 * 1024 * 1024


class VersionSeen(Observations):
    """What `npm ls --json` says about the root's framework packages."""

    #: Was its output a JSON object?
    parsed: bool = False
    #: None for an absent package.
    installed: dict[str, str | None] = Field(default_factory=dict)


class VersionStage(Stage[AngularInstance, VersionSeen]):
    """Both framework packages are installed with the target's major version."""

    name = "version"
    needs = ("install",)
    observations = VersionSeen

    def run(self, context: StageContext[AngularInstance]) -> VersionSeen:
        """Ask npm."""
        ran = context.run(
            f"npm ls {' '.join(FRAMEWORK_PACKAGES)} --json",
            timeout_s=context.instance.timeouts.version,
            env=ENV,
            capture_bytes=_NPM_LS_BYTES,
        )
        return installed_versions(ran.stdout)

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What is installed instead."""
        return version_reason(result.observations, criteria["target_version"])

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """The wrong version, if npm told one."""
        if not observations.get("parsed"):
            return None
        return Diagnosis(cause=AngularCause.WRONG_VERSION, evidence=reason)


def installed_versions(npm_ls: bytes) -> VersionSeen:
    """What `npm ls --json` says about the root's framework packages.

    npm's exit code is not asked: it is 1 for any peer problem in an otherwise sound tree.
    """
    try:
        tree = json.loads(npm_ls)
    except (ValueError, RecursionError):
        tree = None
    # With `error`, npm found no tree; with `invalid`, the root's package.json is not readable.
    if not isinstance(tree, dict) or tree.get("invalid") is True:
        return VersionSeen()
    if "error" in tree and "dependencies" not in tree:
        return VersionSeen()
    # npm leaves `dependencies` out when it found none of the packages.
    dependencies = tree.get("dependencies", {})
    if not isinstance(dependencies, dict):
        return VersionSeen()
    installed: dict[str, str | None] = {}
    for package in FRAMEWORK_PACKAGES:
        entry = dependencies.get(package)
        version = entry.get("version") if isinstance(entry, dict) else None
        missing = isinstance(entry, dict) and bool(entry.get("missing"))
        installed[package] = version if isinstance(version, str) and not missing else None
    return VersionSeen(parsed=True, installed=installed)


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
