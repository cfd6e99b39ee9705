"""Varied answers: other data, the same shape, and in step with what is typed and expected."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.tracks.angular.boot.config import Boot, BootFixture, Interaction, Route
from pytest_benchmac.tracks.angular.boot.variation import Variation
from pytest_benchmac.tracks.angular.boot.vary import literals, vary

_LIST = "https://api.example.org/api/articles"
_ONE = "https://api.example.org/api/articles/harbour-walk"
_ARTICLE = {
    "slug": "harbour-walk",
    "title": "A walk round the harbour",
    "body": "Start at the **lighthouse**, not <b>here</b>: https://example.org/map.",
    "state": "draft",
    "createdAt": "2024-05-04T10:00:00.000Z",
    "views": 1234,
    "price": 12.5,
    "likes": 3,
    "author": {"id": 7, "username": "ada", "image": "/img/ada.png"},
}
_OTHER = {**_ARTICLE, "slug": "mill-pond", "title": "Ice on the pond", "likes": 0}

seeds = st.integers(0, 2**63)


def _boot(*fixtures: BootFixture, expect: str = "Read: A walk round the harbour") -> Boot:
    click = Interaction(click="a", expect=expect)
    return Boot(
        root="app-root",
        routes=(Route(path="/article/harbour-walk", interactions=(click,)),),
        fixtures=fixtures,
        min_tree_similarity=0.8,
    )


def _fixture(url: str, body: Any) -> BootFixture:
    return BootFixture(urls=(url,), body=json.dumps(body))


def _varied(seed: int, *known: str) -> tuple[Boot, dict[str, Any], dict[str, Any]]:
    listed = {"articles": [_ARTICLE, _OTHER], "articlesCount": 2}
    boot = _boot(_fixture(_LIST, listed), _fixture(_ONE, {"article": _ARTICLE}))
    varied, _ = vary(boot, (), seed, frozenset(known))
    first, second = (json.loads(each.body) for each in varied.fixtures)
    return varied, first, second["article"]


@given(seeds)
def test_texts_are_others_and_agree_everywhere(seed: int) -> None:
    boot, listed, article = _varied(seed, "draft")
    assert article["title"] != _ARTICLE["title"]
    assert list(map(len, article["title"].split())) == [1, 4, 5, 3, 7]
    assert article["title"][0].isupper()
    assert {**article} in [{**each} for each in listed["articles"]]
    assert boot.routes[0].interactions[0].expect == f"Read: {article['title']}"


@given(seeds)
def test_what_a_program_may_mean_stays(seed: int) -> None:
    _, listed, article = _varied(seed, "draft")
    assert article["slug"] == "harbour-walk"
    assert article["state"] == "draft"
    assert article["author"]["id"] == 7
    assert article["author"]["image"] == "/img/ada.png"
    assert "https://example.org/map." in article["body"]
    assert "<b>" in article["body"]
    assert "**" in article["body"]
    assert "lighthouse" not in article["body"]
    assert any(each["slug"] == "harbour-walk" for each in listed["articles"])


@given(seeds)
def test_numbers_and_dates_keep_their_kind(seed: int) -> None:
    _, _, article = _varied(seed)
    assert isinstance(article["views"], int)
    # The only one of its name is its largest one.
    assert 2468 <= article["views"] <= 12_340
    assert isinstance(article["price"], float)
    assert article["likes"] in {0, 3}
    assert article["createdAt"] != _ARTICLE["createdAt"]
    assert article["createdAt"].endswith("T10:00:00.000Z")


def test_lists_have_other_lengths_with_some_seeds_and_counts_follow() -> None:
    lengths = set()
    for seed in range(30):
        drafts = [{**_ARTICLE, "slug": f"draft-{at}"} for at in range(3)]
        body = {"articles": [_ARTICLE, _OTHER], "articlesCount": 2, "drafts": drafts}
        boot, _ = vary(_boot(_fixture(_LIST, body)), (), seed)
        listed = json.loads(boot.fixtures[0].body)
        slugs = [each["slug"] for each in listed["articles"]]
        assert len(set(slugs)) == len(slugs) == listed["articlesCount"]
        lengths.add(len(slugs))
    assert lengths == {1, 3, 4, 30}


def test_one_list_is_longer_than_pages_are_cut_into() -> None:
    trails = [{"id": at, "name": "one walk"} for at in range(1, 4)]
    hikes = [{"id": at, "day": "two walks"} for at in range(1, 6)]
    most = set()
    for seed in range(10):
        fixtures = (_fixture(_LIST, trails), _fixture("https://api.example/hikes", hikes))
        boot, _ = vary(_boot(*fixtures), (), seed)
        lengths = [len(json.loads(each.body)) for each in boot.fixtures]
        assert sorted(lengths)[1] == 30
        assert sorted(lengths)[0] <= 7
        most.add(lengths.index(30))
    assert most == {0, 1}


def test_a_copy_has_a_number_of_its_own() -> None:
    rows = [{"id": 1, "name": "one walk"}, {"id": 9, "name": "two walks"}]
    for seed in range(10):
        boot, _ = vary(_boot(_fixture(_LIST, rows)), (), seed)
        ids = [each["id"] for each in json.loads(boot.fixtures[0].body)]
        assert len(set(ids)) == len(ids)
        # Those of the instance stay; others have no room in 32 bits.
        assert all(each in {1, 9} or each > 2**31 for each in ids)


@given(seeds)
def test_a_seed_always_gives_the_same(seed: int) -> None:
    assert _varied(seed) == _varied(seed)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shape(each) for key, each in value.items()}
    if isinstance(value, list):
        # Of lists the length may change, not what is in them.
        return sorted({json.dumps(_shape(each)) for each in value})
    return type(value).__name__


@given(json_values, seeds)
def test_any_json_keeps_its_shape(value: Any, seed: int) -> None:
    # Ids make lists longer or shorter: items of unequal shape may go then.
    boot, _ = vary(_boot(_fixture(_LIST, value)), (), seed)
    varied = json.loads(boot.fixtures[0].body)
    if not any(key in json.dumps(value) for key in ('"id"', '"_id"', '"slug"', '"uuid"', '"key"')):
        assert _shape(varied) == _shape(value)


def test_a_secret_changes_and_keeps_its_form() -> None:
    body = {"user": {"token": "head.payload.Signature-01", "email": "ada@example.org"}}
    boot, _ = vary(_boot(_fixture(_LIST, body)), (), 5)
    user = json.loads(boot.fixtures[0].body)["user"]
    assert user["token"].startswith("head.payload.")
    assert user["token"] != body["user"]["token"]
    assert user["email"] == "ada@example.org"


def test_what_is_no_json_stays() -> None:
    css = HttpFixture(url="https://fonts.example.org/css", content_type="text/css", body="a {}")
    broken = BootFixture(urls=(_LIST,), body="{not json")
    boot, fixtures = vary(_boot(broken), (css,), 5)
    assert fixtures == (css,)
    assert boot.fixtures == (broken,)


def test_texts_of_the_sources_that_are_expected_stay() -> None:
    boot = _boot(_fixture(_LIST, {"title": "Two lakes"}), expect="2 of our trails match.")
    assert vary(boot, (), 5)[0].routes == boot.routes


def test_literals_are_what_scripts_have_in_quotes() -> None:
    assert literals(["""a==="draft"?b('x y'):`z`"""]) == {"draft", "x y", "z"}


def test_another_seed_gives_other_words() -> None:
    assert len({Variation(seed, frozenset()).word("Lighthouse") for seed in range(50)}) > 45


def test_some_words_have_letters_that_english_does_not_have() -> None:
    words = {Variation(seed, frozenset()).word("Lighthouse") for seed in range(50)}
    assert 0 < sum(not each.isascii() for each in words) < 25
    assert {len(each) for each in words} == {len("Lighthouse")}


def test_words_come_in_several_scripts() -> None:
    words = [Variation(seed, frozenset()).word("Lighthouse") for seed in range(400)]
    scripts = {unicodedata.name(word[0]).split()[0] for word in words}
    assert scripts == {"LATIN", "CYRILLIC", "GREEK", "HEBREW", "ARABIC", "CJK"}


def test_a_scale_has_marks_that_were_not_seen_and_codes_have_none() -> None:
    rows = [{"id": at, "rating": at + 2, "state": 2 * at} for at in (1, 2, 3)]
    seen: dict[str, set[int]] = {"rating": set(), "state": set()}
    for seed in range(30):
        boot, _ = vary(_boot(_fixture(_LIST, rows)), (), seed)
        for row in json.loads(boot.fixtures[0].body):
            for key, found in seen.items():
                found.add(row[key])
        # None stays: under every seed something is rated lower than anything was.
        assert min(row["rating"] for row in json.loads(boot.fixtures[0].body)) < 3
    assert seen == {"rating": {1, 2, 3, 4, 5}, "state": {2, 4, 6}}


_TRAILS = [
    {"id": "cedar-bend", "name": "Cedar Bend", "lengthKm": 11.3, "ascentM": 540, "score": 71.5},
    {"id": "raven-tower", "name": "Raven Tower", "lengthKm": 17.9, "ascentM": 1340, "score": 90.5},
    {"id": "x-7", "name": "Mill", "lengthKm": 4.7, "ascentM": 60, "score": 12.5},
]


def _trails(seed: int, kept: frozenset[str] = frozenset()) -> tuple[list[Any], list[Any]]:
    """Trails varied, and hikes on them."""
    hikes = [{"id": 1, "trailId": "cedar-bend"}, {"id": 2, "trailId": "x-7"}]
    boot = _boot(_fixture(_LIST, _TRAILS), _fixture(_ONE, hikes))
    varied, _ = vary(boot, (), seed, kept)
    trails, hiked = (json.loads(each.body) for each in varied.fixtures)
    return trails, hiked


@given(seeds)
def test_ids_that_are_made_of_a_name_keep_to_it_and_references_to_them(seed: int) -> None:
    trails, hikes = _trails(seed)
    own = [each for each in trails if not each["id"].startswith("x-7")]
    assert {each["id"] for each in own} & {"cedar-bend", "raven-tower"} == set()
    for each in own:
        name = each["name"].lower().replace(" ", "-")
        assert each["id"].isascii()
        assert len(each["id"].split("-")) == 2
        # Names may have letters that no address has.
        assert each["id"] == name or not name.isascii()
    assert len({each["id"] for each in trails}) == len(trails)
    assert "cedar-bend" not in {each["trailId"] for each in hikes}
    if len(trails) >= len(_TRAILS):
        # Else one may be gone.
        assert {each["trailId"] for each in hikes} - {"x-7"} <= {each["id"] for each in own}
    # What the program may mean stays.
    trails, _ = _trails(seed, frozenset({"raven-tower"}))
    assert "raven-tower" in {each["id"] for each in trails}


def test_the_largest_number_is_far_larger_than_the_others() -> None:
    for seed in range(40):
        trails, _ = _trails(seed)
        for name, largest in (("lengthKm", 17.9), ("ascentM", 1340)):
            numbers = [each[name] for each in trails]
            # The largest one's item may be the one that is gone.
            assert max(numbers) <= 10 * largest
            if len(trails) >= len(_TRAILS):
                assert max(numbers) >= 2 * largest
        assert all(each["score"] <= 1.4 * 90.5 for each in trails)


def test_some_copies_have_an_empty_text_and_none_that_items_are_called_by() -> None:
    hikes = [
        {"id": at, "name": f"Hike {at}", "companions": "Maren", "notes": "Larks over the fields."}
        for at in (1, 2)
    ]
    empty = set()
    for seed in range(30):
        boot, _ = vary(_boot(_fixture(_LIST, hikes)), (), seed)
        varied = json.loads(boot.fixtures[0].body or "")
        empty |= {name for each in varied for name, text in each.items() if text == ""}
        assert all(each["notes"] for each in varied if each["id"] in {1, 2})
    assert empty == {"companions", "notes"}


_NUMBERS = ("lengthKm", "ascentM", "score")


@example(36192211)
@given(seeds)
def test_later_each_list_has_one_item_more_and_numbers_are_others(seed: int) -> None:
    fixtures = [_fixture(_LIST, _TRAILS), _fixture(_ONE, [{"id": 1}, {"id": 2}])]
    first, later = (vary(_boot(*fixtures), (), seed, later=each)[0] for each in (False, True))
    for before, after in zip(first.fixtures, later.fixtures, strict=True):
        items, more = (json.loads(each.body or "") for each in (before, after))
        assert [each["id"] for each in more[:-1]] == [each["id"] for each in items]
        assert more[-1]["id"] not in {each["id"] for each in items}
        if "lengthKm" in items[0]:
            # One of them may be drawn alike, or round to the same.
            numbers = [
                [[each[name] for name in _NUMBERS] for each in part] for part in (items, more)
            ]
            assert numbers[0] != numbers[1][:-1]


def test_a_list_that_is_answered_twice_is_the_same_both_times() -> None:
    for seed in range(20):
        boot, _ = vary(_boot(_fixture(_LIST, _TRAILS), _fixture(_ONE, _TRAILS)), (), seed)
        first, second = (json.loads(each.body or "") for each in boot.fixtures)
        assert first == second


def _of_day(seed: int, *times: str) -> list[str]:
    boot = _boot(_fixture(_LIST, [{"at": each} for each in times]))
    varied, _ = vary(boot, (), seed)
    return [each["at"] for each in json.loads(varied.fixtures[0].body)][: len(times)]


@given(seeds)
def test_times_of_day_are_others_in_their_order(seed: int) -> None:
    first, second, third = (
        int(each[:2]) * 60 + int(each[3:]) for each in _of_day(seed, "06:45", "09:05", "18:30")
    )
    assert (second - first, third - second) == (140, 565)
    assert 0 <= first <= 202 or 405 <= first <= 405 + 329


def test_times_of_day_come_before_dawn_and_after_dusk() -> None:
    seen = [_of_day(seed, "06:45", "18:30") for seed in range(60)]
    assert sum(first < "04:00" for first, _ in seen) > 20
    assert sum(last > "20:00" for _, last in seen) > 5
    assert _of_day(1, "25:00", "6 pm") != ["", ""]


def test_sentences_get_longer_and_short_texts_do_not() -> None:
    text = "The path is steep between the lake and the summit."
    lengths = set()
    wide: set[str] = set()
    for seed in range(40):
        boot = _boot(_fixture(_LIST, {"summary": text, "title": "Lake and summit"}))
        varied, _ = vary(boot, (), seed)
        body = json.loads(varied.fixtures[0].body)
        assert len(body["title"]) == 15
        lengths.add(len(body["summary"]) // len(text))
        wide |= {each for each in body["summary"] if ord(each) > 0xFFFF}
    assert lengths == {1, 2, 3, 4}
    assert len(wide) > 2


def test_lists_of_things_without_ids_get_longer() -> None:
    places = [{"name": "Car park", "km": 1.5}, {"name": "Summit", "km": 4.5}]
    lengths = set()
    for seed in range(20):
        varied, _ = vary(_boot(_fixture(_LIST, {"places": places})), (), seed)
        body = json.loads(varied.fixtures[0].body)["places"]
        lengths.add(len(body))
        names = [each["name"] for each in body]
        assert len(set(names)) == len(names)
    assert lengths == {2, 3, 4}


def test_copies_of_things_keep_their_times_in_order() -> None:
    rides = [{"id": at, "from": "09:10", "to": "10:40", "note": "Gulls"} for at in range(1, 4)]
    for seed in range(60):
        varied, _ = vary(_boot(_fixture(_LIST, rides)), (), seed)
        for each in json.loads(varied.fixtures[0].body):
            assert "00:00" <= each["from"] < each["to"]
