"""Which texts a back end answers, as declared and as varied."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.tracks.angular.boot.answered import answered_texts
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.config import Boot, BootFixture, Route
from pytest_benchmac.tracks.angular.boot.site import Site

_TRAILS = [
    {"id": 1, "name": "Round the  harbour", "tags": ["coast"], "rating": 4},
    {"id": 2, "name": "Over the pass", "tags": ["draft"], "rating": 5},
]
_BOOT = Boot(
    root="app-root",
    routes=(Route(path="/"),),
    fixtures=(BootFixture(urls=("https://api.example.org/trails",), body=json.dumps(_TRAILS)),),
    walk_fixtures=(BootFixture(urls=("https://api.example.org/text",), body='"Signed in"'),),
    min_tree_similarity=0.8,
)
_SHARED = (
    HttpFixture(
        url="https://api.example.org/user",
        content_type="application/json",
        body=json.dumps({"name": "Ada"}),
    ),
    HttpFixture(url="https://api.example.org/page", content_type="text/html", body="<p>Hello</p>"),
)


def test_every_text_in_json_is_one() -> None:
    assert answered_texts(_BOOT, _SHARED) == {
        *("Round the harbour", "Over the pass", "coast", "draft"),
        *("Signed in", "Ada"),
    }


def test_what_is_looked_for_is_what_nobody_could_know(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text("const state = 'draft';")
    plan = BootPlan(
        boot=_BOOT,
        fixtures=_SHARED,
        directory=tmp_path,
        timeout_s=60.0,
        seed=5,
        base=Site(tmp_path, ["main.js"]),
    )
    declared = answered_texts(_BOOT, _SHARED)
    assert plan.answered
    assert not plan.answered & declared
    # What a script may mean stays, and is looked for no more than what is declared.
    assert "draft" in answered_texts(*plan.data)
    alone = BootPlan(boot=_BOOT, fixtures=_SHARED, directory=tmp_path, timeout_s=60.0, seed=5)
    assert alone.answered == frozenset()
