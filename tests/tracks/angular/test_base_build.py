"""The base's build is kept in the facts, all that pages ask for as it was."""

from __future__ import annotations

import json
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

FILES = {"main.js": b"run();\r\n", "logo.png": bytes(range(256)), "empty": b""}


@dataclass
class Place:
    """The part of a context that keeps and loads builds."""

    scratch: Path
    baseline_facts: BaselineFacts = field(default_factory=dict)

    @property
    def context(self) -> StageContext[Instance]:
        return cast(StageContext[Instance], self)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name in ("scratch", "built/dist/app"):
        (tmp_path / name).mkdir(parents=True)
    for name, content in {**FILES, "main.js.map": b"{}"}.items():
        (tmp_path / "built/dist/app" / name).write_bytes(content)
    made = Place(tmp_path / "scratch")
    made.baseline_facts = json.loads(json.dumps(BaseBuild.keep(tmp_path / "built", BILL)))
    return made


def test_what_was_kept_is_there_again(place: Place) -> None:
    for _ in range(2):
        loaded = BaseBuild.load(place.context)
        assert loaded is not None
        app = loaded.folder / "dist/app"
        assert {file.name: file.read_bytes() for file in app.iterdir()} == FILES
        assert loaded.bill == BILL == BaseBuild.bill_of(place.baseline_facts)


def test_the_untouched_base_has_none(place: Place) -> None:
    place.baseline_facts = {}
    assert BaseBuild.load(place.context) is None
    assert BaseBuild.bill_of({}) is None


@pytest.mark.parametrize("facts", [{"build": 1}, {"build": {"texts": {}}}])
def test_facts_of_no_use(place: Place, facts: dict[str, Any]) -> None:
    place.baseline_facts = facts
    with pytest.raises(BaselineError):
        BaseBuild.load(place.context)
