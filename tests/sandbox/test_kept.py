"""What engines keep can be listed and removed."""

import time
from pathlib import Path

from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.kept import list_images, remove_images
from tests.sandbox.tiny import RECIPE, make_instance, prepare


def test_what_is_kept_can_be_listed_and_removed(
    engine_name: str, settings: Settings, tmp_path: Path
) -> None:
    instance = make_instance(tmp_path, {"file": f"{time.time_ns()}"})
    prepared = prepare(instance, RECIPE, engine_name, settings)
    listed = {each.name: each for each in list_images(settings)}
    kinds = {each.kind for each in listed.values()}
    project = listed[str(prepared.project.relative_to(settings.cache))]
    assert project.bytes == prepared.project.stat().st_size
    assert {"system", "base tar", "project"} <= kinds
    mine = [project]
    if engine_name == "docker":
        assert listed[prepared.tag].instance == "tiny"
        mine.append(listed[prepared.tag])
    else:
        assert "rootfs" in kinds
    remove_images(settings, mine)
    left = {each.name for each in list_images(settings)}
    assert left == set(listed) - {each.name for each in mine}
    # And it is simply made again.
    assert prepare(instance, RECIPE, engine_name, settings).tag == prepared.tag
    remove_images(settings, mine)
