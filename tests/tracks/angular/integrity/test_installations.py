"""What the clean room installed is kept, and found out where it is not what it was."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import SandboxName
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.installations import _KEPT, Installation
from tests.tracks.angular.integrity.rooms import clean_room

LEFT_PAD = {"version": "1.3.0", "integrity": "sha512-x"}


@pytest.fixture(params=["docker", "bubblewrap"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CleanRoom]:
    name: SandboxName = request.param
    with clean_room(name, tmp_path) as room:
        yield room


def installation(
    tree: Path, cache: Path, entry: object = LEFT_PAD, path: str = "node_modules/left-pad"
) -> Installation:
    """Of a project with one package."""
    tree.mkdir(exist_ok=True)
    manifest = {"name": "app", "version": "1.0.0", "dependencies": {"left-pad": "1.3.0"}}
    (tree / "package.json").write_text(json.dumps(manifest))
    packages = {"": manifest, path: entry}
    (tree / "package-lock.json").write_text(
        json.dumps({"name": "app", "lockfileVersion": 3, "packages": packages})
    )
    return of(tree, cache)


def of(tree: Path, cache: Path, **other: str) -> Installation:
    scanned = SourceTree.scan(tree)
    words = ["npm", "ci", "--ignore-scripts"]
    return Installation.of(cache, scanned, "instance", words, other)


def run(room: CleanRoom, command: str) -> bytes:
    done = room.run("test", command, timeout_s=30, capture_bytes=4096)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_what_was_kept_comes_back(room: CleanRoom, tmp_path: Path) -> None:
    kept = installation(tmp_path / "tree", tmp_path / "cache")
    with kept.alone():
        assert not kept.restore(room)
        run(room, "mkdir -p node_modules/.bin node_modules/left-pad")
        run(room, "echo 1 > node_modules/left-pad/cli.js; chmod 755 node_modules/left-pad/cli.js")
        run(room, "ln -s ../left-pad/cli.js node_modules/.bin/left-pad")
        before = room.packages()
        kept.keep(room)
    run(room, "rm -rf node_modules")
    again = of(tmp_path / "tree", tmp_path / "cache")
    with again.alone():
        assert again.restore(room)
    assert room.packages() == before
    assert run(room, "test -x node_modules/.bin/left-pad && id -u && stat -c %u node_modules") == (
        b"1000\n1000\n"
    )
    assert run(room, f"stat -c %s {room.sandbox.inbox}/packed.tar") == b"0\n"
    assert run(room, f"ls -A {room.sandbox.home}").split().count(b"packed.tar") == 0


def test_what_cannot_be_unpacked_is_forgotten(room: CleanRoom, tmp_path: Path) -> None:
    kept = installation(tmp_path / "tree", tmp_path / "cache")
    with kept.alone():
        run(room, "mkdir -p node_modules/left-pad && echo 1 > node_modules/left-pad/a.js")
        kept.keep(room)
        (archive,) = (tmp_path / "cache").glob("*.tar")
        archive.write_bytes(b"\xff" * 4096)
        run(room, "rm -rf node_modules")
        assert not kept.restore(room)
    assert not archive.exists()
    run(room, "! test -e node_modules")


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("node_modules/left-pad", {"resolved": "libs/left-pad", "link": True}),
        ("node_modules/left-pad", {**LEFT_PAD, "resolved": "file:left-pad.tgz"}),
        ("node_modules/left-pad", {**LEFT_PAD, "resolved": "git+ssh://git@host/a.git#1"}),
        ("libs/left-pad", {"name": "left-pad", "version": "1.3.0"}),
    ],
)
def test_what_depends_on_more_than_the_registry_is_not_kept(
    path: str, entry: object, tmp_path: Path
) -> None:
    assert installation(tmp_path / "tree", tmp_path, entry, path)._archive is None


def test_a_shrinkwrap_file_is_another_lock_file(tmp_path: Path) -> None:
    assert installation(tmp_path / "tree", tmp_path)._archive is not None
    (tmp_path / "tree/npm-shrinkwrap.json").write_text("{}")
    assert of(tmp_path / "tree", tmp_path)._archive is None


def test_nothing_is_kept_of_a_tree_without_lock_file(tmp_path: Path) -> None:
    installation(tmp_path / "tree", tmp_path)
    (tmp_path / "tree/package-lock.json").unlink()
    assert of(tmp_path / "tree", tmp_path)._archive is None


def test_whatever_decides_an_installation_is_in_its_name(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    first = installation(tree, tmp_path)._archive
    assert of(tree, tmp_path)._archive == first
    others = {of(tree, tmp_path, npm_config_omit="dev")._archive}
    others.add(installation(tree, tmp_path, {**LEFT_PAD, "integrity": "sha512-y"})._archive)
    (tree / "package.json").write_text('{"overrides": {}}')
    others.add(of(tree, tmp_path)._archive)
    assert len(others | {first}) == 4


def test_the_latest_used_archives_are_kept(tmp_path: Path) -> None:
    kept = installation(tmp_path / "tree", tmp_path)
    for number in range(_KEPT + 3):
        archive = tmp_path / f"{number}.tar"
        archive.touch()
        os.utime(archive, (number, number))
    kept._make_room()
    left = {int(archive.stem) for archive in tmp_path.glob("*.tar")}
    assert left == set(range(3, _KEPT + 3))
