"""What the first round of the hunt led to: class files, libraries, parents."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.libraries import changed, digests
from pytest_benchmac.tracks.maven.own.reach import base_reach, new_reach
from pytest_benchmac.tracks.maven.own.samecode import called, methods_of
from pytest_benchmac.tracks.maven.pom import parent_path, read_pom

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
    assert methods_of(one)
    assert methods_of(one) == methods_of(two)
    assert "java/lang/ClassLoader.getSystemClassLoader" in called(one)


@pytest.mark.parametrize(
    ("old", "new"),
    [("1.5", "2.5"), ("== 3", "!= 3"), ('"b"', '"c"'), ("return 5", "return 4"), ("case 2: ", "")],
)
def test_another_source_does_not(old: str, new: str, tmp_path: Path) -> None:
    one = _compiled(tmp_path / "one", SOURCE)
    two = _compiled(tmp_path / "two", SOURCE.replace(old, new))
    assert methods_of(one) != methods_of(two)


def test_what_is_no_class_file_has_no_methods() -> None:
    assert methods_of(b"") is None
    assert methods_of(b"\xca\xfe\xba\xbe" + bytes(4) + b"\xff" * 40) is None


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
