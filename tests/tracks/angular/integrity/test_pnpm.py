"""Packages laid as pnpm lays them, beside what a real pnpm makes, and lock files that lie."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.store import PackageStore
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Finding
from pytest_benchmac.model.settings import default_cache
from pytest_benchmac.tracks.angular.integrity.laid import LaidPackages
from pytest_benchmac.tracks.angular.integrity.laid_pnpm import lay_pnpm_packages
from pytest_benchmac.tracks.findings import Findings
from tests.network.tiny import Authority, TinyRegistry
from tests.tracks.angular.integrity.conftest import package

#: The last of two major versions, which lay some things differently.
PNPM = ("9.15.9", "10.20.0")
#: pnpm's own notes, which no package is.
NOTES = {".modules.yaml", ".pnpm-workspace-state.json", ".pnpm-workspace-state-v1.json"}
LONG = (
    "a-name-that-is-as-long-as-names-of-packages-with-many-peers-become-when-all-of-them-are-told"
)

Content = dict[str, Any]


@pytest.fixture(scope="session")
def pnpms() -> dict[str, Path]:
    """Real ones, out of this machine's cache of the registry."""
    cache = default_cache()
    store = PackageStore(PublishedPackages(npm.registry(os.environ).url, cache), cache / "packages")
    found = {version: store.package("pnpm", version) for version in PNPM}
    return {v: each.folder / each.commands["pnpm"] for v, each in found.items() if each is not None}


@pytest.fixture(scope="session")
def locks() -> dict[str, bytes]:
    """Lock files of the project as each pnpm made it: once, since all tests begin with the same."""
    return {}


@dataclass
class Repository:
    """A project of pnpm's."""

    root: Path
    registry: TinyRegistry
    authority: Authority
    pnpm: Path
    version: str

    def run(self, *arguments: str) -> None:
        done = subprocess.run(
            ["node", str(self.pnpm), "install", "--ignore-scripts", *arguments],
            cwd=self.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root.parent),
                "npm_config_cafile": str(self.authority.certificate),
                "npm_config_registry": self.registry.url,
                "npm_config_store_dir": str(self.root.parent / "store"),
                "npm_config_update_notifier": "false",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def change(self, file: str, how: Callable[[Content], object]) -> None:
        """Change a file of the project that is JSON or YAML."""
        path = self.root / file
        read = json.loads if file.endswith("json") else yaml.safe_load
        content = read(path.read_text())
        how(content)
        dump = json.dumps if file.endswith("json") else yaml.safe_dump
        path.write_text(dump(content))

    def lay(self, stack: ExitStack, base: Path | None = None) -> tuple[Any, tuple[Finding, ...]]:
        instance = SimpleNamespace(
            commands=SimpleNamespace(
                install=f"npx --yes pnpm@{self.version} install --frozen-lockfile"
            ),
            environment=SimpleNamespace(npm="10.8.2", node="20.19.5"),
            integrity=SimpleNamespace(install_scripts=()),
        )
        cache = self.root.parent / "cache"
        context: Any = SimpleNamespace(can_mount=True, instance=instance, cache=cache)
        tree = SourceTree.scan(self.root).without(["node_modules"])
        findings = Findings()
        laid = lay_pnpm_packages(
            context,
            tree if base is None else SourceTree.scan(base),
            tree,
            PublishedPackages(self.registry.url, cache),
            findings,
            stack,
        )
        return laid, findings.result()


def publish(registry: TinyRegistry, name: str, version: str, **about: Any) -> None:
    # Of its own: pnpm links equal files of two packages to one, whose mode is then the same.
    run = f"#!/usr/bin/env node\n// {name}@{version}\n".encode()
    files = {"index.js": f"{name}@{version}".encode(), "bin/run.js": run}
    registry.publish(name, version, package(name, version, files, **about))
    registry.about[f"{name}@{version}"] = about


@pytest.fixture(params=PNPM)
def repository(
    request: pytest.FixtureRequest,
    pnpms: dict[str, Path],
    locks: dict[str, bytes],
    empty_registry: TinyRegistry,
    authority: Authority,
    tmp_path: Path,
) -> Repository:
    """A project with peers, aliases, two versions of one name, and what is for another system."""
    publish(
        empty_registry,
        "@angular/core",
        "17.0.1",
        dependencies={"shared": "^1.1.0"},
        peerDependencies={"rxjs": "^7.0.0"},
    )
    publish(
        empty_registry,
        "@angular/cli",
        "17.0.2",
        bin={"ng": "bin/run.js"},
        dependencies={"shared": "^2.0.0", "my-eslint-rules": "1.x", "JSONStream": "~1.3.0"},
        optionalDependencies={"native-aix": "1.0.0", "native-linux": "1.0.0"},
    )
    publish(empty_registry, "rxjs", "7.8.1", dependencies={"tslib": "^2.1.0"})
    publish(empty_registry, "rxjs", "6.0.0", dependencies={"tslib": "^2.1.0"})
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        publish(empty_registry, "shared", version)
    publish(empty_registry, "tslib", "2.6.2")
    publish(empty_registry, "evil", "1.0.0")
    publish(empty_registry, "my-eslint-rules", "1.4.0", dependencies={LONG: "1.0.0"})
    publish(
        empty_registry,
        LONG,
        "1.0.0",
        dependencies={"shared": "1.0.0", "loop": "*"},
        peerDependencies={"@angular/core": "*", "rxjs": "*"},
    )
    publish(empty_registry, "loop", "1.0.0", dependencies={"loop-back": "*"})
    publish(empty_registry, "loop-back", "1.0.0", dependencies={"loop": "*"})
    publish(empty_registry, "JSONStream", "1.3.5", bin="bin/run.js")
    publish(empty_registry, "native-linux", "1.0.0", os=["linux"])
    publish(empty_registry, "native-aix", "1.0.0", os=["aix"], dependencies={"only-aix": "1"})
    publish(empty_registry, "only-aix", "1.0.0")
    root = tmp_path / "app"
    root.mkdir()
    version = request.param
    needs = {"@angular/core": "^17.0.0", "rxjs": "~7.8.0", "other": "npm:shared@~1.0.0"}
    manifest = {
        "name": "app",
        "version": "1.0.0",
        "packageManager": f"pnpm@{version}",
        "dependencies": needs,
        "devDependencies": {"@angular/cli": "17.0.2"},
    }
    (root / "package.json").write_text(json.dumps(manifest))
    made = Repository(root, empty_registry, authority, pnpms[version], version)
    lock = root / "pnpm-lock.yaml"
    if version not in locks:
        made.run("--lockfile-only")
        locks[version] = lock.read_bytes()
    lock.write_bytes(locks[version])
    return made


def listed(folder: Path) -> dict[str, object]:
    """Content and mode of each file, target of each link; without commands and notes."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if ".bin" in path.parts or name in NOTES or name == ".pnpm/lock.yaml":
            continue
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = (path.read_bytes(), path.stat().st_mode & 0o777)
    return found


def test_the_tree_is_the_one_that_pnpm_makes(repository: Repository) -> None:
    repository.run("--frozen-lockfile")
    with ExitStack() as stack:
        laid, findings = repository.lay(stack)
        assert isinstance(laid, LaidPackages), laid
        assert findings == ()
        made = repository.root / "node_modules"
        assert listed(laid.folder) == listed(made)
        names = {path.name for path in (made / ".bin").iterdir()}
        assert {path.name for path in (laid.folder / ".bin").iterdir()} == names == {"ng"}
        hoisted = made / ".pnpm" / "node_modules"
        # Each kind of place is there: else the comparison shows little.
        assert (hoisted / "tslib").is_symlink()
        assert (made / "my-eslint-rules").exists() == repository.version.startswith("9.")
        assert not (hoisted / "native-aix").exists()
        world = laid.world
        assert world.version("@angular/core") == "17.0.1"
        core = world.root("@angular/core")
        assert core is not None
        assert world.packages[str(world.resolve(core.folder, "shared"))].version == "1.1.0"
        assert world.packages[str(world.home("tslib"))].version == "2.6.2"


def cli(lock: Content) -> Content:
    (key,) = (each for each in lock["snapshots"] if each.startswith("@angular/cli@"))
    found: Content = lock["snapshots"][key]
    return found


def core(lock: Content) -> Content:
    (key,) = (each for each in lock["snapshots"] if each.startswith("@angular/core@"))
    found: Content = lock["snapshots"][key]
    return found


def has(lock: Content, repository: Repository, name: str, version: str) -> None:
    """Give a lock file a package that it did not have."""
    integrity = repository.registry.manifest(name, version)["dist"]["integrity"]
    lock["packages"][f"{name}@{version}"] = {"resolution": {"integrity": integrity}}
    lock["snapshots"][f"{name}@{version}"] = {}


def below_its_range(lock: Content, repository: Repository) -> None:
    cli(lock)["dependencies"]["shared"] = "1.1.0"


def project_below_its_range(lock: Content, repository: Repository) -> None:
    lock["importers"]["."]["dependencies"]["other"]["version"] = "shared@2.0.0"


def another_package_by_the_name(lock: Content, repository: Repository) -> None:
    has(lock, repository, "evil", "1.0.0")
    cli(lock)["dependencies"]["shared"] = "evil@1.0.0"


def what_nobody_asks_for(lock: Content, repository: Repository) -> None:
    has(lock, repository, "evil", "1.0.0")
    cli(lock)["dependencies"]["evil"] = "1.0.0"


def left_out(lock: Content, repository: Repository) -> None:
    del core(lock)["dependencies"]["shared"]


def said_to_be_for_another_system(lock: Content, repository: Repository) -> None:
    lock["packages"]["shared@1.1.0"]["os"] = ["aix"]
    lock["snapshots"]["shared@1.1.0"]["optional"] = True


def framework_with_another_peer(lock: Content, repository: Repository) -> None:
    """A framework's package with a peer of the framework's that is out of its range."""
    has(lock, repository, "rxjs", "6.0.0")
    lock["snapshots"]["rxjs@6.0.0"] = {"dependencies": {"tslib": "2.6.2"}}
    core(lock)["dependencies"]["rxjs"] = "6.0.0"


def another_package_as_a_peer(lock: Content, repository: Repository) -> None:
    """Of a package that is none of the framework's, which may get a peer out of its range."""
    has(lock, repository, "evil", "1.0.0")
    (key,) = (each for each in lock["snapshots"] if each.startswith(LONG))
    lock["snapshots"][key]["dependencies"]["rxjs"] = "evil@1.0.0"


ATTACKS = (
    another_package_as_a_peer,
    below_its_range,
    project_below_its_range,
    another_package_by_the_name,
    what_nobody_asks_for,
    left_out,
    said_to_be_for_another_system,
    framework_with_another_peer,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_what_nobody_published_is_fatal(
    repository: Repository, attack: Callable[[Content, Repository], None], tmp_path: Path
) -> None:
    """pnpm itself installs each of these."""
    base = tmp_path / "base"
    base.mkdir()
    for name in ("package.json", "pnpm-lock.yaml"):
        (base / name).write_bytes((repository.root / name).read_bytes())
    repository.change("pnpm-lock.yaml", lambda lock: attack(lock, repository))
    repository.run("--frozen-lockfile")
    with ExitStack() as stack:
        _, findings = repository.lay(stack, base)
        assert {each.code for each in findings} == {"lock-out-of-range"}
        assert all(each.severity == "fatal" for each in findings)
        # What the base has already is none of the patch's doing.
        assert repository.lay(stack)[1] == ()


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("pnpm-workspace.yaml", "packages: ['*']", "changes what pnpm installs"),
        (".pnpmfile.cjs", "module.exports = {}", "changes what pnpm installs"),
        (".npmrc", "node-linker=hoisted", "says node-linker"),
        (".npmrc", "shamefully-hoist=true", "says shamefully-hoist"),
        (".npmrc", "auto-install-peers=false", "says auto-install-peers"),
        ("node_modules/x/index.js", "x", ""),
    ],
)
def test_settings_that_change_the_tree(
    repository: Repository, file: str, content: str, why: str
) -> None:
    (repository.root / file).parent.mkdir(parents=True, exist_ok=True)
    (repository.root / file).write_text(content)
    with ExitStack() as stack:
        laid, _ = repository.lay(stack)
    assert isinstance(laid, LaidPackages) if not why else why in str(laid)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"packageManager": "pnpm@8.0.0"}, "names the package manager pnpm@8.0.0"),
        ({"pnpm": {"packageExtensions": {}}}, "pnpm.packageExtensions"),
        ({"pnpm": {"overrides": {"shared": "1.0.0"}}}, "made for other overrides"),
        ({"resolutions": {"shared": "1.0.0"}}, "made for other overrides"),
        ({"dependencies": {"rxjs": "~7.8.0"}}, "made for another package.json"),
        ({"dependenciesMeta": {"rxjs": {"injected": True}}}, "dependenciesMeta"),
        ({"peerDependencies": {"rxjs": "*"}}, "peerDependencies"),
    ],
)
def test_manifests_that_change_the_tree(repository: Repository, change: Content, why: str) -> None:
    repository.change("package.json", lambda manifest: manifest.update(change))
    with ExitStack() as stack:
        laid, _ = repository.lay(stack)
    assert why in str(laid)


def test_a_name_leads_to_no_folder_of_this_machine(repository: Repository) -> None:
    """An attack: a link of the laid tree by the name of a dependency, in the same two files."""
    name = "../../../../elsewhere"

    def depend(manifest: Content) -> None:
        manifest["dependencies"][name] = "npm:shared@~1.0.0"

    def lock_it(lock: Content) -> None:
        needs = lock["importers"]["."]["dependencies"]
        needs[name] = {"specifier": "npm:shared@~1.0.0", "version": "shared@1.0.0"}

    repository.change("package.json", depend)
    repository.change("pnpm-lock.yaml", lock_it)
    with ExitStack() as stack:
        laid, _ = repository.lay(stack)
        assert "elsewhere is no package of the registry" in str(laid)
    assert not list(repository.root.parent.rglob("elsewhere"))


def test_an_override_by_name_counts(repository: Repository) -> None:
    override = {"pnpm": {"overrides": {"shared": "1.0.0"}}}
    repository.change("package.json", lambda manifest: manifest.update(override))
    repository.run("--no-frozen-lockfile", "--lockfile-only")
    repository.run("--frozen-lockfile")
    with ExitStack() as stack:
        laid, findings = repository.lay(stack)
        assert isinstance(laid, LaidPackages), laid
        assert findings == ()
        assert listed(laid.folder) == listed(repository.root / "node_modules")


def test_another_integrity_is_not_laid(repository: Repository) -> None:
    def forge(lock: Content) -> None:
        lock["packages"]["tslib@2.6.2"]["resolution"]["integrity"] = "sha512-AAAA"

    repository.change("pnpm-lock.yaml", forge)
    with ExitStack() as stack:
        assert "another integrity" in str(repository.lay(stack)[0])
