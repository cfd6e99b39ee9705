"""What descriptors of modules hide, and names of parameters."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.checks import check_modules
from pytest_benchmac.tracks.maven.own.modules import descriptors, hidden
from tests.tracks.maven.own.made import own_compile

NAMES = {
    "own/A": "A",
    "own/internal/B": "B",
}


def _rows(main: bool = False) -> list[str]:
    rows: list[str] = []
    for path, name in NAMES.items():
        package = path.rpartition("/")[0].replace("/", ".")
        rows.append(f"type\town\t{package}.{name}\t\tCLASS\tpublic\tjava.lang.Object\t")
        if main:
            rows.append("member\tMETHOD\tmain\t([Ljava/lang/String;)V\tpublic,static\t\t\t")
    return rows


def _descriptor(root: Path, text: str) -> SourceTree:
    sources = root / "sources"
    for path, name in {**NAMES, "other/C": "C"}.items():
        (sources / path).parent.mkdir(parents=True, exist_ok=True)
        package = path.rpartition("/")[0].replace("/", ".")
        (sources / f"{path}.java").write_text(f"package {package}; public class {name} {{ }}")
    (sources / "module-info.java").write_text(text)
    target = root / "tree/m/target/classes"
    files = [str(each) for each in sources.rglob("*.java")]
    assert subprocess.run(["javac", "-d", str(target), *files]).returncode == 0
    return SourceTree.scan(root / "tree")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("module a { }", set()),
        ("open module a { requires java.logging; }", set()),
        (
            "module a { requires java.sql; requires java.logging; exports own; opens own; "
            "exports other to java.sql; }",
            {"own"},
        ),
    ],
    ids=["nothing", "open", "some"],
)
def test_what_a_descriptor_exports(text: str, shown: set[str], tmp_path: Path) -> None:
    tree = _descriptor(tmp_path, text)
    assert descriptors(tree, ["m", "n"]) == {"m": shown}


def test_what_cannot_be_read_exports_nothing(tmp_path: Path) -> None:
    place = tmp_path / "target/classes/module-info.class"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"\xca\xfe\xba\xbe")
    assert descriptors(SourceTree.scan(tmp_path), [""]) == {"": frozenset()}


def test_packages_are_hidden_by_a_new_descriptor() -> None:
    both = [("m", "own", False), ("m", "own.internal", True)]
    assert list(hidden({"m": _rows()}, {}, {"m": ()})) == both
    assert list(hidden({"m": _rows()}, {}, {"m": {"own"}})) == both[1:]
    assert list(hidden({"m": _rows()}, {}, {})) == []
    # One that hid them already, and one of an application.
    assert list(hidden({"m": _rows()}, {"m": {"own"}}, {"m": {"own"}})) == []
    assert [honest for *_, honest in hidden({"m": _rows(True)}, {}, {"m": ()})] == [True, True]


def test_a_hidden_package_is_told_once(tmp_path: Path) -> None:
    tree = _descriptor(tmp_path, "module a { exports own; }")
    facts = {"declared": {"m": _rows()}, "exports": {}}
    findings = Findings()
    check_modules(findings, facts, tree, tree)
    assert [(each.severity, each.seen) for each in findings.result()] == [
        (Severity.WARNING, "own.internal")
    ]


def test_names_of_parameters_are_compared_where_the_base_told_them(tmp_path: Path) -> None:
    sources = {"classes": {"A": "public class A { public void of(int first, int second) { } }"}}
    ours = own_compile(tmp_path / "ours", sources, "-parameters", "-g")

    def maven(*options: str) -> SourceTree:
        made = own_compile(tmp_path / "-".join(("maven", *options)), sources, *options)
        classes = made.out.root / "target/classes"
        (made.out.root / "target").mkdir()
        (made.out.root / "0/classes").rename(classes)
        return SourceTree.scan(made.out.root)

    told, silent = maven("-parameters"), maven("-g")
    assert ours.naming(told) == [""]
    assert ours.naming(silent) == []
    assert ours.unlike(told) == ours.unlike(silent) == []
    naming = replace(ours, named=frozenset(ours.naming(told)))
    assert naming.unlike(told) == []
    assert naming.unlike(silent) == ["target/classes/a/A.class"]
