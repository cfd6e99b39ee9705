"""Forms that are filled once more: limits of made-up fields, choices, and what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

pytestmark = needs_node


@pytest.fixture(scope="module")
def told() -> Any:
    return told_by("forms.mjs")


def _limits(told: Any, name: str) -> list[tuple[Any, Any]]:
    def short(text: str) -> str | int:
        return len(text) if text.startswith("aa") else text

    found = told["limited"][name]
    # Each try takes its time.
    assert found["tries"] < 60
    return [(short(each["last"]), short(each.get("next", ""))) for each in found["limits"]]


def test_limits_are_found_by_trying(told: Any) -> None:
    assert _limits(told, "distance") == [("0.1", "0.0"), ("80.0", "80.1")]
    assert _limits(told, "any") == [("0.25", "0.24")]
    assert _limits(told, "whole") == [("12", "13")]
    assert _limits(told, "notes") == [(280, 281)]
    # Where there is no more room, nothing else can be entered.
    assert _limits(told, "room") == [(40, "")]
    for name in ("free", "refused", "long"):
        assert _limits(told, name) == []


def test_what_is_beyond_a_limit_comes_before_what_is_at_it(told: Any) -> None:
    first, second = told["turns"]
    *beyond, low = first
    assert low == ["0.1", 280]
    assert second == [["80.0", 280]]
    assert len(beyond) == 2
    for values in beyond:
        assert values in (["0.0", "Gulls"], ["80.1", "Gulls"], ["6.2", 281])
    assert told["none"] == []


def test_each_choice_of_the_field_that_has_fewest_is_made(told: Any) -> None:
    assert told["choices"] == [["A", "Sat"], ["A", "Sun"]]


def test_what_the_back_end_answers_is_imported_with_figures_as_texts(told: Any) -> None:
    assert told["imports"] == ['[{"id":1,"km":"4"}]']


def test_links_lead_below_the_page_then_to_the_first_and_to_main_ones(told: Any) -> None:
    assert told["led"] == ["/plan/gear", "/", "/about", "/boats/7", None]
