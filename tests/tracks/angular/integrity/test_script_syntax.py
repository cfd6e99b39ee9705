"""Scripts of a page that were laid out anew say the same; all others do not."""

from __future__ import annotations

import pytest

from pytest_benchmac.tracks.angular.integrity.page import active_content, added_content
from pytest_benchmac.tracks.angular.integrity.script_syntax import extract

_SCRIPT = """(function(w,d){ w.x = w.x || []; w.push({'a': 1, event: 'b'}); })(window, document);"""
_FORMATTED = """
;(function (w, d) {
  // a comment
  w.x = w.x || []
  w.push({
    'a': 1,
    event: "b",
  })
})(window, document)
"""


def _says(script: str) -> object:
    return extract(script.encode())["syntax"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_SCRIPT, _FORMATTED),
        ("a('b')", 'a("b",);'),
        ("if(a){b();;}", "if (a) {\n  b() // c\n}"),
        ("x = [1, 2]", "x = [\n  1,\n  2,\n]"),
    ],
)
def test_layout_says_nothing(one: str, other: str) -> None:
    assert _says(one) == _says(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("function f() { return x }", "function f() { return\nx }"),
        ("x\n++y", "x++\ny"),
        ("[1]", "[1,,]"),
        ("[]", "[,]"),
        ("a('b')", "a('b ')"),
        ("a('b')", "a('\\x62')"),
        ("for (;; a()) {}", "for (; a();) {}"),
        ("if (a); b()", "if (a) b()"),
        ("a\n(b)", "a;\n(b)"),
        ("`a b`", "`a  b`"),
        ("/a b/", "/a  b/"),
        ("x => { a }", "x => ({ a })"),
        ("a, b", "a; b"),
        ("// a()\nb()", "a()\nb()"),
    ],
)
def test_what_counts_makes_another_script(one: str, other: str) -> None:
    assert None not in (_says(one), _says(other))
    assert _says(one) != _says(other)


@pytest.mark.parametrize("script", ["a <!--b\nc()", "a\n--> b", "function (", "a b c"])
def test_what_is_not_read_with_certainty_says_nothing_at_all(script: str) -> None:
    assert extract(script.encode()) == {}


def _without_values(script: str) -> object:
    return extract(script.encode())["without_values"]


_CONFIGURATION = "window.app = window.app || {}; window.app = { api: '/api', more: [1, 'a'] };"


@pytest.mark.parametrize(
    "other",
    [
        _CONFIGURATION.replace("/api", "/v2"),
        _CONFIGURATION.replace("more:", "debug: true, 'more':"),
        _CONFIGURATION.replace("[1, 'a']", "{ of: { a: null } /* all */ }"),
    ],
)
def test_other_values_are_the_same_script_without_them(other: str) -> None:
    assert _says(_CONFIGURATION) != _says(other)
    assert _without_values(_CONFIGURATION) == _without_values(other) is not None


@pytest.mark.parametrize(
    "other",
    [
        _CONFIGURATION.replace("'/api'", "origin"),
        _CONFIGURATION.replace("more:", "more, less:"),
        _CONFIGURATION.replace("more:", "[more]: 1, less:"),
        _CONFIGURATION.replace("more:", "...more, less:"),
        _CONFIGURATION.replace("window.app = {", "window.other = {"),
        f"{_CONFIGURATION} window.more = 1;",
    ],
)
def test_what_is_no_value_makes_another_script(other: str) -> None:
    assert _without_values(_CONFIGURATION) != _without_values(other)


@pytest.mark.parametrize(
    "script",
    [
        "eval('1')",
        "new Function('1')",
        "x = () => '1'",
        "x = { f() {} }",
        "x = { get f() { return '1' } }",
        "x = class {}",
        "x = `1`",
        "import 'x'",
        "import('x')",
        "f`x`",
        "x = async function () { await '1' }",
    ],
)
def test_a_script_that_runs_anything_has_no_values_aside(script: str) -> None:
    assert _says(script) is not None
    assert _without_values(script) is None


def test_deep_scripts_are_read() -> None:
    assert _says("[" * 20_000 + "]" * 20_000) is not None


def test_pages_tell_their_scripts_by_their_text() -> None:
    base = active_content(f"<script>{_SCRIPT}</script>")
    assert added_content(base, active_content(f"<script>{_FORMATTED}</script>"))
