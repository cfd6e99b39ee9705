"""What the driver tells of links, queries, pictures and files, without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

pytestmark = needs_node

_LINKS = {
    "/journal": "/journal",
    "https://docs.example/guide?page=2#top": "docs.example/guide?page=2#top",
    "mailto:Rangers%40trailbook.example?subject=Hello": "mailto:rangers@trailbook.example",
    "mailto:a@b.example?Bcc=c@d.example&body=x": "mailto:a@b.example,c@d.example",
    "tel:+43 (512) 123-456": "tel:+43512123456",
    "mailto:%zz": "mailto:%zz",
    "javascript:void(0)": "",
    "data:text/plain,x": "",
    "https://": None,
}

_ELEMENTS: list[tuple[list[Any], list[str]]] = [
    (
        [["img", {"srcset": "huts.svg 1x, huts-fine.svg 2x,far.svg  4x"}]],
        ["says srcset: 1x, 2x, 4x"],
    ),
    # What the framework makes of one name, and what somebody says it made.
    ([["img", {"srcset": "a?w=640 640w, a?w=750 750w", "ng-img": "true"}]], []),
    ([["img", {"srcset": "a 3x", "ng-img": "true"}]], ["says srcset: 3x"]),
    ([["img", {"src": "a.png"}]], []),
    (
        [["picture", {}], ["img", {}, True], ["source", {"srcset": "b 2x", "media": "print"}]],
        ["says source: print 2x"],
    ),
    ([["button", {"aria-hidden": "TRUE"}]], ["says aria-hidden: TRUE of what is used"]),
    ([["i", {"aria-hidden": "true"}]], ["says aria-hidden: true"]),
    (
        [["p", {"aria-hidden": "true"}], ["a", {"href": "/"}]],
        ["says aria-hidden: true of what is used"],
    ),
    ([["p", {"aria-hidden": "true"}], ["a", {}]], ["says aria-hidden: true"]),
]

_ASKED = [
    {"kind": "image", "url": "https://count.example/hit.gif?site=a&page=%2F&at=1701234567890"},
    {"kind": "image", "url": "https://count.example/hit.gif?site=a&id=abcdefghijklmnop0123"},
    {"kind": "script", "url": "https://count.example/hit.js?site=b"},
    {"kind": "font", "url": "https://count.example/a.woff2?v=1"},
    {"kind": "fetch", "url": "https://count.example/api?all=1"},
    {"kind": "image", "url": "data:image/png,?a=1"},
    {"kind": "image", "url": "none"},
]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """What the driver says of all of these."""
    files = [
        ("a.json", '[{"b": 1, "a": "Tern"}, {"b": 2, "a": "Gull"}]'),
        ("b.json", '[{"a":"Tern","b":7},{"a":"Gull","b":8}]'),
        ("c.json", '[{"a":"Tern","b":7},{"a":"","b":8}]'),
        ("d.csv", "name,length\nTern,12\n"),
        ("e.json", "[" * 50_000),
        ("f.pdf", "%PDF-1.7"),
        ("g.pdf", ""),
        ("h", "x"),
    ]
    given = {
        "links": list(_LINKS),
        "elements": [elements for elements, _ in _ELEMENTS],
        "asked": _ASKED,
        "files": files,
    }
    found: dict[str, Any] = told_by("asides.mjs", given)
    return found


def test_links_are_told_by_whom_or_what_they_lead_to(told: dict[str, Any]) -> None:
    assert told["links"] == list(_LINKS.values())
    others = [lead for lead in list(_LINKS.values())[1:] if lead is not None]
    assert told["others"] == [["", lead] for lead in dict.fromkeys(others)]


def test_pictures_to_choose_from_and_what_nobody_hears_is_told(told: dict[str, Any]) -> None:
    assert told["said"] == [said for _, said in _ELEMENTS]


def test_queries_of_pictures_are_told_without_what_is_long(told: dict[str, Any]) -> None:
    host = "count.example"
    assert told["queries"] == [
        [host, "site", "a"],
        [host, "page", "/"],
        [host, "at", "~"],
        [host, "id", "~20"],
    ]


def test_files_are_told_by_their_shape_and_words(told: dict[str, Any]) -> None:
    first, second, third, table, broken, pdf, empty, other = told["files"]
    shape = "a file .json has [2 of {a: string, b: number}]"
    assert [each[0] for each in (first, second, third)] == [shape] * 3
    # Neither figures, white space nor the order of names matter; words do.
    assert first[1] == second[1] != third[1]
    assert table[0] == "a file .csv has 2 lines"
    assert broken[0] == "a file .json has 1 lines"
    assert pdf == ["a file .pdf is handed out that is not empty"]
    assert empty == []
    assert other == ["a file of no kind is handed out that is not empty"]
