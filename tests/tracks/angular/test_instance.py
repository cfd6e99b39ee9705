"""What an Angular instance's file may say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instance, packaged_instances
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.angular.instance import AngularInstance

NAME = "gothinkster__angular-realworld-example-app_v16_to_v17"


def changed(folder: Path, old: str, new: str) -> Path:
    """A copy of a packaged instance's file with one change."""
    file = Path(shutil.copytree(packaged_instances() / NAME, folder / NAME)) / "instance.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    return file


def test_timeouts_have_defaults(tmp_path: Path) -> None:
    instance = load_instance(changed(tmp_path, "[silver]", "[timeouts]\nbuild = 300\n[silver]"))
    assert isinstance(instance, AngularInstance)
    assert instance.environment.node == "18.20.8"
    assert instance.timeouts.model_dump() == {
        "patch": 60.0,
        "install": 600.0,
        "version": 60.0,
        "build": 300.0,
        "boot": 300.0,
        "test": 600.0,
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('npm = "10.8.2"', "", "key `environment.npm` is missing"),
        ('node = "18.20.8"', 'node = "^18"', r"`environment.node` = '\^18'"),
        ('npm = "10.8.2"', 'npm = "10.8"', "`environment.npm` = '10.8'"),
        (
            'source_version = "16.2.11"',
            'source_version = "16"',
            "`migration.source_version` = '16'\n.*an exact version, such as",
        ),
    ],
)
def test_versions_are_exact(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        load_instance(changed(tmp_path, old, new))


def test_named_builders_decide_and_none_leave_the_digest_as_it_was(tmp_path: Path) -> None:
    """Facts that instances ship were learnt when there was no such key."""
    kinds = {
        "none": "[integrity]\nbuilders = []\n[silver]",
        "one": '[integrity]\nbuilders = ["@scope/tools:application"]\n[silver]',
    }
    loaded = {
        name: load_instance(changed(tmp_path / name, "[silver]", new))
        for name, new in kinds.items()
    }
    plain = load_instance(packaged_instances() / NAME / "instance.toml")
    assert loaded["none"].definition_sha256 == plain.definition_sha256
    assert loaded["one"].definition_sha256 != plain.definition_sha256


@pytest.mark.parametrize("builder", ["./tools:noop", "application", "../x/y:z", "@a/b"])
def test_a_named_builder_is_a_package_s(tmp_path: Path, builder: str) -> None:
    new = f'[integrity]\nbuilders = ["{builder}"]\n[silver]'
    with pytest.raises(InstanceError, match="a builder of an npm package"):
        load_instance(changed(tmp_path, "[silver]", new))
