"""What walks do next on a page, of what it offers."""

from __future__ import annotations

import json
import unicodedata
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
        assert area["untried"] == ["Sort", "Boats as JSON", "Import", "Undo"]
        for step, seen in zip(area["steps"], values, strict=True):
            assert (step["kind"], step["click"]["name"]) == ("form", "Import")
            seen.add("".join(step["fill"][0]["value"].split()))
    texts = {'[{"id":1}]', '[{"id":2}]'}
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


def test_lines_that_are_entered_are_long_every_other_time(chosen: dict[str, Any]) -> None:
    for first, second, *_ in chosen["forms"]:
        lengths = [len(form["fill"][0]["value"].strip()) for form in (first, second)]
        assert 50 < lengths[0] <= 76
        assert lengths[1] <= 40


def test_lines_that_are_entered_come_in_several_scripts(chosen: dict[str, Any]) -> None:
    lines = [form["fill"][0]["value"] for forms in chosen["forms"] for form in forms]
    letters = {letter for line in lines for letter in line if letter.isalpha()}
    scripts = {unicodedata.name(letter).split()[0] for letter in letters}
    assert scripts == {"LATIN", "CYRILLIC", "GREEK", "HEBREW", "ARABIC", "CJK"}


def test_days_that_are_entered_are_of_these_years_as_well(chosen: dict[str, Any]) -> None:
    days = [form["fill"][1]["value"] for forms in chosen["forms"] for form in forms]
    assert {day[:4] for day in days} == {"2024", "2025", "2026", "2027"}


def test_the_first_field_is_entered_by_pointer_and_some_later(chosen: dict[str, Any]) -> None:
    pointed = [[form["fill"][0]["pointed"] for form in forms] for forms in chosen["forms"]]
    assert all(first for first, *_ in pointed)
    assert {False, True} == {each for _, *later in pointed for each in later}


_OWN = {"Day": "2025-01-11", "Start": "10:00", "End": "12:00", "Distance": "6.2", "Bags": "3"}


def _minutes(filled: dict[str, str]) -> int:
    start, end = (
        60 * int(hour) + int(minute)
        for hour, minute in (filled[name].split(":") for name in ("Start", "End"))
    )
    return end - start


def test_larger_numbers_than_the_instance_has_are_entered_first(chosen: dict[str, Any]) -> None:
    first = [tries[0] for tries in (*chosen["taken"], *chosen["refused"])]
    distances = {each["Distance"] for each in first}
    assert all(12.4 <= float(each) <= 62 and each[-2] == "." for each in distances)
    # Nobody foresees them.
    assert len(distances) > 20
    assert max(map(float, distances)) > 50
    # As far as fields take them, and what a form may want to be in proportion.
    assert {each["Bags"] for each in first} == {"7", "9"}
    assert {each["Seats"] for each in first} == {"4"}
    assert {each["Dogs"] for each in first} == {"4", "5"}
    assert all(_minutes(each) >= 11 * 60 for each in first)
    assert {each["Day"] for each in first} == {_OWN["Day"]}


def test_longer_lines_than_the_words_of_the_instance_are_entered_first(
    chosen: dict[str, Any],
) -> None:
    for first, second, third in chosen["refused"]:
        assert 50 < len(first["With"].strip()) <= 76
        assert second["With"] == "Ada, Ben"
        assert third["With"] != "Ada, Ben"
        # What is no word may be one that a form asks for.
        assert first["Code"] == "AB-12"
    assert all(first["Code"] == "AB-12" for first, *_ in chosen["taken"])


def test_the_numbers_of_the_instance_are_entered_next(chosen: dict[str, Any]) -> None:
    # All that it has, where the form has refused larger ones.
    for _, second, third in chosen["refused"]:
        assert {name: second[name] for name in _OWN} == _OWN
        assert third["Distance"] != _OWN["Distance"]
    # Where it has not, beside what is spoilt: nothing else is refused then.
    spoilt = [
        [name for name in ("Start", "End", "Distance", "Bags") if second[name] != _OWN[name]]
        for _, second, _ in chosen["taken"]
    ]
    assert {len(each) for each in spoilt} == {0, 1, 4}
    assert {second["Day"] for _, second, _ in chosen["taken"]} > {"1899-12-31", "2999-12-31"}


def test_a_search_is_for_words_of_the_links_further_down_and_for_their_beginnings(
    chosen: dict[str, Any],
) -> None:
    entered = [each["above"] for each in chosen["looked"]]
    above = [each.strip() for each in entered]
    shown = [each for each in above if "Tern of".startswith(each) or "Burra".startswith(each)]
    # As much of them as somebody has typed so far.
    assert {"Tern of", "Tern", "Burra", "Burr", "Bur", "Ter"} == set(shown)
    # Others are made up, so that it finds nothing.
    assert len(above) / 2 < len(shown) < len(above)
    assert not {each["below"] for each in chosen["looked"]} & {"Tern", "Burra"}


def test_what_is_looked_for_has_a_blank_at_an_end_first(chosen: dict[str, Any]) -> None:
    blanks = {
        (each["above"][0] == " ", each["above"][-1] == " ")
        for each in chosen["looked"]
        if each["above"].strip() in {"Tern", "Burra"}
    }
    assert blanks == {(False, True), (True, False), (True, True)}
    # Of what is made up, some has one.
    made = [form["fill"][0]["value"] for forms in chosen["forms"] for form in forms]
    assert 0 < sum(each != each.strip() for each in made) < len(made) / 2


def test_an_area_of_text_gets_several_lines(chosen: dict[str, Any]) -> None:
    for each in chosen["looked"]:
        assert each["area"].count("\n") == 3
        assert 60 < len(each["area"]) < 400
        assert len(each["short"]) <= 30


def test_the_first_box_date_and_choice_are_used_by_hands(chosen: dict[str, Any]) -> None:
    for each in chosen["looked"]:
        box, day, port = each["firsts"]
        assert box["keyed"]
        assert day["keyed"]
        assert port["opened"]
        assert not box["opened"]
        assert not port["keyed"]
        assert not day["mended"]


def test_things_that_are_imported_lack_a_name_each_or_have_figures_as_texts(
    chosen: dict[str, Any],
) -> None:
    seen = [json.loads(each["items"]) for each in chosen["looked"]]
    whole = {"id", "day", "km", "note"}
    lacking = [items for items in seen if any(set(each) < whole for each in items)]
    assert len(seen) / 6 < len(lacking) < len(seen) / 2
    texts = [items for items in seen if items[0].get("km") == "4"]
    assert len(seen) / 6 < len(texts) < len(seen) / 2
    assert all(items[0]["id"] == 1 for items in texts)
    for first, second in lacking:
        assert whole - set(first) != whole - set(second)
        assert {"id", "day"} <= set(first) & set(second)


def test_forms_begin_at_night_as_well(chosen: dict[str, Any]) -> None:
    hours = {each["hour"] for each in chosen["looked"]}
    assert 8 in hours
    assert min(hours) < 5
    assert max(hours) == 8
