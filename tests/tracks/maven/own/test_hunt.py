"""What the hunt led to: class files, libraries, parents."""

from __future__ import annotations

import io
import struct
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.base_tests import lost_tests
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.libraries import changed, digests
from pytest_benchmac.tracks.maven.own.packaged import wrong
from pytest_benchmac.tracks.maven.own.reach import base_reach, new_reach
from pytest_benchmac.tracks.maven.own.samecode import called, said_by
from pytest_benchmac.tracks.maven.pom import parent_path, read_pom
from tests.tracks.maven.own.made import own_compile

SOURCE = """
import java.util.function.Supplier;
class A {
    static final String TEXT = "a\\0b";
    int of(String given, long number) throws Exception {
        final int local = 7;
        Supplier<String> later = () -> given + local;
        switch (given) {
            case "a": return 1;
            case "b": try { return given.length(); } finally { number++; }
            default:
        }
        switch ((int) number) { case 1: case 2: case 3: return 5; default: }
        for (int i = 0; i < number; i++) { if (i % 7 == 3) { later.get(); } }
        Object lookup = ClassLoader.getSystemClassLoader();
        return (int) (number * 1.5) + TEXT.length();
    }
}
"""


def _compiled(folder: Path, source: str, *options: str) -> bytes:
    folder.mkdir(parents=True)
    (folder / "A.java").write_text(source)
    done = subprocess.run(["javac", "-nowarn", "-d", ".", *options, "A.java"], cwd=folder)
    assert done.returncode == 0
    return (folder / "A.class").read_bytes()


def test_one_source_compiled_twice_does_the_same(tmp_path: Path) -> None:
    one = _compiled(tmp_path / "one", SOURCE, "-g", "-parameters", "--release", "17")
    two = _compiled(tmp_path / "two", SOURCE, "-g", "-source", "8", "-target", "17")
    assert one != two
    assert said_by(one)
    assert said_by(one) == said_by(two)
    assert "java/lang/ClassLoader.getSystemClassLoader()Ljava/lang/ClassLoader;" in called(one)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.5", "2.5"),
        ("== 3", "!= 3"),
        ('"b"', '"c"'),
        ("return 5", "return 4"),
        ("case 2: ", ""),
    ],
)
def test_another_source_does_not(old: str, new: str, tmp_path: Path) -> None:
    one = _compiled(tmp_path / "one", SOURCE)
    two = _compiled(tmp_path / "two", SOURCE.replace(old, new))
    assert said_by(one) != said_by(two)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class A ", "class A implements Runnable { public void run() { } } class B "),
        ("class A ", "@Deprecated class A "),
        ("class A ", "final class A "),
        ("static final String", "static final transient String"),
        ('TEXT = "a', 'TEXT = "A'),
        ("throws Exception", "throws java.io.IOException"),
    ],
)
def test_what_is_said_of_a_class_counts_as_much(old: str, new: str, tmp_path: Path) -> None:
    one = _compiled(tmp_path / "one", SOURCE)
    two = _compiled(tmp_path / "two", SOURCE.replace(old, new))
    assert said_by(two)
    assert said_by(one) != said_by(two)


def test_constants_that_name_each_other_are_read_in_a_bounded_time() -> None:
    """Eight in a row, each of which names the next thirteen times."""
    levels, times = 8, 13
    texts = ("A", "BootstrapMethods", "x", "I")
    constants = [struct.pack(">BH", 1, len(each)) + each.encode() for each in texts]
    constants += [
        struct.pack(">BH", 7, 1),
        struct.pack(">BHH", 12, 3, 4),
        struct.pack(">BHH", 10, 5, 6),
        struct.pack(">BBH", 15, 6, 7),
    ]
    first = len(constants) + 1
    constants += [struct.pack(">BHH", 17, level, 6) for level in range(levels)]
    bootstraps = b"".join(
        struct.pack(">HH", 8, times) + times * struct.pack(">H", first + level + 1)
        for level in range(levels - 1)
    )
    bootstraps += struct.pack(">HH", 8, 0)
    content = struct.pack(">IHHH", 0xCAFEBABE, 0, 61, len(constants) + 1) + b"".join(constants)
    # Of the class above it is the first of these constants.
    content += struct.pack(">HHHHHHH", 0x21, 5, first, 0, 0, 0, 1)
    content += struct.pack(">HIH", 2, len(bootstraps) + 2, levels) + bootstraps
    assert said_by(content) is None
    shorter = content.replace(struct.pack(">HH", 8, times), struct.pack(">HH", 8, 0))
    assert said_by(shorter) is not None


def test_what_is_no_class_file_has_no_methods() -> None:
    assert said_by(b"") is None
    assert said_by(b"\xca\xfe\xba\xbe" + bytes(4) + b"\xff" * 40) is None


def test_libraries_are_compared_by_their_content() -> None:
    digest, other = "a" * 64, "b" * 64
    before = digests(f"{digest}  junit/junit.jar\nnoise\n".encode())
    assert before == {"junit/junit.jar": digest}
    assert changed(before, {**before, "more.jar": other}) == []
    assert changed(before, {"junit/junit.jar": other}) == ["junit/junit.jar"]
    assert changed(before, {}) == ["junit/junit.jar"]


def test_a_launcher_beside_the_launcher_is_seen() -> None:
    place = "org/junit/platform/junit-platform-launcher"
    before = {f"{place}/1/a.jar": "a"}
    assert changed(before, {**before, f"{place}/9/a.jar": "a"}) == [f"{place}/9/a.jar"]
    # Where only Surefire fetches one, there is none before.
    assert changed({}, before) == []


@pytest.mark.parametrize(
    ("relative", "files", "found"),
    [
        ("../parent.txt", {"parent.txt"}, "parent.txt"),
        ("../parent", {"parent/pom.xml"}, "parent/pom.xml"),
        ("..", {"pom.xml"}, "pom.xml"),
        ("../pom.xml", set(), None),
        ("../../pom.xml", {"pom.xml"}, None),
    ],
)
def test_a_parent_is_what_maven_takes(relative: str, files: set[str], found: str | None) -> None:
    pom = read_pom(
        "a/pom.xml",
        f"<project><parent><relativePath>{relative}</relativePath></parent></project>".encode(),
    )
    assert parent_path(pom, files) == found


def test_code_that_begins_to_look_where_it_runs_is_seen(tmp_path: Path) -> None:
    content = _compiled(tmp_path / "made", SOURCE)
    for kind in ("classes", "test-classes"):
        folder = tmp_path / "out/0" / kind
        folder.mkdir(parents=True)
        (folder / "A.class").write_bytes(content)
    resolved = Resolved((Module("", (), ()),), "key", in_image=True)
    compiled = OwnCompile(resolved, SourceTree.scan(tmp_path / "out"), {})
    nothing: dict[str, list[str]] = {"classes": [], "test-classes": []}
    # Tests may have their reasons.
    assert new_reach(compiled, nothing) == [("classes", "A", True), ("classes", "A", False)]
    assert new_reach(compiled, {**nothing, "test-classes": ["classes"]}) == [("classes", "A", True)]
    assert new_reach(compiled, base_reach(compiled)) == []


def test_maven_has_to_build_what_the_harness_compiles(tmp_path: Path) -> None:
    own = tmp_path / "out/0/classes"
    made = tmp_path / "tree/target/classes"
    for folder, source in ((own, SOURCE), (made, SOURCE.replace("1.5", "2.5"))):
        folder.mkdir(parents=True)
        (folder / "A.class").write_bytes(_compiled(tmp_path / "src" / folder.parent.name, source))
    resolved = Resolved((Module("", (), ()),), "key", in_image=True)
    compiled = OwnCompile(resolved, SourceTree.scan(tmp_path / "out"), {})
    assert compiled.unlike(SourceTree.scan(tmp_path / "tree")) == ["target/classes/A.class"]
    assert compiled.unlike(SourceTree.scan(tmp_path / "out")) == []


def _archive(entries: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, each in entries.items():
            archive.writestr(name, each)
    return content.getvalue()


def test_an_archive_has_every_class_as_it_was_compiled(tmp_path: Path) -> None:
    own = own_compile(
        tmp_path, {"classes": {"A": "class A { int of() { return 1; } }", "B": "class B { }"}}
    )
    a, b = ((tmp_path / f"out/0/classes/a/{name}.class").read_bytes() for name in "AB")
    for place in ("", "WEB-INF/classes/", "BOOT-INF/classes/"):
        good = {f"{place}a/A.class": a, f"{place}a/B.class": b, "META-INF/MANIFEST.MF": b""}
        assert wrong(_archive(good), own, "") == ""
    assert wrong(_archive({"a/A.class": a}), own, "") == "a.B is not in it"
    assert "does not do" in wrong(_archive({"a/A.class": b, "a/B.class": b}), own, "")
    other = {"a/A.class": a, "a/B.class": b, "META-INF/versions/17/a/A.class": a}
    assert "some releases" in wrong(_archive(other), own, "")
    assert wrong(None, own, "") == "there is no archive"
    assert "cannot be read" in wrong(b"PK", own, "")


def test_what_inherits_a_lost_helper_is_lost(tmp_path: Path) -> None:
    sources = {
        "Contract": "abstract class Contract { }",
        "Middle": "class Middle extends Contract { }",
        "OneTest": "class OneTest { Object of() { return new Middle() { }; } }",
        "TwoTest": "class TwoTest { }",
    }
    own = own_compile(tmp_path, {"base-test-classes": sources})
    assert lost_tests(own) == set()
    lost = replace(own, lost=frozenset({"a.Contract"}))
    assert lost_tests(lost) == {"a.Contract", "a.Middle", "a.OneTest"}
