"""The leak check, on repositories that really leak."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.cli.validate import history_leaks
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.files.archives import unpack
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import NetworkAttachment, PreparedImage
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.registry import get_track

COMMIT = "git -c user.name=x -c user.email=x@localhost commit --quiet --allow-empty --message"

#: What an image could come to hold -> what the check has to call it.
LEAKS = {
    f"{COMMIT} upstream && git tag -f baseline": "does not name a commit of that",
    f"{COMMIT} baseline && git tag -f baseline": "commits: ",
    f"git checkout -q -b topic && {COMMIT} more": "commits that references name: ",
    "echo secret | git hash-object -w --stdin": "unreachable objects: unreachable blob",
    "git remote add upstream /nowhere": "remotes: remote.upstream.url",
    "touch .git/FETCH_HEAD": "ties to other repositories: FETCH_HEAD",
    "echo new > untracked": "files that are not the commit's: ?? untracked",
    "git tag -d baseline": "does not name a commit",
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        reports=tmp_path / "reports", sandbox="local", network="open", cache=tmp_path / "cache"
    )


@pytest.fixture
def image(write_instance: Callable[..., Path], settings: Settings) -> PreparedImage:
    instance = load_instance(write_instance() / "instance.toml")
    recipe = get_track(instance.track).base_recipe(instance)
    engine, _ = select_engine("local", settings)
    return engine.prepare(recipe, make_project(instance, settings))


def leaks(image: PreparedImage, settings: Settings, tmp_path: Path) -> list[str]:
    engine, _ = select_engine("local", settings)
    network = NetworkAttachment(policy="open")
    with engine.sandbox(image, limits=settings.limits, network=network, label="test") as sandbox:
        return list(history_leaks(sandbox, tmp_path / "history.log"))


def test_our_own_images_leak_nothing(
    image: PreparedImage, settings: Settings, tmp_path: Path
) -> None:
    assert leaks(image, settings, tmp_path) == []


@pytest.mark.parametrize("command", LEAKS)
def test_a_leak_is_named(
    command: str, image: PreparedImage, settings: Settings, tmp_path: Path
) -> None:
    unpacked, tampered = tmp_path / "unpacked", tmp_path / "tampered.tar"
    unpacked.mkdir()
    unpack(image.project, unpacked, keep_owners=False)
    # git refuses to work in a repository of somebody else's.
    script = f"chown -R $(id -u) . && cd project && {command}"
    subprocess.run(["sh", "-c", script], cwd=unpacked, check=True, capture_output=True)
    with tarfile.open(tampered, "w") as tar:
        for part in ("project", "home", "inbox"):
            tar.add(unpacked / part, arcname=part)
    found = leaks(replace(image, project=tampered), settings, tmp_path)
    assert any(LEAKS[command] in leak for leak in found), found
