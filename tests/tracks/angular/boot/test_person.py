"""How pages are scrolled, where their frames are late."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

pytestmark = needs_node


@pytest.fixture(scope="module")
def turned() -> dict[str, Any]:
    """What a page has taken when a turn of the wheel, or of a finger, is over."""
    found: dict[str, Any] = told_by("person.mjs")
    return found


@pytest.mark.parametrize("by", ["finger", "wheel"])
def test_a_turn_is_over_once_the_page_has_taken_it(turned: dict[str, Any], by: str) -> None:
    """What moves a page later moves it under the next click."""
    assert len(turned[by]["taken"]) == turned[by]["sent"] > 0


def test_a_finger_touches_moves_and_leaves(turned: dict[str, Any]) -> None:
    first, *moves, last = turned["finger"]["taken"]
    assert (first, last) == ("touchStart", "touchEnd")
    assert set(moves) == {"touchMove"}
