"""OpenRewrite as a system under test, with a program in place of Maven that shows what it meets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from tests.tracks.maven.sd_feedback.test_loop import write_tiny

#: Its recipe makes a file of what the project file says, and of how it was called.
MVN = """\
#!/bin/sh
case "$*" in *rewrite-maven-plugin*:run*UpgradeToJava17*) ;; *) exit 9;; esac
grep -o '<java.version>.*</java.version>' pom.xml > met.txt
"""


@pytest.mark.parametrize(
    ("options", "sut", "level"),
    [([], "openrewrite", "17"), (["--no-seed"], "openrewrite-no-seed", "1.8")],
)
def test_the_recipe_meets_levels_with_or_without_seed_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], sut: str, level: str
) -> None:
    write_tiny(tmp_path / "instances/tiny_java8_to_17")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mvn").write_text(MVN)
    (tmp_path / "bin/mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("BENCHMAC_CACHE", str(tmp_path / "cache"))
    where = ["--instances", str(tmp_path / "instances"), "--sandbox", "local", "--network", "open"]
    out = tmp_path / "out"
    assert main(["generate", "--sut", "openrewrite", *options, *where, "--out", str(out)]) == 0
    patch = (out / sut / "tiny_java8_to_17.patch").read_text()
    assert f"+<java.version>{level}</java.version>" in patch
    assert ("+  <java.version>17</java.version>" in patch) == (level == "17")
