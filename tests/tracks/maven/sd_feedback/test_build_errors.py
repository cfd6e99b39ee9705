"""Lists of errors, out of what Maven 3.8 and its plugins printed."""

import pytest

from pytest_benchmac.tracks.maven.sd_feedback.build_errors import (
    BuildError,
    read_errors,
    same_errors,
)

PROJECT = "/benchmac/project"
COMPILER = f"""\
\x1b[1;31m[ERROR]\x1b[m COMPILATION ERROR : \x20
[INFO] -------------------------------------------------------------
[ERROR] {PROJECT}/model/src/main/java/org/A.java:[12,8] cannot find symbol
  symbol:   class record
  location: package org.greenhouse.model
[ERROR] {PROJECT}/model/src/main/java/org/B.java:[3,1] as of release 9, '_' is a keyword
[INFO] 2 errors\x20
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile \
(default-compile) on project m: Compilation failure: Compilation failure:\x20
[ERROR] {PROJECT}/model/src/main/java/org/A.java:[12,8] cannot find symbol
[ERROR]   symbol:   class record
[ERROR]   location: package org.greenhouse.model
[ERROR] {PROJECT}/model/src/main/java/org/B.java:[3,1] as of release 9, '_' is a keyword
[ERROR] -> [Help 1]
"""
POM = f"""\
[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[FATAL] Non-parseable POM {PROJECT}/pom.xml: end tag name </b> must match (position: END_TAG) \
@ line 7, column 4
[ERROR] The build could not read 1 project -> [Help 1]
[ERROR]   The project  ({PROJECT}/pom.xml) has 1 error
"""
MISSING_VERSION = f"""\
[ERROR] The build could not read 1 project -> [Help 1]
[ERROR]   The project org.x:climate:2.0 ({PROJECT}/climate/pom.xml) has 1 error
[ERROR]     'dependencies.dependency.version' for junit:junit:jar is missing. @ line 20, column 17
"""
TESTS = """\
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE!
[ERROR] Failures:\x20
[ERROR]   FormatTest.reads:23 expected: <a> but was: <b>
[ERROR] Errors:\x20
[ERROR]   org.x.StoreTest.keeps:41->open:9 » NullPointer
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.3:test \
(default-test) on project m: There are test failures.
"""
GOAL = """\
[ERROR] Failed to execute goal on project m: Could not resolve dependencies for project x:m:jar:1: \
Could not find artifact javax.xml:none:jar:1 -> [Help 1]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
"""
SYMBOL = "cannot find symbol\nsymbol:   class record\nlocation: package org.greenhouse.model"


@pytest.mark.parametrize(
    ("output", "errors"),
    [
        (
            COMPILER,
            [
                BuildError("model/src/main/java/org/A.java", 12, 8, SYMBOL),
                BuildError(
                    "model/src/main/java/org/B.java", 3, 1, "as of release 9, '_' is a keyword"
                ),
            ],
        ),
        (
            POM,
            [
                BuildError(
                    "pom.xml",
                    7,
                    4,
                    f"Non-parseable POM {PROJECT}/pom.xml: end tag name </b> must match "
                    "(position: END_TAG)",
                )
            ],
        ),
        (
            MISSING_VERSION,
            [
                BuildError(
                    "climate/pom.xml",
                    20,
                    17,
                    "'dependencies.dependency.version' for junit:junit:jar is missing.",
                )
            ],
        ),
        (
            TESTS,
            [
                BuildError(
                    "FormatTest.java", 23, None, "FormatTest.reads expected: <a> but was: <b>"
                ),
                BuildError(
                    "StoreTest.java", 41, None, "org.x.StoreTest.keeps->open:9 » NullPointer"
                ),
            ],
        ),
        (GOAL, [BuildError("", None, None, GOAL.splitlines()[0].removeprefix("[ERROR] "))]),
        (
            "[ERROR] Unknown lifecycle phase x\n",
            [BuildError("", None, None, "Unknown lifecycle phase x")],
        ),
        ("[INFO] BUILD SUCCESS\n", []),
    ],
    ids=["compiler", "project file", "version", "tests", "goal", "anything", "none"],
)
def test_errors(output: str, errors: list[BuildError]) -> None:
    assert list(read_errors(output, PROJECT)) == errors


def test_an_error_that_moved_is_the_same() -> None:
    one = BuildError("A.java", 3, 1, "x")
    moved = BuildError("A.java", 5, 1, "x")
    other = BuildError("A.java", 3, 1, "y")
    assert same_errors([one, other], [other, moved])
    assert not same_errors([one], [one, moved])
    assert not same_errors([one], [other])
    assert not same_errors([one], [])


def test_an_error_says_where_it_is() -> None:
    assert str(BuildError("A.java", 3, 1, "x")) == "A.java:3:1: x"
    assert str(BuildError("", None, None, "x")) == "pom.xml: x"
