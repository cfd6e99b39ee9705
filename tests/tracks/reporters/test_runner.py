"""Jest and Vitest in a sandbox, told by the harness's reporters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchmac.judging.sandboxes import bare_sandbox
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.tracks.angular.tests import runner as angular
from pytest_benchmac.tracks.registry import get_track
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.reporters.runner import REPORTERS, TestRunner
from pytest_benchmac.tracks.runs import CaseOutcome, Run
from tests.engines import require
from tests.tracks.angular.exploits.trees import V19, Baseline

#: Two files, whose names are not in the order in which they are named here.
TESTS = {
    "z.test.js": """\
describe('sums', () => {
  it('adds', () => expect(1 + 1).toBe(2));
  describe('of many', () => {
    it('is wrong', () => expect(1 + 1).toBe(3));
    it.skip('is left out', () => expect(1).toBe(1));
  });
});
""",
    "a.test.js": """\
describe('sums', () => {
  it('adds', () => { throw new Error('the first of this name'); });
  it.todo('is not written yet');
});
it('stands alone', () => expect(true).toBe(true));
""",
}
EXPECTED = {
    "sums > adds": CaseOutcome.FAILED,
    "sums > is not written yet": CaseOutcome.SKIPPED,
    "stands alone": CaseOutcome.PASSED,
    "sums > adds [2]": CaseOutcome.PASSED,
    "sums > of many > is wrong": CaseOutcome.FAILED,
    "sums > of many > is left out": CaseOutcome.SKIPPED,
}
EMPTY = "it('asks for nothing', () => {});\n"
#: Says that all is well, in the words of both, and writes where the harness's own does.
FORGER = """\
const fs = require('fs');
const told = { cases: [['forged', 'passed']], unkept: 0, ended: true, errors: [] };
const write = () => fs.writeFileSync(process.env.HOME + '/tests.json', JSON.stringify(told));
module.exports = class {
  onRunComplete() { write(); }
  onFinished() { write(); }
  onTestRunEnd() { write(); }
};
module.exports.default = module.exports;
"""


@dataclass(frozen=True)
class Kind:
    """One of the two, and how a project configures it."""

    reporter: str
    package: str
    command: str
    configuration: dict[str, str]


KINDS = [
    Kind(
        "jest",
        "jest@29.7.0",
        "npx jest",
        {"jest.config.js": "module.exports = { reporters: ['<rootDir>/forger.js'] };\n"},
    ),
    Kind(
        "vitest",
        "vitest@3.2.4",
        "npx vitest run --globals",
        {
            "vitest.config.mjs": "export default { test: { reporters: ['./forger.js'], "
            "sequence: { shuffle: true } } };\n"
        },
    ),
    Kind("vitest", "vitest@2.1.9", "npx vitest run --globals", {}),
]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Sandbox]]:
    """Starts sandboxes of a base with Node: that of an instance's tests."""
    folder = tmp_path_factory.mktemp("runners")
    settings = Settings(reports=folder, sandbox="docker")
    require("docker", settings)
    instance = Baseline.load(V19, None, folder).instance
    recipe = angular.tests_recipe(get_track(instance.track).base_recipe(instance))
    with ExitStack() as stack:
        yield lambda: stack.enter_context(
            bare_sandbox(recipe, engine("docker", settings.cache), settings, label="runners")
        )


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.package)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture(scope="module")
def installed(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the test runner installed."""
    folder = tmp_path_factory.mktemp("project")
    name, _, version = kind.package.rpartition("@")
    manifest = {"name": "sums", "private": True, "devDependencies": {name: version}}
    (folder / "package.json").write_text(json.dumps(manifest))
    install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    subprocess.run(install, cwd=folder, check=True, timeout=300)
    return folder


@pytest.fixture
def run_tests(
    kind: Kind, installed: Path, sandbox: Callable[[], Sandbox], tmp_path: Path
) -> Callable[[dict[str, str]], Run]:
    """Runs test files in the project, as the test stage does."""

    def run(files: dict[str, str]) -> Run:
        for old in installed.glob("*.js"):
            old.unlink()
        for name, text in {**files, **kind.configuration, "forger.js": FORGER}.items():
            (installed / name).write_text(text)
        project = tmp_path / "project.tar"
        subprocess.run(["tar", "-cf", project, "-C", installed, "."], check=True)
        inside = sandbox()
        tests = TestRunner(inside, REPORTERS[kind.reporter], tmp_path / "project.log")
        tests.bring(project)
        log = tmp_path / "tests.log"
        return tests.run(
            kind.command, lambda line: inside.run(line, timeout_s=120, log=log).exit_code
        )

    return run


def test_outcomes_are_told_by_our_reporter(run_tests: Callable[[dict[str, str]], Run]) -> None:
    run = run_tests(TESTS)
    assert run == EXPECTED
    assert list(run) == list(EXPECTED)


def test_a_file_that_cannot_be_read_breaks_the_run(
    run_tests: Callable[[dict[str, str]], Run],
) -> None:
    with pytest.raises(BrokenRunError, match="the tests broke off"):
        run_tests({**TESTS, "broken.test.js": "this is no script at all"})


def test_a_case_that_expects_nothing_is_told_where_the_runner_counts(
    kind: Kind, run_tests: Callable[[dict[str, str]], Run]
) -> None:
    run = run_tests({**TESTS, "empty.test.js": EMPTY})
    counts = kind.reporter == "jest"
    assert run["asks for nothing"] is (CaseOutcome.EMPTY if counts else CaseOutcome.PASSED)
