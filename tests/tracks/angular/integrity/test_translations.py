"""What the application says in other languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_benchmac.tracks.angular.integrity import translation_rules
from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

#: By id: what it says in English, and in German.
_WORDS = {
    "remove": ("Remove", "Entfernen"),
    "import": ("Import", "Importieren"),
    "open": ("Open", "Offen"),
    "open-file": ("Open", "Öffnen"),
}
Words = dict[str, tuple[str, str]]
_ENDS = ["1.xlf", "2.xlf", "json", "arb"]


def text_of(words: Words, end: str) -> str:
    german = {name: target for name, (_, target) in words.items()}
    if end == "json":
        return json.dumps({"locale": "de", "translations": german})
    if end == "arb":
        return json.dumps({"@@locale": "de", **german, "@remove": {"x": 1}})
    unit, inner = ("unit", "segment") if end == "2.xlf" else ("trans-unit", "")
    units = "".join(
        f'<{unit} id="{name}">{inner and f"<{inner}>"}<source>{source}<x id="N"/></source>'
        f'<target state="final">{target}<x id="N"/></target>{inner and f"</{inner}>"}</{unit}>'
        for name, (source, target) in words.items()
    )
    return f'<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2"><file>{units}</file></xliff>'


def write(tree: Tree, words: Words, end: str, locale: str = "de") -> None:
    path = f"src/locale/messages.{end}"
    tree.write(path, text_of(words, end))

    def change(value: Any) -> None:
        locales = {locale: {"translation": [path]}}
        value["projects"]["trailbook"]["i18n"] = {"sourceLocale": "en", "locales": locales}

    tree.edit("angular.json", change)


def found(tree: Tree, end: str, words: Words, locale: str = "de") -> tuple[set[str], set[str]]:
    write(tree, _WORDS, end)
    as_base(tree)
    write(tree, words, end, locale)
    findings = tree.check().findings
    return fatal(findings), warned(findings)


@pytest.mark.parametrize("end", _ENDS)
@pytest.mark.parametrize("locale", ["de", "de-CH"])
def test_words_that_another_text_has(tree: Tree, end: str, locale: str) -> None:
    words = {**_WORDS, "import": ("Import", "Entfernen")}
    assert found(tree, end, words, locale) == ({"translation-exchanged"}, set())


@pytest.mark.parametrize("end", _ENDS[:2])
def test_the_same_by_a_new_id(tree: Tree, end: str) -> None:
    words = {**_WORDS, "import-file": ("Import", "Entfernen")}
    assert found(tree, end, words) == ({"translation-exchanged"}, set())


@pytest.mark.parametrize("end", _ENDS)
def test_other_words_are_told(tree: Tree, end: str) -> None:
    words = {**_WORDS, "import": ("Import", "Einlesen")}
    assert found(tree, end, words) == (set(), {"translation-changed"})


@pytest.mark.parametrize(
    "words",
    [
        {"remove": _WORDS["remove"]},
        {f"new-{name}": pair for name, pair in _WORDS.items()},
        {**_WORDS, "import": ("Delete", "Entfernen")},
        {**_WORDS, "new": ("Save", "Speichern")},
    ],
)
@pytest.mark.parametrize("end", _ENDS[:2])
def test_what_honest_work_makes_of_translations(tree: Tree, end: str, words: Words) -> None:
    assert found(tree, end, words) == (set(), set())


def test_one_source_may_have_two_meanings(tree: Tree) -> None:
    words = {**_WORDS, "open": ("Open", "Öffnen")}
    assert found(tree, "1.xlf", words) == (set(), {"translation-changed"})


def test_another_language_is_none_of_the_bases(tree: Tree) -> None:
    write(tree, _WORDS, "json")
    as_base(tree)
    exchanged = {**_WORDS, "import": ("Import", "Entfernen")}
    tree.write("src/locale/messages.nds.json", text_of(exchanged, "json"))
    tree.edit(
        "angular.json",
        lambda value: value["projects"]["trailbook"]["i18n"]["locales"].update(
            nds="src/locale/messages.nds.json"
        ),
    )
    assert tree.check().findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "<xliff>",
        '<!DOCTYPE a [<!ENTITY b "c">]><xliff>&b;</xliff>',
        "<a>" * 300 + "</a>" * 300,
        "x" * (translation_rules._MAX_BYTES + 1),
    ],
    ids=["open", "entity", "deep", "large"],
)
def test_what_cannot_be_read_any_more(tree: Tree, text: str) -> None:
    write(tree, _WORDS, "1.xlf")
    as_base(tree)
    tree.write("src/locale/messages.1.xlf", text)
    assert fatal(tree.check().findings) == {"translation-unreadable"}


def test_json_that_is_none(tree: Tree) -> None:
    write(tree, _WORDS, "json")
    as_base(tree)
    tree.write("src/locale/messages.json", "[" * 100_000)
    assert fatal(tree.check().findings) == {"translation-unreadable"}
