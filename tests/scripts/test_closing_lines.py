"""The last lines of scripts/test, from what pytest itself wrote."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "closing_lines.py"

pytest_plugins = ["pytester"]

TESTS = """
import pytest

def test_passes(record_property):
    record_property("benchmac_corpus", ("angular", "exploit", "whole", "forger", False))
    record_property("benchmac_corpus", ("angular", "exploit", "static", "liar", False))
    record_property("benchmac_corpus", ("angular", "honest", "whole", "renamed", True))
    record_property("benchmac_corpus", ("maven", "control", "whole", "forger", True))

def test_is_not_run():
    pytest.skip("no engine here")
"""


def closing_lines(reports: Path, failed: str = "", missing: str = "") -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), str(reports), failed, missing, "61.5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_what_passed_and_what_was_not_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess("--junit-xml=reports/unit_tests.xml")
    code, said = closing_lines(pytester.path / "reports", missing="\n  docker: no engine answers")
    assert code == 0
    assert "unit tests" in said
    assert "Not run: 1 part(s), 1 test(s)\n  docker: no engine answers\n" in said
    assert "1 x no engine here" in said
    assert (
        "angular: exploits credited: 0 of 1 whole, 0 of 1 static; "
        "honest patches rejected: 1 of 1 whole\n"
        "maven: controls that fail: 1 of 1 whole\n"
    ) in said
    assert said.rstrip().endswith("=")
    assert " 1 passed, 1 skipped in 61.50s " in said


def test_every_failing_test_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_fails():\n    assert 1 == 2\n")
    pytester.runpytest_subprocess("--junit-xml=reports/unit_tests.xml")
    code, said = closing_lines(pytester.path / "reports", failed="\n  unit tests")
    assert code == 1
    assert "Failed steps: 1\n  unit tests\n" in said
    assert "test_it::test_fails: assert 1 == 2" in said


def test_nothing_run_is_no_success(tmp_path: Path) -> None:
    assert closing_lines(tmp_path)[0] == 1
