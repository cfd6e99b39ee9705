"""The base's build is kept by content, and verified when it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.angular.base_build import BaseBuild
from pytest_benchmac.tracks.angular.integrity.bill import Bill, BilledScript
from pytest_benchmac.tracks.protocol import StageContext

BILL = Bill(scripts={"main.js": BilledScript(sha256="a" * 64, inputs={"src/main.ts": 3})})


@dataclass
class Place:
    """The part of a context that keeps and loads builds."""

    cache: Path
    scratch: Path
    baseline_facts: BaselineFacts = field(default_factory=dict)

    @property
    def context(self) -> StageContext[Instance]:
        return cast(StageContext[Instance], self)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name in ("cache", "scratch", "built/dist/app"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "built/dist/app/main.js").write_text("run();")
    made = Place(tmp_path / "cache", tmp_path / "scratch")
    made.baseline_facts = BaseBuild.keep(made.context, tmp_path / "built", BILL)
    return made


def test_what_was_kept_is_there_again(place: Place) -> None:
    for _ in range(2):
        loaded = BaseBuild.load(place.context)
        assert loaded is not None
        assert (loaded.folder / "dist/app/main.js").read_text() == "run();"
        assert loaded.bill == BILL == BaseBuild.bill_of(place.baseline_facts)


def test_the_untouched_base_has_none(place: Place) -> None:
    place.baseline_facts = {}
    assert BaseBuild.load(place.context) is None
    assert BaseBuild.bill_of({}) is None


def test_an_archive_that_changed_or_is_gone_is_no_build(place: Place) -> None:
    (archive,) = (place.cache / "base_builds").iterdir()
    archive.write_bytes(archive.read_bytes().replace(b"run();", b"lie();"))
    with pytest.raises(BaselineError, match="has changed"):
        BaseBuild.load(place.context)
    archive.unlink()
    with pytest.raises(BaselineError, match="facts"):
        BaseBuild.load(place.context)


@pytest.mark.parametrize("facts", [{"build": 1}, {"build": {"sha256": "../x"}}])
def test_facts_of_no_use(place: Place, facts: dict[str, Any]) -> None:
    place.baseline_facts = facts
    with pytest.raises(BaselineError):
        BaseBuild.load(place.context)
