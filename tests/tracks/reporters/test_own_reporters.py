"""The reporters of pytest and node:test, with the real runners and without a sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.reporters.report import BrokenRunError, read_report
from pytest_benchmac.tracks.reporters.runner import REPORTERS
from pytest_benchmac.tracks.reporters.surefire import read_surefire
from pytest_benchmac.tracks.runs import CaseOutcome

PASSED, FAILED, SKIPPED = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED


def _run(name: str, command: list[str], root: Path) -> Path:
    """Run a command with a reporter's files, options and variables; the report."""
    reporter, folder = REPORTERS[name], root / "reporter"
    folder.mkdir()
    for file in reporter.files:
        (folder / file.name).write_bytes(file.read_bytes())
    result = root / "result.json"
    bounds = {"cases": 50, "name": 500, "errors": 10, "message": 2000}
    (folder / "plan.json").write_text(json.dumps({"result": str(result), "bounds": bounds}))
    first = folder / reporter.files[0].name
    options = [each.format(file=first) for each in reporter.options]
    env = {k: v.format(file=first, folder=folder) for k, v in reporter.env.items()}
    unset = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    subprocess.run(
        [*command, *options], cwd=root / "project", env={**unset, **env}, check=False, timeout=300
    )
    return result


PYTEST = """
import pytest
import unittest

@pytest.fixture
def broken():
    raise ValueError

@pytest.fixture
def breaks():
    yield
    raise ValueError

@pytest.mark.parametrize("n", [1, 2])
def test_counted(n):
    assert n == 1

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_known():
    assert False

def test_set_up(broken):
    pass

def test_torn_down(breaks):
    pass

class TestOld(unittest.TestCase):
    def test_old(self):
        self.assertEqual(1, 1)
"""


def test_pytest(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_a.py").write_text(PYTEST)
    (project / "pytest.ini").write_text("[pytest]\n")
    report = _run("pytest", [sys.executable, "-m", "pytest", "-q", "-p", "no:benchmac"], tmp_path)
    assert read_report(report.read_bytes()) == {
        "test_a.py::test_counted[1]": PASSED,
        "test_a.py::test_counted[2]": FAILED,
        "test_a.py::test_skipped": SKIPPED,
        "test_a.py::test_known": SKIPPED,
        "test_a.py::test_set_up": FAILED,
        "test_a.py::test_torn_down": FAILED,
        "test_a.py::TestOld::test_old": PASSED,
    }


def test_pytest_without_a_test_broke_off(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    report = _run("pytest", [sys.executable, "-m", "pytest", "-p", "no:benchmac"], tmp_path)
    with pytest.raises(BrokenRunError, match="status 5"):
        read_report(report.read_bytes())


def test_a_module_that_cannot_be_imported_is_a_failed_case(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_a.py").write_text("import nothing_of_that_name\n")
    report = _run("pytest", [sys.executable, "-m", "pytest", "-p", "no:benchmac"], tmp_path)
    assert read_report(report.read_bytes()) == {"test_a.py": FAILED}


NODE = """
const { describe, it, test } = require('node:test');
const assert = require('node:assert');
describe('outer', () => {
  it('one', () => assert.ok(true));
  it('two', () => assert.ok(false));
  it.skip('three', () => assert.ok(true));
  describe('inner', () => { it('one', () => assert.ok(true)); });
});
test('alone', () => {});
test.todo('later');
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "b.test.js").write_text(NODE)
    (project / "a.test.js").write_text("require('node:test').test('first', () => {});\n")
    (project / "c.test.js").write_text("throw new Error('no');\n")
    files = ["a.test.js", "b.test.js", "c.test.js"]
    run = read_report(_run("node", ["node", "--test", *files], tmp_path).read_bytes())
    own = {name: outcome for name, outcome in run.items() if "c.test.js" not in name}
    assert own == {
        "first": PASSED,
        "outer > one": PASSED,
        "outer > two": FAILED,
        "outer > three": SKIPPED,
        "outer > inner > one": PASSED,
        "alone": PASSED,
        "later": SKIPPED,
    }
    # A file that throws is a failed case, by its name.
    assert [outcome for name, outcome in run.items() if "c.test.js" in name] == [FAILED]


def test_surefire(tmp_path: Path) -> None:
    folder = tmp_path / "module/target/surefire-reports"
    folder.mkdir(parents=True)
    (folder / "TEST-a.A.xml").write_text(
        '<testsuite><testcase classname="a.A" name="one"/>'
        '<testcase classname="a.A" name="one"/>'
        '<testcase classname="a.A" name="two"><failure/></testcase>'
        '<testcase classname="a.A" name="three"><skipped/></testcase></testsuite>'
    )
    run = read_surefire(SourceTree.scan(tmp_path))
    assert run == {
        "a.A#one": PASSED,
        "a.A#one [2]": PASSED,
        "a.A#two": FAILED,
        "a.A#three": SKIPPED,
    }
    (folder / "TEST-a.B.xml").write_text("<no")
    with pytest.raises(BrokenRunError, match=r"TEST-a\.B\.xml"):
        read_surefire(SourceTree.scan(tmp_path))
