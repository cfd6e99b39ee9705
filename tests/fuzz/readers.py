"""What reads what others wrote, with sound seeds: for damaged inputs and for guided fuzzing."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import ValidationError

from pytest_benchmac.ecosystems.npm.package_json import (
    commands_of,
    is_package_name,
    parse_package_json,
    requires_of,
)
from pytest_benchmac.foreign.sourcemap import MapError, read_map
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError, local_name, parse_xml, xml_places
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.store import EvaluationStore, serialise
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.errors import (
    InputError,
    InstanceError,
    RecordError,
    SubmissionError,
    TrackError,
)
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.model.trajectory import read_trajectory
from pytest_benchmac.report.shell_words import simple_commands
from pytest_benchmac.tracks.angular.boot.compare import compare
from pytest_benchmac.tracks.angular.boot.config import Boot, Route
from pytest_benchmac.tracks.angular.boot.dom import TEXT
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
from pytest_benchmac.tracks.maven.seed import seed_changes
from pytest_benchmac.tracks.reporters.report import BrokenRunError, read_report
from pytest_benchmac.tracks.reporters.surefire import parse_report
from tests.conftest import INSTANCE_TOML
from tests.records import evaluation
from tests.toy_bench import TOY_TRACK


class Reader(NamedTuple):
    """Something that reads contents."""

    read: Callable[[bytes], object]
    #: Contents that are sound.
    seeds: list[bytes]
    #: The errors that it names.
    errors: tuple[type[Exception], ...] = ()

    def check(self, content: bytes) -> None:
        """Raises whatever is not named."""
        try:
            self.read(content)
        except self.errors:
            return


def as_json(value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


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
INSTANCES = load_instances([TOY_TRACK / "instances"])
NAME = next(iter(INSTANCES))
PATCH = b"--- a/VERSION\n+++ b/VERSION\n@@ -1 +1 @@\n-1\n+2\n"
SIDECAR = {"sut": "a", "cost_usd": 1.5, "steps": 3, "trajectory": "t.jsonl", "x": {"y": [1]}}
ROW = {"instance_id": NAME, "model_name_or_path": "a", "model_patch": "x", "attempt": 2}
REPOSITORY_ROW = {"github_url": "https://h.example/o/n", "git_diff_file": "../../x.patch"}
STEP = {"time": "2026-01-01T00:00:00+00:00", "kind": "command", "text": "npm ci"}
CASE = evaluation("some-sut").case
RECORDS = [
    json.loads(evaluation("some-sut").model_dump_json()),
    json.loads(evaluation("some-sut", reached=1).model_dump_json()),
]


def read_locked(folder: Path) -> None:
    """What rules ask of a lock file."""
    (folder / "package.json").write_bytes(b"{}")
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
    assert len(xml_places(content)) == sum(bool(local_name(each)) for each in pom.root.iter())
    text = content.decode("utf-8", "surrogateescape")
    for changed in seed_changes({"pom.xml": text}, "17").values():
        # What is written is a project file, and needs no further change.
        parse_xml(changed.encode("utf-8", "surrogateescape"))
        assert not seed_changes({"pom.xml": changed}, "17")


def package_text(content: bytes) -> None:
    package = parse_package_json(content)
    assert all(map(is_package_name, requires_of(package)))
    # Only names of files that can lie in one folder.
    assert not any("/" in name or name in ("", ".", "..") for name in commands_of(package))


def text_of(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda content: read(content.decode(errors="replace"))


def told_by_browser(content: bytes) -> None:
    booted = record_of(Driven.model_validate_json(content), "app-root")
    declared = Boot(root="app-root", min_tree_similarity=0.9, routes=(Route(path="/"),))
    assert len(compare(booted, booted, declared, {})) == len(booted.pages)


@contextmanager
def named(kind: type[InputError], path: Path) -> Iterator[None]:
    """No error, or one of that kind that names the path."""
    told = ""
    try:
        yield
    except kind as error:
        told = str(error)
    assert not told or str(path) in told


def read_patches(folder: Path) -> None:
    """Submissions that records can hold and that lie in the folder for copies; or a named error."""
    copies = folder.parent / "copies"
    submissions: tuple[Submission, ...] = ()
    with named(SubmissionError, folder):
        submissions = read_submissions([folder], INSTANCES, copies)
    for each in submissions:
        assert each.patch is not None
        assert each.patch.parent == copies
        assert ".." not in each.case.stem.parts
        serialise(
            evaluation(instance=NAME).model_copy(
                update={"sut": each.case.sut, "metadata": each.metadata}
            )
        )


def in_folder(name: str, read: Callable[[Path], object]) -> Callable[[bytes], None]:
    """Reads a new folder, in which a file of that name has the contents."""

    def read_folder(content: bytes) -> None:
        with TemporaryDirectory() as root:
            folder = Path(root) / "folder"
            (folder / name).parent.mkdir(parents=True)
            (folder / name).write_bytes(content)
            read(folder)

    return read_folder


def read_sidecar(folder: Path) -> None:
    (folder / f"{NAME}.patch").write_bytes(PATCH)
    read_patches(folder)


def read_instance(folder: Path) -> None:
    with named(InstanceError, folder):
        load_instances([folder])


def read_steps(folder: Path) -> None:
    with named(RecordError, folder / "t.jsonl"):
        read_trajectory(folder / "t.jsonl")


def read_records(folder: Path) -> None:
    for each in EvaluationStore(folder).all():
        rejudge(each)


READERS = {
    "pom": Reader(pom_text, [POM], (XmlError,)),
    "surefire report": Reader(parse_report, [SUREFIRE], (XmlError,)),
    "npm ls": Reader(installed_versions, [as_json(NPM_LS)]),
    "source map": Reader(read_map, [as_json(SOURCE_MAP)], (MapError,)),
    "class file": Reader(read_major, [CLASS]),
    "test report": Reader(read_report, [as_json(REPORT)], (BrokenRunError,)),
    "package.json": Reader(package_text, [b'{"name": "a", "bin": {"b": "c"}, "dependencies": {}}']),
    "entry page": Reader(text_of(active_content), [PAGE]),
    "tsconfig": Reader(
        text_of(parse_jsonc), [b'{"a": [1, /* c */ {"b": "d"},], // e\n}'], (JsoncError,)
    ),
    "console": Reader(text_of(error_key), [b"Failed to load resource: http://a.example/b.js:1:2"]),
    "output of npm": Reader(text_of(diagnose_install), [OUTPUT]),
    "output of a build": Reader(text_of(diagnose_build), [OUTPUT]),
    "output of Maven": Reader(text_of(lambda text: diagnose_maven("verify", text)), [OUTPUT]),
    "command of a SUT": Reader(
        text_of(lambda text: list(simple_commands(text))),
        [b"cd a && npm ci || (x; y) | sh -c 'npm run build'"],
    ),
    "lock file": Reader(in_folder("package-lock.json", read_locked), [as_json(LOCK)]),
    "browser": Reader(told_by_browser, [as_json(DRIVEN)], (ValidationError,)),
    "patch": Reader(in_folder(f"{NAME}.patch", read_patches), [PATCH, b""]),
    "sidecar": Reader(in_folder(f"{NAME}.json", read_sidecar), [as_json(SIDECAR)]),
    "predictions": Reader(
        in_folder("p.jsonl", read_patches), [as_json(ROW), as_json(REPOSITORY_ROW)]
    ),
    "predictions in one": Reader(
        in_folder("p.json", read_patches), [as_json([ROW]), as_json({NAME: ROW})]
    ),
    "instance file": Reader(
        in_folder("app_v1_to_v2/instance.toml", read_instance),
        [INSTANCE_TOML.format(id="app_v1_to_v2").encode()],
    ),
    "trajectory": Reader(in_folder("t.jsonl", read_steps), [as_json(STEP) + b"\n"]),
    "record": Reader(
        in_folder(str(EvaluationStore(Path()).path(CASE)), read_records),
        list(map(as_json, RECORDS)),
        (RecordError, TrackError),
    ),
}
#: Found once: none may come back.
KNOWN = [
    b"<noscript><![x]></noscript>",
    b"Failed to load resource: http://[x",
    b"&#" + b"9" * 4400 + b";",
    b'{"dependencies": {"a{b": "1", "../c": "1"}}',
]
