"""What is packaged, installed and comes along with an archive."""

from __future__ import annotations

import io
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.alongside import by_file_name, check_alongside, unreached
from pytest_benchmac.tracks.maven.own.classpath import bare_pom
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.modules import for_compiling, module_name
from pytest_benchmac.tracks.maven.own.packaged import (
    called_as_module,
    class_versions,
    for_other_javas,
    is_usable,
    starting,
    starts_alike,
    with_poms,
    without_poms,
    wrong,
)
from pytest_benchmac.tracks.maven.own.parameters import check_parameters, named_parameters
from pytest_benchmac.tracks.maven.pom import MavenProject
from tests.tracks.maven.maven_trees import GREENHOUSE, survey
from tests.tracks.maven.own.made import own_compile


def _archive(entries: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, each in entries.items():
            archive.writestr(name, each)
    return content.getvalue()


def _manifest(text: str) -> bytes:
    return _archive({"META-INF/MANIFEST.MF": f"Manifest-Version: 1.0\r\n{text}".encode()})


def _descriptor(root: Path, text: str) -> bytes:
    root.mkdir()
    (root / "module-info.java").write_text(text)
    assert subprocess.run(["javac", "module-info.java"], cwd=root).returncode == 0
    return (root / "module-info.class").read_bytes()


@pytest.mark.parametrize(
    ("version", "found"),
    [(b"\0\0\0\x3d", False), (b"\0\0\0\x37", True), (b"\xff\xff\0\x3d", True)],
    ids=["same", "older", "preview"],
)
def test_packaged_classes_are_for_the_java_of_those_that_are_compiled(
    version: bytes, found: bool, tmp_path: Path
) -> None:
    own = own_compile(tmp_path, {"classes": {"A": "class A { }"}}, "--release", "17")
    a = (tmp_path / "out/0/classes/a/A.class").read_bytes()
    other = a[:4] + version + a[8:]
    archive = _archive({"BOOT-INF/classes/a/A.class": other, "b/B.class": b"other"})
    assert wrong(archive, own, "") == ""
    versions = class_versions(archive, own, "")
    assert versions == {version}
    assert class_versions(b"none", own, "") == class_versions(None, own, "") == frozenset()

    def compiled(name: str, content: bytes) -> SourceTree:
        place = tmp_path / name / "target/classes/a/A.class"
        place.parent.mkdir(parents=True)
        place.write_bytes(content)
        return SourceTree.scan(tmp_path / name)

    assert for_other_javas(versions, compiled("maven", a), "") is found
    # What was not migrated is told by criterion r2; nobody can want a preview.
    preview = version[:2] != b"\0\0"
    assert for_other_javas(versions, compiled("old", other), "") is preview
    assert not for_other_javas(versions, SourceTree.scan(tmp_path / "maven/target"), "")


def test_an_archive_is_found_as_a_module() -> None:
    named = starting(_manifest("Automatic-Module-Name: org.a\r\n"))
    assert named == {"automatic-module-name": "org.a"}
    assert starts_alike({}, named)
    assert starts_alike(named, named)
    assert not starts_alike(named, {})
    assert not starts_alike(named, {"automatic-module-name": "org.b"})
    for taken in ("java.logging", "jdk.compiler"):
        assert not starts_alike({}, starting(_manifest(f"Automatic-Module-Name: {taken}\r\n")))
    assert starts_alike({}, {"automatic-module-name": "javax.a"})


def test_a_descriptor_says_the_name_of_a_module(tmp_path: Path) -> None:
    content = _descriptor(tmp_path / "a", "module org.a { requires static java.sql; }")
    assert module_name(content) == "org.a"
    assert for_compiling(content) == {"java.sql"}
    manifest = b"Automatic-Module-Name: org.b\n"
    for place in ("", "META-INF/versions/9/"):
        entries = {"META-INF/MANIFEST.MF": manifest, f"{place}module-info.class": content}
        assert called_as_module(_archive(entries)) == "org.a"
    broken = {"META-INF/MANIFEST.MF": manifest, "module-info.class": content[:-40]}
    assert called_as_module(_archive(broken)) == ""
    assert called_as_module(b"none") == called_as_module(None) == ""


@pytest.mark.parametrize(
    ("file", "name"),
    [("plaingrid-2.1.0.jar", "plaingrid"), ("a-b_c.jar", "a.b.c"), ("a-1x-2.jar", "a.1x")],
)
def test_what_modules_call_a_file(file: str, name: str) -> None:
    assert by_file_name(file) == name


def _greenhouse() -> MavenProject:
    return survey(GREENHOUSE.directory / "source")[1]


def _context(files: Mapping[str, bytes]) -> Any:
    """A sandbox with these files, by the end of their path."""

    def read_file(path: PurePosixPath, *, max_bytes: int) -> bytes | None:
        return next((each for end, each in files.items() if str(path).endswith(end)), None)

    return SimpleNamespace(
        sandbox=SimpleNamespace(home=PurePosixPath("/home")), read_file=read_file
    )


def test_a_project_file_is_left_by_maven_and_says_which_parent_it_has() -> None:
    project = _greenhouse()
    pom = project.poms["model/pom.xml"]
    written = (GREENHOUSE.directory / "source/model/pom.xml").read_bytes()
    assert is_usable(written, pom)
    assert not is_usable(None, pom)
    assert not is_usable(b"none", pom)
    # The harness's own.
    assert not is_usable(bare_pom(pom, processors=False), pom)
    version = pom.parent.version.encode() if pom.parent else b""
    assert not is_usable(written.replace(version, b"${revision}"), pom)


def test_modules_are_installed_with_their_parents() -> None:
    project = _greenhouse()
    names = {path: pom.path for path, pom in project.poms.items()}
    texts = {
        path: (GREENHOUSE.directory / "source" / path).read_bytes() for path in names
    }  # fmt: skip
    root = project.poms["pom.xml"]
    ends = {
        f"/{project.poms[path].artifact}-{root.version}.pom": text for path, text in texts.items()
    }
    whole = with_poms(_context(ends), project)
    assert set(whole.values()) == {True}
    assert without_poms(project, whole, whole) == {}
    of_root = f"/{root.artifact}-{root.version}.pom"
    lost = with_poms(_context({end: text for end, text in ends.items() if end != of_root}), project)
    assert list(without_poms(project, whole, lost)) == [""]
    # A base that does not install it either, and modules that are new.
    assert without_poms(project, lost, lost) == {}
    assert without_poms(project, {}, lost) == {}
    # A new parent is needed by the modules that have it.
    new = {key: True for key in whole if whole[key] and key != root.key}
    assert set(without_poms(project, new, lost)) == {
        pom.folder for pom in project.poms.values() if pom.folder
    }


def test_names_of_parameters_are_those_of_the_base(tmp_path: Path) -> None:
    text = (
        "public class A { public A(int first) { } public void of(int record, int _b) { } "
        "void own(int c) { } private void mine(int d) { } }"
    )
    rows = [
        "type\town\ta.A\t\tCLASS\tpublic\tjava.lang.Object\t",
        "member\tCONSTRUCTOR\t<init>\t(I)V\tpublic\t(int)\t\t",
        "member\tMETHOD\tof\t(II)V\tpublic\t(int;int)\t\t",
    ]

    def made(name: str, text: str, *options: str) -> OwnCompile:
        own_compile(tmp_path / name, {"classes": {"A": text}}, *(options or ("-parameters",)))
        (tmp_path / name / "out/0/declared.txt").write_text("\n".join(rows))
        return replace(base, out=SourceTree.scan(tmp_path / name / "out"))

    base = own_compile(tmp_path / "first", {"classes": {"A": text}}, "-parameters")
    base = made("base", text)
    known = named_parameters(base, [""])
    assert known == {"a.A": {"<init>(I)V": ["first"], "of(II)V": ["record", "_b"]}}
    assert named_parameters(base, []) == {}

    def found(patch: OwnCompile) -> list[str]:
        findings = Findings()
        check_parameters(findings, {"parameters": known}, patch, {})
        return [str(each.seen) for each in findings.result()]

    assert found(base) == []
    other = (
        text.replace("int record", "int given").replace("int c", "int x").replace("int d", "int y")
    )
    assert found(made("taken", other)) == []
    assert found(made("none", text, "-g")) == []
    assert found(made("other", text.replace("int first", "int last"))) == [
        "a.A: <init>(I)V has last"
    ]


PROJECT = """\
<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version><dependencies>
<dependency><groupId>org.grid</groupId><artifactId>grid</artifactId><version>1.2</version>%s
</dependency></dependencies></project>
"""
ADDRESS = "jar:file:///home/.m2/org/grid/grid/1.2/grid-1.2.jar"


def _project(root: Path, more: str = "") -> MavenProject:
    root.mkdir(parents=True)
    (root / "pom.xml").write_text(PROJECT % more)
    return survey(root)[1]


def _using(root: Path, *addresses: str) -> OwnCompile:
    compiled = own_compile(root, {"classes": {"A": "class A { }"}})
    (root / "out/0/used.txt").write_text("\n".join(addresses))
    return replace(compiled, out=SourceTree.scan(root / "out"))


def test_a_descriptor_requires_what_the_code_needs(tmp_path: Path) -> None:
    library = _manifest("Automatic-Module-Name: org.grid.all\r\n")
    context = _context({"grid-1.2.jar": library})
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    (libraries / "grid-1.2.jar").write_bytes(library)

    def made(name: str, required: str) -> SourceTree:
        target = tmp_path / name / "target/classes"
        target.mkdir(parents=True)
        (tmp_path / name / "module-info.java").write_text(f"module org.a {{ {required} }}")
        command = ["javac", "-p", str(libraries), "-d", str(target), "module-info.java"]
        assert subprocess.run(command, cwd=tmp_path / name).returncode == 0
        return SourceTree.scan(tmp_path / name)

    project, using = _project(tmp_path / "p"), _using(tmp_path / "using", ADDRESS)
    static = made("static", "requires static org.grid.all;")
    assert unreached(context, project, using, static, ()) == {"": "org.grid.all"}
    # The base's descriptor, a library that the code does not need, and one that users have.
    assert unreached(context, project, using, static, {""}) == {}
    assert unreached(context, project, _using(tmp_path / "unused"), static, ()) == {}
    optional = _project(tmp_path / "o", "<optional>true</optional>")
    assert unreached(context, optional, using, static, ()) == {}
    plain = made("plain", "requires org.grid.all; requires static java.sql;")
    assert unreached(context, project, using, plain, ()) == {}


def test_users_get_no_library_of_tests(tmp_path: Path) -> None:
    def project(name: str, group: str, scope: str) -> MavenProject:
        root = tmp_path / name
        root.mkdir()
        (root / "pom.xml").write_text((PROJECT % scope).replace("org.grid", group))
        return survey(root)[1]

    base = project("base", "junit", "<scope>test</scope>")
    patched = project("patched", "junit", "")
    found: list[tuple[str, Severity]] = []
    for name, addresses in (("free", ()), ("needed", (ADDRESS.replace("org/grid", "junit"),))):
        findings = Findings()
        check_alongside(findings, _using(tmp_path / f"u{name}", *addresses), base, patched)
        found += [(each.code, each.severity) for each in findings.result()]
    assert found == [("shipped-unneeded", Severity.FATAL)]
    # Of what does not compile nobody knows what it needs.
    failed = replace(_using(tmp_path / "failed"), failed={":classes": ()})
    findings = Findings()
    check_alongside(findings, failed, base, patched)
    assert findings.result() == ()
