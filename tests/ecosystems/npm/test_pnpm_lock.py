"""pnpm's lock file in npm's form: each package finds what pnpm says it gets."""

from __future__ import annotations

import json

import pytest

from pytest_benchmac.ecosystems.npm import pnpm_lock
from pytest_benchmac.ecosystems.npm.pnpm_lock import PnpmLock
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, Tree
from pytest_benchmac.tracks.angular.integrity.command_lines import by_pnpm, can_install


def npm_form(lock: bytes) -> str:
    return pnpm_lock.npm_form(PnpmLock.parse(lock))


LOCK = """\
lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      app:
        specifier: ^1.0.0
        version: 1.0.0(peer@2.0.0)
      old:
        specifier: npm:shared@1
        version: shared@1.0.0
      peer:
        specifier: ^2.0.0
        version: 2.0.0
packages:
  app@1.0.0:
    resolution: {integrity: sha512-app}
    peerDependencies: {peer: '*'}
  deep@1.0.0:
    resolution: {integrity: sha512-deep}
  peer@2.0.0:
    resolution: {integrity: sha512-peer}
  shared@1.0.0:
    resolution: {integrity: sha512-one}
  shared@2.0.0:
    resolution: {integrity: sha512-two}
  tool-aix@1.0.0:
    resolution: {integrity: sha512-aix}
    os: [aix]
snapshots:
  app@1.0.0(peer@2.0.0):
    dependencies:
      deep: 1.0.0
      peer: 2.0.0
      shared: 2.0.0
    optionalDependencies:
      tool-aix: 1.0.0
  deep@1.0.0:
    dependencies:
      shared: 1.0.0
  peer@2.0.0: {}
  shared@1.0.0: {}
  shared@2.0.0: {}
  tool-aix@1.0.0:
    optional: true
"""


def test_each_package_finds_the_version_that_it_gets() -> None:
    entries = json.loads(npm_form(LOCK.encode()))["packages"]
    versions = {place: entry["version"] for place, entry in entries.items() if place}
    assert versions == {
        "node_modules/app": "1.0.0",
        "node_modules/old": "1.0.0",
        "node_modules/peer": "2.0.0",
        "node_modules/deep": "1.0.0",
        # At the root since it came first; what `deep` asks for is taken there, and lies below it.
        "node_modules/shared": "2.0.0",
        "node_modules/deep/node_modules/shared": "1.0.0",
        "node_modules/tool-aix": "1.0.0",
    }
    assert entries["node_modules/old"]["name"] == "shared"
    assert entries[""]["dependencies"] == {"app": "^1.0.0", "old": "npm:shared@1", "peer": "^2.0.0"}


def test_the_tree_leaves_out_what_is_for_other_systems() -> None:
    tree = Tree.parse(npm_form(LOCK.encode()).encode())
    assert tree.skipped == ("node_modules/tool-aix",)
    assert {each.name for each in tree.packages} == {"app", "deep", "peer", "shared"}
    assert all(each.has_install_script for each in tree.packages)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("'9.0'", "'5.4'"), "not of version"),
        (("  .:\n", "  other: {}\n  .:\n"), "several projects"),
        (("{integrity: sha512-deep}", "{type: git, repo: x, commit: y}"), "not from the registry"),
        (
            ("{integrity: sha512-deep}", "{integrity: sha512-deep, tarball: 'https://x/y.tgz'}"),
            "not from the registry",
        ),
        (("deep: 1.0.0", "deep: file:../deep"), "not from the registry"),
        (("deep: 1.0.0", "'../../etc': 1.0.0"), "is no package"),
        (("importers:", "patchedDependencies: {app: x}\nimporters:"), "has patches"),
        (("importers:", "a: &a [x]\nb: [*a, *a]\nimporters:"), "aliases are not read"),
        (("importers:", "a: !!set {x}\nimporters:"), "tags are not read"),
        (("importers:", f"a: {'[' * 100_000}\nimporters:"), "nested more than"),
        (("importers:", "---\nimporters:"), "2 documents"),
        (("      app:\n", "      ../app:\n"), "is no package"),
        (("      app:\n", "      app: 1\n      app2:\n"), "is not from the registry"),
        (("    optional: true", "    optional: 'false'"), "neither true nor false"),
        (("importers:", "\t}{"), "cannot be read"),
        (("importers:", "catalogs: {}\nimporters:"), "has catalogs"),
        (("importers:", "settings: {autoInstallPeers: false}\nimporters:"), "autoInstallPeers"),
        (("  deep@1.0.0:\n    dep", "  deeper@1.0.0:\n    dep"), "no whole entry"),
        (("  peer@2.0.0: {}\n", "  peer@2.0.0: {}\n  peer@2.0.0: {}\n"), "differently"),
        (("deep: 1.0.0", "node_modules: 1.0.0"), "is no package"),
    ],
)
def test_what_cannot_be_laid_says_why(change: tuple[str, str], why: str) -> None:
    assert change[0] in LOCK
    with pytest.raises(CannotBuildError, match=why):
        npm_form(LOCK.replace(*change, 1).encode())


def test_a_chain_of_versions_is_no_endless_path() -> None:
    """An attack: each version of a package asks for the next, so that places grow as squares."""
    count = 1000
    packages = {f"x@0.0.{n}": {"resolution": {"integrity": "sha512-x"}} for n in range(count)}
    snapshots = {f"x@0.0.{n}": {"dependencies": {"x": f"0.0.{n + 1}"}} for n in range(count)}
    snapshots[f"x@0.0.{count - 1}"] = {}
    asked = {"x": {"specifier": "0.0.0", "version": "0.0.0"}}
    lock = {
        "lockfileVersion": "9.0",
        "importers": {".": {"dependencies": asked}},
        "packages": packages,
        "snapshots": snapshots,
    }
    with pytest.raises(CannotBuildError, match="deep in each other"):
        npm_form(json.dumps(lock).encode())


def test_circles_end() -> None:
    text = LOCK.replace(
        "  shared@1.0.0: {}\n", "  shared@1.0.0:\n    dependencies: {deep: 1.0.0}\n"
    )
    assert "node_modules/deep" in json.loads(npm_form(text.encode()))["packages"]


@pytest.mark.parametrize(
    ("command", "by"),
    [
        ("pnpm install --frozen-lockfile", True),
        ("npx --yes pnpm@9.15.0 install --frozen-lockfile", True),
        ("npx --yes pnpm@latest install --frozen-lockfile", False),
        ("pnpm install", False),
        ("pnpm install --frozen-lockfile --shamefully-hoist", False),
        ("pnpm install --frozen-lockfile && x", False),
        ("npm ci", False),
    ],
)
def test_which_commands_are_pnpm_s(command: str, by: bool) -> None:
    assert by_pnpm(command) == by
    assert can_install(command) == (by or command == "npm ci")
