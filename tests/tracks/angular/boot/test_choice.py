"""What walks do next on a page, of what it offers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

pytestmark = needs_node


@pytest.fixture(scope="module")
def chosen() -> dict[str, Any]:
    """What is chosen with many keys."""
    found: dict[str, Any] = told_by("choices.mjs")
    return found


def test_an_area_of_text_gets_what_the_back_end_answers_and_its_button_is_pressed(
    chosen: dict[str, Any],
) -> None:
    values: list[set[str]] = [set(), set(), set()]
    for area in chosen["areas"]:
        # With something else it is still to be tried.
        assert area["left"] == ["/boats"]
        assert area["untried"]
        for step, seen in zip(area["steps"], values, strict=True):
            assert (step["kind"], step["click"]["name"]) == ("form", "Import")
            seen.add(step["fill"][0]["value"])
    texts = {'[{"id": 1}]', '[{"id": 2}]'}
    # Nobody foresees which, nor whether it gets one the third time.
    assert values[0] == texts
    assert not values[1] & texts
    assert texts < values[2]


def test_a_form_with_a_button_is_sent_by_the_enter_key_first_and_sometimes_later(
    chosen: dict[str, Any],
) -> None:
    by_enter = [[form["enter"] == "Name" for form in forms] for forms in chosen["forms"]]
    assert all(first for first, *_ in by_enter)
    assert {each for _, *later in by_enter for each in later} == {False, True}
    sent = {(form["click"], form["enter"]) for forms in chosen["forms"] for form in forms}
    assert sent == {("", "Name"), ("Send", "")}


def test_days_that_are_entered_are_of_these_years_as_well(chosen: dict[str, Any]) -> None:
    days = [form["fill"][1]["value"] for forms in chosen["forms"] for form in forms]
    assert {day[:4] for day in days} == {"2024", "2025", "2026", "2027"}


def test_the_first_field_is_entered_by_pointer_and_some_later(chosen: dict[str, Any]) -> None:
    pointed = [[form["fill"][0]["pointed"] for form in forms] for forms in chosen["forms"]]
    assert all(first for first, *_ in pointed)
    assert {False, True} == {each for _, *later in pointed for each in later}
