"""What browsers lack of what Chromium has, and how style sheets are read without it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

_FILE = files("pytest_benchmac.tracks.angular.boot") / "driver/engines.json"


@pytest.fixture(scope="module")
def engines() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
    return told


def test_the_data_say_where_and_when_they_are_from(engines: dict[str, Any]) -> None:
    assert re.fullmatch(r"@mdn/browser-compat-data \d+\.\d+\.\d+ \(CC0-1\.0\)", engines["source"])
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", engines["date"])
    assert engines["older"].isdecimal()
    assert len(_FILE.read_bytes()) < 60_000


@pytest.mark.parametrize("browser", ["firefox", "safari", "older"])
def test_what_each_browser_lacks_is_told_by_names(engines: dict[str, Any], browser: str) -> None:
    scripts, styles = engines["missing"][browser].values()
    names = [name for names in scripts.values() for name in names.split(" ")]
    assert len(names) > 200
    assert all(re.fullmatch(r"[A-Za-z$][\w$]*", name) for name in names)
    assert all(re.fullmatch(r"[A-Za-z0-9_]*", owner) for owner in scripts)
    assert set(styles) == {"at", "selectors", "properties", "functions", "values"}
    words = [styles[kind] for kind in styles if kind != "values"] + list(styles["values"].values())
    assert all(re.fullmatch(r"[a-z -]*", names) for names in words)
    # What all have is not among it.
    assert not {"document", "fetch", "Promise", "Element"} & set(scripts[""].split())
    assert not {"color", "display", "opacity"} & set(styles["properties"].split())


def test_what_is_known_of_browsers_is_in_the_data(engines: dict[str, Any]) -> None:
    firefox, safari, older = (engines["missing"][each] for each in ("firefox", "safari", "older"))
    assert "attributeStyleMap" in firefox["scripts"]["HTMLElement"].split()
    assert all("usb" in each["scripts"]["Navigator"].split() for each in (firefox, safari))
    assert "sibling-index" in older["styles"]["functions"].split()
    attributes = set(engines["attributes"].split())
    assert {"lang", "title", "inputmode", "download", "required", "translate"} <= attributes
    assert not any(name.startswith(("ng", "_ng", "router")) for name in attributes)


@needs_node
@pytest.mark.parametrize(
    ("sheet", "read"),
    [
        # What stands before holds.
        ("a{opacity:0;opacity:sibling-index()}", "a{opacity:0;opacity:lacking()}"),
        (r"a{opacity:s\69 bling-index()}", "a{opacity:lacking()}"),
        ("a:hover{corner-shape:bevel;color:IF(else:red)}", None),
        ("@supports not (corner-shape: bevel) { a { b: c } }", None),
        ("@function --x() { result: 1px } @media print { a { b: c } }", None),
        ("select::picker(select), a { b: c; &:playing { d: e } }", None),
        (".x{width:10px;width:stretch;--y:sibling-index()}", None),
        # Neither texts, comments and addresses, nor other names that have one in them.
        ('/* if() */ a{content:"if()";background:url(x-if().png)}', ...),
        (".playing:hover .stretch{width:calc-if();height:stretch}", ...),
    ],
)
def test_style_sheets_are_read_without_what_is_missing(sheet: str, read: Any) -> None:
    (told,) = told_by("sheets.mjs", given=[sheet])
    if read is ...:
        assert told == sheet
    elif read is not None:
        assert told == read
    else:
        left = re.compile(r"corner-shape|(?<!-)\bif\(|@function|picker|playing|stretch|sibling")
        assert "lacking" in told
        assert not left.search(told.lower())


@needs_node
@pytest.mark.parametrize("sheet", ["a{width:stretch}", "a{width:1px}"])
def test_a_page_that_wants_a_style_sheet_by_its_digest_gets_what_is_read(sheet: str) -> None:
    page = '<link rel="stylesheet" href="styles.css" integrity="{digest}">'
    (told,) = told_by("sheets.mjs", given=[[sheet, page]])
    assert told == [page] * 3


@needs_node
def test_no_style_sheet_takes_long_to_read() -> None:
    hostile = ["a{" + "(" * 200_000, "/*" * 100_000, '"' * 100_001, "a:" * 100_000, "\\" * 100_000]
    hostile.append("url( " * 400_000)
    assert len(told_by("sheets.mjs", given=hostile)) == len(hostile)
