"""Files that a submission leaves, read by what judges them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_benchmac.ecosystems.npm.package_json import (
    commands_of,
    is_package_name,
    parse_package_json,
    requires_of,
)
from pytest_benchmac.foreign.sourcemap import MapError, read_map
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError
from pytest_benchmac.report.shell_words import simple_commands
from pytest_benchmac.tracks.angular.boot.compare import compare
from pytest_benchmac.tracks.angular.boot.config import Boot, Route
from pytest_benchmac.tracks.angular.boot.dom import TEXT, Dom
from pytest_benchmac.tracks.angular.boot.errors import error_key
from pytest_benchmac.tracks.angular.boot.record import Driven, record_of
from pytest_benchmac.tracks.angular.failures import diagnose_build, diagnose_install
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncError
from pytest_benchmac.tracks.angular.integrity.jsonc import parse as parse_jsonc
from pytest_benchmac.tracks.angular.integrity.lock import (
    hosts,
    read_lock,
    registry_of,
    tarball_problem,
)
from pytest_benchmac.tracks.angular.integrity.page import active_content
from pytest_benchmac.tracks.angular.version import installed_versions
from pytest_benchmac.tracks.maven.classfiles import read_major
from pytest_benchmac.tracks.maven.failures import diagnose_maven
from pytest_benchmac.tracks.maven.pom import parent_path, read_pom
from pytest_benchmac.tracks.maven.pom_entries import entries
from pytest_benchmac.tracks.reporters.report import BrokenRunError, read_report
from pytest_benchmac.tracks.reporters.surefire import parse_report
from tests.fuzz.damage import damaged, damaged_json, tries

POM = b"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<parent><groupId>a</groupId><artifactId>p</artifactId><version>1</version>
<relativePath>../pom.xml</relativePath></parent><artifactId>b</artifactId>
<properties><maven.compiler.release>17</maven.compiler.release></properties>
<modules><module>one</module></modules><dependencies><dependency><groupId>j</groupId>
<artifactId>k</artifactId><version>${v}</version></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>
<source>1.8</source></configuration></plugin></plugins></build></project>"""
SUREFIRE = b"""<?xml version="1.0" encoding="UTF-8"?><testsuite name="a" tests="2">
<testcase name="x" classname="c" time="0.1"/><testcase name="y" classname="c">
<failure message="no"/></testcase></testsuite>"""
LOCK = {
    "lockfileVersion": 3,
    "packages": {
        "": {"dependencies": {"a": "^1.0.0", "b": "npm:c@1"}},
        "node_modules/a": {
            "version": "1.0.0",
            "resolved": "https://registry.example/a/-/a-1.0.0.tgz",
            "integrity": "sha512-AAAA",
        },
        "node_modules/b": {"name": "c", "version": "1.0.0", "link": True},
    },
}
NPM_LS = {
    "dependencies": {"@angular/core": {"version": "17.0.0"}, "@angular/cli": {"version": "17.0.0"}}
}
SOURCE_MAP = {"version": 3, "sources": ["a.ts", "webpack:///../b.ts"], "mappings": "AAAA;AACA,CAAC"}
PAGE = b"""<!doctype html><html><head><base href="/"><script src="main.js" type="module"></script>
<noscript><p>x</p></noscript></head><body onload="x()"><app-root></app-root><!-- c -->
</body></html>"""
REPORT = {"ended": True, "cases": [], "errors": []}
CLASS = b"\xca\xfe\xba\xbe" + struct.pack(">HH", 0, 61) + b"\0" * 8
OUTPUT = b"""npm ERR! code ERESOLVE\nnpm ERR! While resolving: a@1.0.0
Error: src/a.ts:1:2 - error TS2307: Cannot find module 'x'.
[ERROR] COMPILATION ERROR :\n[ERROR] /a/B.java:[1,2] cannot find symbol\n"""


def as_json(value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def lock_text(content: bytes, folder: Path) -> None:
    (folder / "package.json").write_bytes(b"{}")
    (folder / "package-lock.json").write_bytes(content)
    lock = read_lock(SourceTree.scan(folder))
    for each in lock.entries.values():
        tarball_problem(each)
        registry_of(each)
    hosts(lock.entries.values())
    assert isinstance(lock.toolchain(), set)


def pom_text(content: bytes) -> None:
    pom = read_pom("module/pom.xml", content)
    path = parent_path(pom, {"pom.xml"})
    assert path in (None, "pom.xml")
    list(entries(pom))


def package_text(content: bytes) -> None:
    package = parse_package_json(content)
    assert all(map(is_package_name, requires_of(package)))
    # Only names of files that can lie in one folder.
    assert not any("/" in name or name in ("", ".", "..") for name in commands_of(package))


def text_of(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda content: read(content.decode(errors="replace"))


#: What reads, seeds that are sound, and the errors that it names.
READERS: dict[str, tuple[Callable[[bytes], Any], list[bytes], tuple[type[Exception], ...]]] = {
    "pom": (pom_text, [POM], (XmlError,)),
    "surefire report": (parse_report, [SUREFIRE], (XmlError,)),
    "npm ls": (installed_versions, [as_json(NPM_LS)], ()),
    "source map": (read_map, [as_json(SOURCE_MAP)], (MapError,)),
    "class file": (read_major, [CLASS], ()),
    "test report": (read_report, [as_json(REPORT)], (BrokenRunError,)),
    "package.json": (package_text, [b'{"name": "a", "bin": {"b": "c"}, "dependencies": {}}'], ()),
    "entry page": (text_of(active_content), [PAGE], ()),
    "tsconfig": (text_of(parse_jsonc), [b'{"a": [1, /* c */ {"b": "d"},], // e\n}'], (JsoncError,)),
    "console": (text_of(error_key), [b"Failed to load resource: http://a.example/b.js:1:2"], ()),
    "output of npm": (text_of(diagnose_install), [OUTPUT], ()),
    "output of a build": (text_of(diagnose_build), [OUTPUT], ()),
    "output of Maven": (text_of(lambda text: diagnose_maven("verify", text)), [OUTPUT], ()),
    "command of a SUT": (
        text_of(lambda text: list(simple_commands(text))),
        [b"cd a && npm ci || (x; y) | sh -c 'npm run build'"],
        (),
    ),
}
#: Found once: none may come back.
KNOWN = [
    b"<noscript><![x]></noscript>",
    b"Failed to load resource: http://[x",
    b"&#" + b"9" * 4400 + b";",
]


@pytest.mark.parametrize("what", READERS)
@given(data=st.data())
@tries
def test_only_named_errors(what: str, data: st.DataObject) -> None:
    read, seeds, named = READERS[what]
    content = data.draw(damaged(*seeds, *KNOWN))
    try:
        read(content)
    except named:
        return


@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("known", KNOWN, ids=range(len(KNOWN)))
def test_what_was_found_once(what: str, known: bytes) -> None:
    read, seeds, named = READERS[what]
    for content in (known, seeds[0] + known):
        try:
            read(content)
        except named:
            continue


JSON_READERS: dict[str, tuple[Callable[[bytes], Any], Any, tuple[type[Exception], ...]]] = {
    "npm ls": (installed_versions, NPM_LS, ()),
    "source map": (read_map, SOURCE_MAP, (MapError,)),
    "test report": (read_report, REPORT, (BrokenRunError,)),
    "package.json": (
        package_text,
        {"name": "a", "bin": {"b": "c"}, "dependencies": {"d": "1"}, "directories": {"bin": "x"}},
        (),
    ),
}


@pytest.mark.parametrize("what", JSON_READERS)
@given(data=st.data())
@tries
def test_json_of_other_types(what: str, data: st.DataObject) -> None:
    read, seed, named = JSON_READERS[what]
    try:
        read(as_json(data.draw(damaged_json(seed))))
    except named:
        return


@given(content=damaged(as_json(LOCK)) | damaged_json(LOCK).map(as_json))
@example(content=as_json({"packages": {"node_modules/a": {"resolved": "http://[x"}}}))
@hypothesis_settings(tries, suppress_health_check=list(HealthCheck))
def test_lock_files(content: bytes, tmp_path: Path) -> None:
    lock_text(content, tmp_path)


NODES = st.lists(
    st.tuples(
        st.integers(0, 1000),
        st.sampled_from([TEXT, "app-root", "noscript", "div"]) | st.text(max_size=5),
        st.dictionaries(
            st.sampled_from(["ng-version", "class", "id", "href", ""]) | st.text(max_size=5),
            st.text(max_size=8),
            max_size=3,
        ),
    ),
    max_size=12,
)


@given(nodes=NODES, root=st.sampled_from(["app-root", "#x", "*"]) | st.text(max_size=5))
@tries
def test_documents(nodes: Any, root: str) -> None:
    dom = Dom.of(nodes, root)
    assert len(dom.text.splitlines()) >= 0
    assert (dom.version is None) == (dom.root is None)


DRIVEN = {
    "browser": "120.0",
    "pages": [
        {
            "route": "/",
            "step": 0,
            "url": "http://app.example/",
            "title": "x",
            "lived_ms": 10,
            "first_render_ms": 5,
            "settled": True,
            "nodes": [
                [0, "html", {}],
                [1, "app-root", {"ng-version": "17.0.0"}],
                [2, TEXT, {"": "x"}],
            ],
            "tree": [["button", "x"]],
            "texts": [["x", 1, 1, 9, 9]],
            "looks": ["0123456789abcdef"],
            "screenshot": "1.png",
            "problem": "",
            "console": [{"text": "Failed to load resource: http://[x", "url": "http://[x"}],
            "exceptions": ["x"],
            "requests": [{"method": "GET", "url": "http://[x", "kind": "fetch", "why": "refused"}],
        }
    ],
    "executed": {"files": {}, "foreign": [], "templates": {"main.js": [1, 2]}},
}


def test_the_browsers_seed_is_sound() -> None:
    booted = record_of(Driven.model_validate_json(as_json(DRIVEN)), "app-root")
    pages = compare(
        booted,
        booted,
        Boot(root="app-root", min_tree_similarity=0.9, routes=(Route(path="/"),)),
        {},
    )
    assert pages[0].rendered


@given(value=damaged_json(DRIVEN))
@tries
def test_what_a_browser_told(value: Any) -> None:
    try:
        driven = Driven.model_validate_json(as_json(value))
    except ValidationError:
        return
    booted = record_of(driven, "app-root")
    declared = Boot(root="app-root", min_tree_similarity=0.9, routes=(Route(path="/"),))
    assert len(compare(booted, booted, declared, {})) == len(booted.pages)
