"""Our own application as patches change it; a registry of ours, and what npm installs from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.tracks.angular.integrity import sources_leg as angular_integrity
from pytest_benchmac.tracks.angular.integrity.closed_world import (
    ClosedWorld,
    Listing,
    check_closed_world,
    check_tool_chain,
)
from pytest_benchmac.tracks.findings import Findings
from tests.network.tiny import Authority, TinyRegistry, make_tarball, serving, sri
from tests.tracks.angular.angular_trees import Base, Tree

LIST_TREE = Path(angular_integrity.__file__).parent / "scripts" / "list_tree.js"


def package(name: str, version: str, files: dict[str, bytes] | None = None, **about: Any) -> bytes:
    """A package as npm publishes it; `about` goes into its package.json."""
    manifest = json.dumps({"name": name, "version": version, **about}).encode()
    return make_tarball(name, version, {"package.json": manifest, **(files or {})})


@dataclass
class Project:
    """A package.json and a lock file, and what npm makes of them."""

    root: Path
    registry: TinyRegistry
    authority: Authority
    cache: Path
    #: Entries of the lock file by path below node_modules.
    lock: dict[str, dict[str, Any]] = field(default_factory=dict)
    dependencies: dict[str, str] = field(default_factory=dict)

    def lists(self, path: str, version: str, *, alias_of: str = "", **entry: Any) -> None:
        """Put a published package into the lock file."""
        name = alias_of or path.rpartition("node_modules/")[2]
        content = self.registry.packages[name][version]
        filename = f"{name.rpartition('/')[2]}-{version}.tgz"
        self.lock[path] = {
            "version": version,
            "resolved": f"{self.registry.url}{name}/-/{filename}",
            "integrity": sri(content),
            **({"name": name} if alias_of else {}),
            **entry,
        }

    def needs(self, name: str, version: str, *, alias_of: str = "", **entry: Any) -> None:
        """Depend on a published package."""
        self.dependencies[name] = f"npm:{alias_of}@{version}" if alias_of else version
        self.lists(name, version, alias_of=alias_of, **entry)

    def write(self) -> None:
        """Write both files."""
        root = {"name": "app", "version": "1.0.0", "dependencies": self.dependencies}
        lock = {
            "name": "app",
            "version": "1.0.0",
            "lockfileVersion": 3,
            "requires": True,
            "packages": {
                "": root,
                **{f"node_modules/{path}": entry for path, entry in self.lock.items()},
            },
        }
        (self.root / "package.json").write_text(json.dumps(root))
        (self.root / "package-lock.json").write_text(json.dumps(lock))

    def install(self) -> None:
        """Run the machine's own `npm ci`."""
        self.write()
        self.npm("ci", "--ignore-scripts")

    def npm(self, *arguments: str) -> None:
        done = subprocess.run(
            ["npm", *arguments],
            cwd=self.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root.parent),
                "npm_config_cafile": str(self.authority.certificate),
                "npm_config_registry": self.registry.url,
                "npm_config_audit": "false",
                "npm_config_fetch_retries": "0",
                "npm_config_fund": "false",
                "npm_config_update_notifier": "false",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def listing(self) -> Listing:
        done = subprocess.run(
            ["node", str(LIST_TREE), "node_modules", "hash"],
            cwd=self.root,
            capture_output=True,
            check=True,
        )
        return Listing.parse(done.stdout)

    def published(self, *, offline: bool = False) -> PublishedPackages:
        return PublishedPackages(self.registry.url, self.cache, offline=offline)

    def check(self, *roots: str) -> tuple[ClosedWorld, Findings]:
        """What the harness finds in what is installed."""
        findings = Findings()
        world = check_closed_world(self.listing(), self.published(), findings)
        check_tool_chain(world, roots, findings)
        return world, findings

    def codes(self) -> set[str]:
        """The codes of the fatal findings."""
        return {finding.code for finding in self.check()[1].result()}


@pytest.fixture(scope="module")
def base() -> Base:
    return Base("trailbook_v18_to_v19", 19)


@pytest.fixture
def tree(base: Base, tmp_path: Path) -> Tree:
    return base.copy(tmp_path / "patched")


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def running_registry(authority: Authority) -> Iterator[TinyRegistry]:
    registry = TinyRegistry()
    with serving(registry, authority):
        yield registry


@pytest.fixture
def empty_registry(
    running_registry: TinyRegistry, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> TinyRegistry:
    """The registry without packages; this process trusts it, and knows no proxy."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    monkeypatch.delenv("NODE_EXTRA_CA_CERTS", raising=False)
    running_registry.reset()
    return running_registry


@pytest.fixture
def project(empty_registry: TinyRegistry, authority: Authority, tmp_path: Path) -> Project:
    """A project with a framework of three small packages, one of which depends on a tool."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    registry = empty_registry
    registry.publish(
        "@angular/core", "17.0.1", package("@angular/core", "17.0.1", {"core.js": b"core"})
    )
    registry.publish(
        "@angular/core", "16.0.0", package("@angular/core", "16.0.0", {"core.js": b"old"})
    )
    registry.publish(
        "@angular/cli",
        "17.0.2",
        package(
            "@angular/cli",
            "17.0.2",
            {"bin/ng.js": b"#!/usr/bin/env node\nrequire('tool')\n"},
            bin={"ng": "bin/ng.js"},
            dependencies={"tool": "^1.0.0"},
        ),
    )
    registry.publish("tool", "1.0.0", package("tool", "1.0.0", {"index.js": b"tool"}))
    registry.publish("plain", "1.0.0", package("plain", "1.0.0", {"index.js": b"plain"}))
    registry.publish("evil", "1.0.0", package("evil", "1.0.0", {"index.js": b"evil"}))
    root = tmp_path / "app"
    root.mkdir()
    project = Project(root, registry, authority, tmp_path / "cache")
    project.needs("@angular/core", "17.0.1")
    project.needs(
        "@angular/cli", "17.0.2", dependencies={"tool": "^1.0.0"}, bin={"ng": "bin/ng.js"}
    )
    project.lists("tool", "1.0.0")
    return project
