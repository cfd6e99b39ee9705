"""What the application says in other languages, which no case is built in.

https://angular.dev/guide/i18n/merge: the files that angular.json names.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from pytest_benchmac.foreign.text import decode
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError, local_name, parse_xml
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    inside,
    items,
    mapping,
)
from pytest_benchmac.tracks.findings import Findings

#: Of a file, and of all together: XML takes a multiple of its size in memory.
_MAX_BYTES = 2 * MIB
_MAX_ALL_BYTES = 16 * MIB
#: Files of locales, and texts in all of them.
_MAX_FILES, _MAX_UNITS = 200, 500_000
_JSON = (".json", ".arb")
_LANGUAGE = re.compile("[-_]")

#: What it says in the source's language, where the file has that, and what in the other one.
_Pair = tuple[str | None, str]
_Units = Mapping[str, set[_Pair]]
#: The first file that it is in, and what it has.
_Catalogue = tuple[str, _Units]


def check_translations(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """What was translated is translated as it was, and not by what something else says."""
    after, unread = _catalogues(patched)
    if not after:
        return
    before, unread_before = _catalogues(base)
    for file in sorted(unread - unread_before):
        if file in base.tree:
            findings.fatal(
                "translation-unreadable",
                "A file of translations cannot be read any more.",
                file=file,
                expected=f"what the base's is, with at most {_MAX_BYTES} bytes",
            )
    gone = {locale: each for locale, each in before.items() if locale not in after}
    for locale, (file, units) in after.items():
        known = before.get(locale) or _of_language(locale, gone)
        if known is not None and known[1] != units:
            _compare(known[1], units, file, findings)


def _of_language(locale: str, gone: Mapping[str, _Catalogue]) -> _Catalogue | None:
    """That of a locale with the same language, which has another name now."""
    language = _LANGUAGE.split(locale)[0]
    return next((each for name, each in gone.items() if _LANGUAGE.split(name)[0] == language), None)


def _compare(old: _Units, new: _Units, file: str, findings: Findings) -> None:
    said: defaultdict[str, set[tuple[str, str | None]]] = defaultdict(set)
    by_source: defaultdict[str, set[str]] = defaultdict(set)
    for name, pairs in old.items():
        for source, target in pairs:
            said[target].add((name, source))
            if source is not None:
                by_source[source].add(target)
    changed: list[str] = []
    for name, pairs in new.items():
        for source, target in pairs:
            # What people may have numbered anew is known by its source.
            same = {known for was, known in old.get(name, ()) if was == source}
            targets = same or by_source.get(source or "", set())
            if not targets or target in targets:
                continue
            if not target or not _of_another(said.get(target, set()), name, source):
                changed.append(f"{name}: {target}")
                continue
            findings.fatal(
                "translation-exchanged",
                "A text is translated by what another text says.",
                file=file,
                expected=f"{name}: {min(targets)}",
                seen=f"{name}: {target}",
            )
    if changed:
        findings.warning(
            "translation-changed",
            f"{len(changed)} texts are translated otherwise than they were.",
            file=file,
            expected="the base's words",
            seen=changed[0],
        )


def _of_another(known: set[tuple[str, str | None]], name: str, source: str | None) -> bool:
    """Does one that means something else say it?"""
    return any(other != name and (source is None or was != source) for other, was in known)


def _catalogues(snapshot: Snapshot) -> tuple[dict[str, _Catalogue], set[str]]:
    """What each locale has, with the first file that it is in; and files that cannot be read."""
    found: dict[str, tuple[str, dict[str, set[_Pair]]]] = {}
    read: dict[str, Sequence[tuple[str, _Pair]] | None] = {}
    left, units_left = _MAX_ALL_BYTES, _MAX_UNITS
    for locale, path in list(dict.fromkeys(_files(snapshot.workspace)))[:_MAX_FILES]:
        if path not in snapshot.tree:
            continue
        if path not in read:
            left -= snapshot.tree.files[path]
            read[path] = _units(snapshot.tree, path) if left >= 0 else None
        units_left -= len(read[path] or ())
        if units_left < 0:
            read[path] = None
        _, units = found.setdefault(locale, (path, {}))
        for name, pair in read[path] or ():
            units.setdefault(name, set()).add(pair)
    return dict(found), {path for path, units in read.items() if units is None}


def _files(workspace: AngularWorkspace) -> Iterator[tuple[str, str]]:
    """Locale and path of all files of translations."""
    for project in mapping(mapping(workspace.document.value).get("projects")).values():
        locales = mapping(mapping(mapping(project).get("i18n")).get("locales"))
        for locale, value in locales.items():
            given = value.get("translation") if isinstance(value, dict) else value
            for each in [given] if isinstance(given, str) else items(given):
                if isinstance(each, str) and (path := inside(each)):
                    yield locale, path


def _units(tree: SourceTree, path: str) -> Sequence[tuple[str, _Pair]] | None:
    """What a file has by the ids of its texts; None where it cannot be read."""
    content = tree.read(path, _MAX_BYTES)
    if content is None:
        return None
    try:
        if path.lower().endswith(_JSON):
            return list(_in_json(decode(content)))
        return [
            unit
            for element in parse_xml(content).iter()
            if (name := element.get("id"))
            for unit in _pair(name, element)
        ]
    except (XmlError, ValueError, RecursionError):
        return None


def _pair(name: str, element: Element) -> Iterator[tuple[str, _Pair]]:
    """Of XLIFF 1.2 and 2; nothing where the element is no unit, or not translated."""
    kind = local_name(element)
    parts = {
        "trans-unit": [element],
        "unit": [each for each in element if local_name(each) == "segment"],
    }.get(kind, [])
    source, target = (
        " ".join(_words(each) for part in parts for each in part if local_name(each) == wanted)
        for wanted in ("source", "target")
    )
    if target:
        yield name, (source, target)


def _words(element: Element) -> str:
    """The text of an element, with what stands for values and tags; no deeper than is parsed."""
    parts = [element.text or ""]
    for child in element:
        parts += [f"{{{child.get('equiv') or child.get('id') or ''}}}", _words(child)]
        parts.append(child.tail or "")
    return " ".join("".join(parts).split())


def _in_json(text: str) -> Iterator[tuple[str, _Pair]]:
    """Also of ARB, whose keys with an @ are about others."""
    value: Mapping[str, Any] = mapping(json.loads(text))
    for name, target in (mapping(value.get("translations")) or value).items():
        if isinstance(target, str) and not name.startswith("@") and name != "locale":
            yield name, (None, " ".join(target.split()))
