"""Tracks are found by entry points of whatever package brings them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import TrackError
from pytest_benchmac.tracks import registry
from pytest_benchmac.tracks.registry import get_stage, get_track, track_names

TRACK = """\
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.patch import PatchStage
from pytest_benchmac.tracks.protocol import Track


class Late(PatchStage):
    name = "late"
    needs = ({needs!r},)


class Other(Track):
    name = "other"
    version = 1
    instance_type = Instance
    all_stages = (PatchStage(), Late())
    metrics = {{"works": Metric({stage!r})}}

    def base_recipe(self, instance, kind=None):
        return BaseRecipe(reference=None, apt_packages=())

    def extras(self):
        return None


track = Other()
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a distribution that registers the track `other`."""

    def forget() -> None:
        registry._registered.cache_clear()
        get_track.cache_clear()
        for name in [each for each in sys.modules if each.startswith("other_track")]:
            del sys.modules[name]

    def make(
        package: str = "other_track",
        *,
        value: str = "{package}:track",
        needs: str = "patch",
        stage: str = "late",
    ) -> None:
        folder = tmp_path / package
        folder.mkdir()
        (folder / f"{package}.py").write_text(TRACK.format(needs=needs, stage=stage))
        info = folder / f"{package}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
        entry = f"other = {value.format(package=package)}\n"
        (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{entry}")
        monkeypatch.syspath_prepend(folder)
        forget()

    yield make
    forget()


def test_a_package_of_its_own_adds_a_track(install: Install) -> None:
    before = track_names()
    install()
    assert set(track_names()) == {*before, "other"}
    assert get_track("other").name == "other"
    assert get_stage("other", "late").needs == ("patch",)


def test_a_name_that_nobody_registers_is_told_with_those_there_are() -> None:
    with pytest.raises(TrackError, match=r"no track .othr. is installed; there are: .*angular"):
        get_track("othr")


def test_a_stage_that_the_track_has_not_is_told_with_those_there_are(install: Install) -> None:
    install()
    with pytest.raises(TrackError, match="no stage 'build'; it has: patch, late"):
        get_stage("other", "build")


def test_two_packages_of_one_name_are_refused(install: Install) -> None:
    install()
    install("other_track_too")
    with pytest.raises(TrackError, match="two packages register the track 'other'"):
        track_names()


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"value": "no_such_module:track"}, "cannot be imported: No module named"),
        ({"value": "{package}:nothing"}, "cannot be imported"),
        ({"value": "{package}:TRACK_NAME"}, "cannot be imported"),
        ({"value": "{package}:Other"}, "is none"),
        ({"needs": "build"}, "late needs build"),
        ({"needs": "late"}, "late needs late"),
        ({"stage": "build"}, "works is of build"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_track_says_what_is_wrong(
    install: Install, broken: dict[str, str], said: str
) -> None:
    install(**broken)
    with pytest.raises(TrackError, match=said):
        get_track("other")
