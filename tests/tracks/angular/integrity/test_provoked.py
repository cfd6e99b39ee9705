"""A patch that makes the clean room's npm speak of a network's failure, in a whole case.

On packages of our own, so that nothing takes long but npm's own retries.
"""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.bubblewrap.engine import BubblewrapEngine
from pytest_benchmac.tracks.angular.instance import AngularCommands
from tests.engines import require
from tests.network.conftest import authority, registry, running_registry
from tests.network.tiny import TinyRegistry, make_tarball, sri
from tests.tracks.angular.integrity.test_legs import INSTANCE, judged

__all__ = ["authority", "registry", "running_registry"]

NG = b"#!/usr/bin/env node\nrequire('fs').mkdirSync('dist/x', { recursive: true });\n"
CLOSED = "http://127.0.0.1:1/"


def publish(registry: TinyRegistry) -> None:
    """A framework whose build makes a folder, in two majors, and what a patch may depend on."""
    for version in ("18.0.0", "19.0.0"):
        for name in ("core", "cli"):
            package = f"@angular/{name}"
            manifest = {"name": package, "version": version}
            files = {}
            if name == "cli":
                manifest["bin"] = {"ng": "./bin/ng.js"}  # type: ignore[assignment]
                files["bin/ng.js"] = NG
            files["package.json"] = json.dumps(manifest).encode()
            registry.publish(package, version, make_tarball(package, version, files))
    registry.publish("left-pad", "1.3.0")
    registry.publish("npm", "1.0.0")


def files_of(registry: TinyRegistry, version: str, **extra: str) -> dict[str, str]:
    """The project with a major of the framework; `extra` is where left-pad is taken from."""
    wanted = {f"@angular/{name}": version for name in ("core", "cli")}
    wanted |= {"left-pad": "1.3.0"} if extra else {}
    entries: dict[str, Any] = {"": {"name": "x", "version": "1.0.0", "dependencies": wanted}}
    for name, exact in wanted.items():
        entry = {"version": exact, "integrity": sri(registry.packages[name][exact])}
        if name == "@angular/cli":
            entry["bin"] = {"ng": "bin/ng.js"}  # type: ignore[assignment]
        entries[f"node_modules/{name}"] = entry | (extra if name == "left-pad" else {})
    lock = {"name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": entries}
    manifest = {"name": "x", "version": "1.0.0", "private": True, "dependencies": wanted}
    return {
        "package.json": json.dumps(manifest, indent=2) + "\n",
        "package-lock.json": json.dumps(lock, indent=2) + "\n",
    }


def instance_of(registry: TinyRegistry, folder: Path) -> Instance:
    copy = folder / INSTANCE
    shutil.copytree(packaged_instances() / INSTANCE, copy)
    shutil.rmtree(copy / "source")
    (copy / "source").mkdir()
    workspace = {"version": 1, "projects": {}}
    files = {**files_of(registry, "18.0.0"), "angular.json": json.dumps(workspace) + "\n"}
    for name, text in files.items():
        (copy / "source" / name).write_text(text)
    instance = load_instances((copy,))[INSTANCE]
    commands = AngularCommands(install="npm ci", build="npx ng build")
    return instance.model_copy(update={"commands": commands, "boot": None, "tests": None})


def patch_of(base: Path, changed: dict[str, str]) -> str:
    text = ""
    for name, new in changed.items():
        old = (base / name).read_text() if (base / name).exists() else ""
        text += f"diff --git a/{name} b/{name}\n" + ("" if old else "new file mode 100644\n")
        text += "".join(
            difflib.unified_diff(
                old.splitlines(keepends=True),
                new.splitlines(keepends=True),
                f"a/{name}" if old else "/dev/null",
                f"b/{name}",
            )
        )
    return text


def judge(registry: TinyRegistry, folder: Path) -> Evaluation:
    """Migrated by the lock file, which takes left-pad from a closed port."""
    publish(registry)
    instance = instance_of(registry, folder)
    assert instance.directory is not None
    changed = files_of(registry, "19.0.0", resolved=f"{CLOSED}left-pad/-/left-pad-1.3.0.tgz")
    changed[".npmrc"] = "replace-registry-host=always\n"
    patch = patch_of(instance.directory / "source", changed)
    return judged(folder, "bubblewrap", patch, instance, "proxied")


def test_words_of_a_network_s_failure_are_the_patch_s(
    registry: TinyRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    # Where the harness lays the packages, nobody asks the closed port.
    monkeypatch.setattr(BubblewrapEngine, "can_mount", False)
    evaluation = judge(registry, tmp_path)
    for name in ("patch", "install", "version"):
        assert evaluation.stage(name).outcome is Outcome.PASSED, evaluation.stage(name)
    assert (evaluation.status, evaluation.integrity.verdict) == ("completed", Verdict.REJECTED)
    (finding,) = [each for each in evaluation.integrity.findings if each.code == "provoked-error"]
    assert "ECONNREFUSED" in (finding.seen or "")
    assert evaluation.stage("build").outcome is Outcome.FAILED
    assert not evaluation.resolved
