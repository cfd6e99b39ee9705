"""What engines keep can be listed and removed."""

import dataclasses
import subprocess
import time
import uuid
from pathlib import Path

import docker
import pytest

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import StoredImage
from pytest_benchmac.sandbox.kept import list_images, remove_images
from pytest_benchmac.sandbox.select import engine
from tests.engines import require
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, make_instance, prepare


@pytest.fixture
def small(settings: Settings, tmp_path: Path) -> Settings:
    """A cache with the machine's bases, and without the million files that packages may be."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder in ("systems", "bases", "rootfs"):
        (settings.cache / folder).mkdir(parents=True, exist_ok=True)
        (cache / folder).symlink_to(settings.cache / folder)
    return dataclasses.replace(settings, cache=cache)


def test_what_is_kept_can_be_listed_and_removed(
    engine_name: str, small: Settings, tmp_path: Path
) -> None:
    instance = make_instance(tmp_path, {"file": f"{time.time_ns()}"})
    prepared = prepare(instance, RECIPE, engine_name, small)
    listed = {each.name: each for each in list_images(small)}
    kinds = {each.kind for each in listed.values()}
    project = listed[str(prepared.project.relative_to(small.cache))]
    assert project.bytes == prepared.project.stat().st_size
    assert {"system", "base tar", "project"} <= kinds
    mine = [project]
    if engine_name == "docker":
        assert prepared.docker_id is not None
        (tag,) = docker.from_env().images.get(prepared.docker_id).tags
        assert tag.startswith(f"{prepared.tag}-")
        assert listed[tag].instance == "tiny"
        mine.append(listed[tag])
    else:
        assert "rootfs" in kinds
    remove_images(small, mine)
    left = {each.name for each in list_images(small)}
    names = {each.name for each in mine}
    assert left.isdisjoint(names)
    # What it was made of stays. Of all else, other sessions may write and remove meanwhile.
    assert {name for name, each in listed.items() if each.kind == "base tar"} <= left
    # And it is simply made again.
    assert prepare(instance, RECIPE, engine_name, small).tag == prepared.tag
    remove_images(small, mine)


def test_a_root_file_system_in_use_stays(settings: Settings, tmp_path: Path) -> None:
    """Without it every command ends with 127, and that would be the submission's failure."""
    require("bubblewrap", settings)
    image = prepare(make_instance(tmp_path, {"file": "x"}), RECIPE, "bubblewrap", settings)
    assert image.rootfs is not None
    # Not the machine's own: this one is to be removed in the end.
    name = f"rootfs/test-{uuid.uuid4().hex}"
    copy = settings.cache / name
    subprocess.run(["cp", "-al", str(image.rootfs), str(copy)], check=True)
    mine = dataclasses.replace(image, rootfs=copy)
    bubblewrap = engine("bubblewrap", settings.cache)
    stored = [StoredImage("rootfs", name, 0)]
    with bubblewrap.sandbox(mine, limits=LIMITS, network=OPEN, label="test") as sandbox:
        bubblewrap.remove(stored)
        done = sandbox.run("true", timeout_s=20, log=tmp_path / "log")
        assert done.exit_code == 0
    bubblewrap.remove(stored)
    assert not copy.exists()
    gone = bubblewrap.sandbox(mine, limits=LIMITS, network=OPEN, label="test")
    with pytest.raises(SandboxError, match="was removed meanwhile"), gone:
        pass
    copy.with_name(f"{copy.name}.used").unlink()
