"""Conditions of a boot: drawn from a seed, plausible, and saying nothing of it."""

import re
from datetime import UTC, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.model.settings import SEEDS
from pytest_benchmac.tracks.angular.boot.conditions import WALKERS, WALKS, chance, draw
from pytest_benchmac.tracks.angular.boot.config import Boot

BOOT = Boot.model_validate({"root": "x", "min_tree_similarity": 0.5, "routes": ({"path": "/"},)})
SEED = st.integers(0, SEEDS - 1)


@given(SEED)
def test_the_same_seed_draws_the_same(seed: int) -> None:
    assert draw(seed, BOOT, ()) == draw(seed, BOOT, ())


def test_other_seeds_draw_otherwise() -> None:
    drawn = [draw(seed, BOOT, ()) for seed in range(20)]
    for name in ("origin", "now", "viewport", "random"):
        assert len({getattr(each, name) for each in drawn}) > 10


@given(SEED)
def test_conditions_are_those_of_an_ordinary_visit(seed: int) -> None:
    drawn = draw(seed, BOOT, ())
    moment = datetime.fromtimestamp(drawn.now / 1000, UTC)
    assert 9 <= moment.hour <= 16
    assert moment.second < 10
    assert drawn.origin.startswith("https://")
    assert all(0 <= new - old <= 64 for new, old in zip(drawn.viewport, BOOT.viewport, strict=True))


@given(SEED)
def test_plain_ones_are_as_declared(seed: int) -> None:
    drawn = draw(seed, BOOT, (), plain=True)
    assert (drawn.viewport, drawn.locale, drawn.timezone) == (BOOT.viewport, "en-US", "UTC")
    assert drawn.now == draw(seed, BOOT, ()).now


def test_a_page_that_asks_plain_http_is_one_that_may() -> None:
    asked = ("http://api.example/things",)
    assert draw(1, BOOT, asked).origin.startswith("http://localhost:")
    assert draw(1, BOOT, ("http://localhost:3000/api",)).origin.startswith("https://")


def test_purposes_have_numbers_of_their_own() -> None:
    assert chance(1, "a").random() != chance(1, "b").random()
    assert chance(1, "a").random() == chance(1, "a").random()


@given(SEED)
def test_every_kind_of_visitor_comes_under_every_seed(seed: int) -> None:
    visitors = draw(seed, BOOT, ()).visitors
    assert len(visitors) == WALKS
    hours = [_offset_h(each.timezone) for each in visitors]
    assert min(hours) < -1
    assert max(hours) > 5
    assert any(hour % 1 for hour in hours)
    walkers = visitors[:WALKERS]
    assert {each.color_scheme for each in walkers} == {"light", "dark"}
    assert max(each.pixel_ratio for each in walkers) == 2
    assert {bool(each.referrer) for each in walkers} == {True, False}
    assert any(not each.locale.startswith("en") for each in visitors)
    assert {bool(each.languages) for each in visitors} == {True, False}
    assert sum(each.opened for each in walkers) == 2
    assert sorted(each.maker for each in visitors if each.maker) == ["firefox", "safari"]


@given(SEED)
def test_control_visits_have_a_browser_of_another_maker_and_one_engine_is_older(seed: int) -> None:
    drawn = draw(seed, BOOT, ())
    computer, telephone = (each.maker for each in drawn.controls)
    assert computer in {"firefox", None}
    assert telephone in {"safari", None}
    assert computer or telephone
    assert drawn.older != drawn.older_controls
    plain = draw(seed, BOOT, (), plain=True)
    assert not plain.controls
    assert {plain.older, plain.older_controls} == {False}


def _offset_h(zone: str) -> float:
    offset = datetime(2025, 6, 1, tzinfo=ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return offset.total_seconds() / 3600


def test_windows_lie_on_their_screens() -> None:
    drawn = [draw(seed, BOOT, ()) for seed in range(60)]
    corners = [who.corner for each in drawn for who in (each, *each.visitors, *each.controls)]
    # Of a telephone's window, upright and across; outside, a browser makes no frames.
    assert {True} == {left < 340 and top < 340 for left, top in corners}
    assert max(left for left, _ in corners) > 200


def test_nobody_foresees_which_visitor_walks_where() -> None:
    drawn = [draw(seed, BOOT, ()).visitors for seed in range(30)]
    assert len({tuple(each.color_scheme for each in visitors) for visitors in drawn}) > 5
    assert len({tuple(each.timezone for each in visitors) for visitors in drawn}) > 20


def test_under_plain_conditions_visitors_are_those_of_declared_pages() -> None:
    assert draw(1, BOOT, (), plain=True).visitors == ()


def test_visitors_come_from_all_the_world() -> None:
    drawn = [draw(seed, BOOT, ()) for seed in range(60)]
    comers = [each for it in drawn for each in (*it.visitors, *it.controls)]
    zones = {each.timezone for each in comers}
    assert len(zones) > 100
    assert {"Europe", "America", "Asia", "Africa", "Pacific"} <= {z.split("/")[0] for z in zones}
    assert len({each.locale for each in comers}) > 40
    assert all(_offset_h(each) is not None for each in zones)


def test_names_of_hosts_have_no_pattern_of_their_own() -> None:
    hosts = [urlsplit(draw(seed, BOOT, ()).origin).hostname or "" for seed in range(200)]
    labels = [label for host in hosts for label in host.split(".")]
    assert len(set(hosts)) == len(hosts)
    assert any("-" in label for label in labels)
    assert any(re.search(r"\d", label) for label in labels)
    # Letters in any order, and words.
    assert any(re.search(r"[^aeiouy\W\d]{4}", label) for label in labels)
    assert any(re.fullmatch(r"(forest|river|stone|cloud).*", label) for label in labels)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", label) for label in labels)
