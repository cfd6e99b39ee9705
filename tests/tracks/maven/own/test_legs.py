"""What is found in what was compiled and tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.checks import check_doubts
from pytest_benchmac.tracks.maven.own.classpath import bare_pom, resolution_key
from pytest_benchmac.tracks.maven.own.mutants import Doubts, renamed_types
from pytest_benchmac.tracks.maven.own.running import jvm_options, opening_options
from pytest_benchmac.tracks.maven.pom import MavenProject
from tests.tracks.maven.maven_trees import (
    GREENHOUSE,
    LEDGERPRINT,
    WAYMARK,
    base_survey,
    make_patch,
    survey,
)
from tests.tracks.maven.maven_trees import (
    replace as replace_text,
)

JARS = {"": ["junit/junit/4.13.2/junit-4.13.2.jar"]}
FACTS: dict[str, Any] = {
    "noticed": {"a.B#c/0": ["", "a.BTest"]},
    "jars": JARS,
    "passing": {"a.BTest": 3, "a.CTest": 4, "a.DTest": 30},
}
GOOD = Doubts(seed=1, pool=29, judged=29, noticed=29, base_classes=7, base_compiled=7, base_ran=37)
METHODS = tuple(f"a.B#m{number}/0" for number in range(29))


def _project(path: Path) -> MavenProject:
    return survey(path)[1]


def _found(doubts: Doubts, **facts: Any) -> dict[str, bool]:
    """Code -> is it fatal?"""
    findings = Findings()
    check_doubts(findings, {**FACTS, **facts}, doubts)
    return {f.code: f.severity is Severity.FATAL for f in findings.result()}


def test_tests_that_notice_what_the_bases_do_are_believed() -> None:
    assert _found(GOOD) == {}
    assert _found(replace(GOOD, noticed=27, missed=METHODS[:2])) == {}


@pytest.mark.parametrize(
    "doubts",
    [
        replace(GOOD, noticed=26, missed=METHODS[:3]),
        replace(GOOD, judged=26, noticed=26, gone=METHODS[:3]),
        replace(GOOD, judged=27, noticed=26, missed=METHODS[:1], gone=METHODS[1:3]),
    ],
)
def test_tests_that_notice_less_are_not(doubts: Doubts) -> None:
    assert _found(doubts) == {"tests-notice-less": True}


def test_a_suite_that_comes_to_no_end_is_not_believed() -> None:
    slow = replace(GOOD, judged=10, noticed=10)
    assert _found(slow) == {"tests-too-slow": True}


def test_a_test_of_the_base_that_fails_counts_unless_the_bases_code_fails_it() -> None:
    tests = tuple(f"a.BTest#x{n}" for n in range(4))
    assert _found(replace(GOOD, base_failed=tests[:1])) == {"base-tests-fail": True}
    # Another library, or another Java, may answer otherwise.
    one = replace(GOOD, base_failed=tests[:1], base_excused=tests[:1])
    assert _found(one) == {"base-tests-fail": False}
    two = replace(GOOD, base_failed=tests[:2], base_excused=tests[:1])
    assert _found(two) == {"base-tests-fail": True}
    # But not of everything.
    many = replace(GOOD, base_failed=tests, base_excused=tests)
    assert _found(many) == {"base-tests-fail": True}


def test_tests_of_the_base_have_to_compile() -> None:
    assert _found(replace(GOOD, base_compiled=6)) == {"base-tests-lost": False}
    assert _found(replace(GOOD, base_compiled=3)) == {"base-tests-lost": True}
    # As they do with the base's code.
    few = replace(GOOD, base_compiled=6, base_lost=("a.BTest",))
    assert _found(few) == {"base-tests-lost": False}
    many = replace(GOOD, base_compiled=6, base_lost=("a.CTest",))
    assert _found(many) == {"base-tests-lost": True}


def test_a_base_that_cannot_be_tried_is_said_so() -> None:
    found = _found(GOOD, noticed={})
    assert found == {"tests-not-doubted": False}


def test_a_renamed_class_is_known_by_its_methods(tmp_path: Path) -> None:
    make_patch(GREENHOUSE, lambda _: None, tmp_path / "tree")
    patched, _ = survey(tmp_path / "tree")
    renamed = renamed_types(base_survey(GREENHOUSE.id).java, patched.java)
    assert renamed == {"org.greenhouse.model.record": "org.greenhouse.model.Reading"}


def test_a_project_file_for_maven_has_nothing_that_runs(tmp_path: Path) -> None:
    project = _project(GREENHOUSE.directory / "source")
    for pom in project.poms.values():
        bare = bare_pom(pom, processors=False)
        assert b"<plugin" not in bare
        assert b"<build>" not in bare
    assert b"<junit-jupiter.version>" in bare_pom(project.poms["pom.xml"], processors=False)


@pytest.mark.parametrize(("instance", "same"), [(WAYMARK, True), (LEDGERPRINT, False)])
def test_libraries_are_resolved_again_where_they_changed(
    instance: Any, same: bool, tmp_path: Path
) -> None:
    make_patch(instance, lambda _: None, tmp_path / "tree")
    before = resolution_key(_project(instance.directory / "source"), processors=False)
    after = resolution_key(_project(tmp_path / "tree"), processors=False)
    assert (before == after) is same


def test_the_jvm_of_the_tests_gets_what_surefire_gives_it(tmp_path: Path) -> None:
    make_patch(WAYMARK, lambda _: None, tmp_path / "tree")
    replace_text(
        tmp_path / "tree",
        "pom.xml",
        (
            "          <version>2.22.3</version>\n",
            "          <version>2.22.3</version><configuration>"
            "<argLine>-Xmx64m -javaagent:x.jar</argLine><systemPropertyVariables>"
            "<places>${junit.version}</places></systemPropertyVariables></configuration>\n",
        ),
    )
    options = jvm_options(_project(tmp_path / "tree"), "")
    assert options == ["-Xmx64m", "-Dplaces=4.13.2"]


def test_only_what_opens_modules_is_told_to_the_bases_tests() -> None:
    opening = ["--add-opens", "java.base/java.util=ALL-UNNAMED", "--add-modules=java.sql"]
    assert opening_options(["-Dmode=fine", *opening, "-Xmx64m", "-Duser.country=AQ"]) == opening


def test_a_parent_in_the_tree_is_read_though_it_is_no_module(tmp_path: Path) -> None:
    make_patch(GREENHOUSE, lambda _: None, tmp_path / "tree")
    root = tmp_path / "tree"
    (root / "parent").mkdir()
    (root / "parent/pom.xml").write_text((root / "pom.xml").read_text())
    replace_text(
        root,
        "model/pom.xml",
        ("  </parent>", "    <relativePath>../parent/pom.xml</relativePath>\n  </parent>"),
    )
    project = _project(root)
    assert "parent/pom.xml" in project.poms
    assert "parent/pom.xml" not in project.reactor
