"""The last lines of scripts/test, from what pytest itself wrote."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.closing_lines import longest, undeclared

SCRIPT = Path(__file__).parents[2] / "scripts" / "closing_lines.py"

pytest_plugins = ["pytester"]

TESTS = """
import pytest

def test_passes(record_property):
    record_property("benchmac_corpus", ("angular", "exploit", "whole", "forger", False))
    record_property("benchmac_corpus", ("angular", "exploit", "static", "liar", False))
    record_property("benchmac_corpus", ("angular", "honest", "whole", "renamed", True))
    record_property("benchmac_corpus", ("maven", "control", "whole", "forger", True))
    record_property("benchmac_promise", ("crash", 50))
    record_property("benchmac_promise", ("input", 2000))

def test_is_not_run():
    pytest.skip("no pdflatex here")
"""


def closing_lines(
    reports: Path, failed: str = "", missing: str = "", ci: str = ""
) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), str(reports), failed, missing, "61.5"]
    env = {**os.environ, "CI": ci}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_module_that_is_skipped_whole_has_its_reason(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_one="def test_passes(): pass",
        test_two="import pytest\npytest.importorskip('gone', reason='no pdflatex here')",
    )
    pytester.runpytest_subprocess("--junit-xml=reports/tests.xml")
    code, said = closing_lines(pytester.path / "reports", ci="true")
    assert (code, said.count("1 x no pdflatex here\n")) == (0, 1), said


def test_what_passed_and_what_was_not_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess("--junit-xml=reports/unit_tests.xml")
    code, said = closing_lines(pytester.path / "reports", missing="\n  docker: no engine answers")
    assert code == 0
    assert "unit tests" in said
    assert "test_what_passed_and_what_was_not_run" in said.partition("Seconds per module")[2]
    assert "Not run: 1 part(s), 1 test(s)\n  docker: no engine answers\n" in said
    assert "1 x no pdflatex here" in said
    assert (
        "angular: exploits credited: 0 of 1 whole, 0 of 1 static; "
        "honest patches rejected: 1 of 1 whole\n"
        "maven: controls that fail: 1 of 1 whole\n"
    ) in said
    assert (
        "crashes survived 50 of 50, faults misattributed 0 of 0, "
        "inputs fuzzed 2000 with 0 crashes\n"
    ) in said
    assert said.rstrip().endswith("=")
    assert " 1 passed, 1 skipped in 61.50s " in said


def test_where_the_time_of_tests_goes() -> None:
    names = [f"tests.test_{number}" for number in range(14)]
    said = longest(dict(zip(names, range(14), strict=True)))
    assert said.splitlines()[0] == "      13  tests.test_13"
    assert said.splitlines()[-2:] == ["       2  tests.test_2", "       1  2 others"]
    assert "others" not in longest({"tests.test_it": 3.0})


def test_every_failing_test_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_fails():\n    assert 1 == 2\n")
    pytester.runpytest_subprocess("--junit-xml=reports/unit_tests.xml")
    code, said = closing_lines(pytester.path / "reports", failed="\n  unit tests")
    assert code == 1
    assert "Failed steps: 1\n  unit tests\n" in said
    assert "test_it::test_fails: assert 1 == 2" in said


PROMISES = """
import pytest

@pytest.mark.parametrize("fault", ["reset", "closed", "timeout"])
@pytest.mark.promise("fault")
def test_fault(fault):
    if fault == "timeout":
        pytest.skip("npm is not installed")
    assert fault == "reset"

def test_kills(record_property):
    record_property("benchmac_promise", ("crash", 7))
    assert 1 == 2

def test_inputs(record_property):
    record_property("benchmac_promise", ("input", 40))
    assert 1 == 2
"""


def test_a_promise_is_broken_by_the_test_that_failed(pytester: pytest.Pytester) -> None:
    """The mark's part is done by the conftest.py of our tests."""
    pytester.makeconftest((Path(__file__).parents[1] / "conftest.py").read_text())
    pytester.makepyfile(PROMISES)
    pytester.runpytest_subprocess("--junit-xml=reports/unit_tests.xml")
    said = closing_lines(pytester.path / "reports")[1]
    assert (
        "crashes survived 6 of 7, faults misattributed 1 of 2, inputs fuzzed 40 with 1 crashes\n"
    ) in said


def test_nothing_run_is_no_success(tmp_path: Path) -> None:
    assert closing_lines(tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("reason", "ci", "code"),
    [
        ("npm is not installed", "", 0),
        ("npm is not installed", "true", 1),
        ("mvn is not installed", "true", 0),
        ("somebody was in a hurry", "", 1),
        ("got empty parameter set for (name)", "", 1),
    ],
)
def test_no_test_vanishes_for_a_reason_that_is_not_declared(
    pytester: pytest.Pytester, reason: str, ci: str, code: int
) -> None:
    pytester.makepyfile(TESTS.replace("no pdflatex here", reason))
    pytester.runpytest_subprocess("--junit-xml=reports/unit_tests.xml")
    found, said = closing_lines(pytester.path / "reports", ci=ci)
    assert found == code
    assert f"(skips.toml): {code}\n" in said


def test_the_reasons_in_the_tests_are_declared() -> None:
    tests = Path(__file__).parents[1]
    reasons = [
        reason
        for path in tests.rglob("*.py")
        if path.name != Path(__file__).name
        for reason in _reasons(ast.parse(path.read_text()))
    ]
    assert len(reasons) > 10
    assert undeclared(reasons, ci=False) == []


def _reasons(tree: ast.AST) -> Iterator[str]:
    """What `pytest.skip` and `skipif` are given where it is written there; values as `x`."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = ast.unparse(call.func)
        given = [key.value for key in call.keywords if key.arg == "reason"]
        given += call.args[:1] if called == "pytest.skip" else []
        if called not in ("pytest.skip", "pytest.mark.skipif", "pytest.mark.skip"):
            continue
        for text in given:
            if isinstance(text, ast.Constant):
                yield str(text.value)
            elif isinstance(text, ast.JoinedStr):
                parts = (v.value if isinstance(v, ast.Constant) else "x" for v in text.values)
                yield "".join(map(str, parts))
