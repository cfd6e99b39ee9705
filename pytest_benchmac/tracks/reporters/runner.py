"""Test runs in a sandbox, told by a reporter of the harness."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.copying import read_file
from pytest_benchmac.tracks.archiving import unpack
from pytest_benchmac.tracks.reporters.gotest import read_go
from pytest_benchmac.tracks.reporters.report import (
    MAX_ERRORS,
    MAX_MESSAGE,
    BrokenRunError,
    read_report,
)
from pytest_benchmac.tracks.reporters.surefire import FOLDERS, read_surefire
from pytest_benchmac.tracks.runs import MAX_CASES, MAX_NAME, Run

_RESULT_BYTES = 16 * MIB
#: Of a project that holds its reports.
_PROJECT_BYTES, _PROJECT_FILES = 1024 * MIB, 100_000
_REMOVE_TIMEOUT_S = 600.0
_FILES = files("pytest_benchmac.tracks.reporters")
#: Collects outcomes and writes the report: for every reporter that is a script.
REPORT_SCRIPT = _FILES / "report.cjs"


@dataclass(frozen=True)
class Reporter:
    """What is added to an instance's command, so that the harness is told by words of its own."""

    #: They lie in one folder of the sandbox, beside `plan.json`; the options name the first.
    files: tuple[Traversable, ...]
    #: They beat what the project configures; `{file}` is the first file in the sandbox.
    options: tuple[str, ...]
    #: The run that the report tells of; raises what `read_report` does.
    read: Callable[[bytes], Run] = read_report
    #: For `plan.json`, where the files read it, beside the report's place and bounds.
    plan: Mapping[str, str] = field(default_factory=dict)
    #: Variables of the command; `{file}` is the first file in the sandbox, `{folder}` its folder.
    env: Mapping[str, str] = field(default_factory=dict)
    #: Is what the command prints the report?
    printed: bool = False
    #: Reads the run from files that the command left in the project; then there is no report.
    #: The folders of that name are removed before each run.
    left: tuple[frozenset[str], Callable[[SourceTree], Run]] | None = None


REPORTERS: Mapping[str, Reporter] = {
    "jest": Reporter(
        (_FILES / "jest_reporter.cjs", REPORT_SCRIPT),
        (
            "--ci",
            "--watchAll=false",
            "--reporters={file}",
            "--coverage=false",
            "--cache=false",
            "--colors=false",
        ),
    ),
    "vitest": Reporter(
        (_FILES / "vitest_reporter.mjs", REPORT_SCRIPT),
        (
            "--watch=false",
            "--reporter={file}",
            "--coverage.enabled=false",
            "--sequence.shuffle=false",
        ),
    ),
    "pytest": Reporter(
        (_FILES / "benchmac_pytest_reporter.py",),
        ("-p", "benchmac_pytest_reporter", "-p", "no:cacheprovider", "-p", "no:randomly"),
        env={"PYTHONPATH": "{folder}"},
    ),
    # Its options go before the files that the command names.
    "node": Reporter(
        (_FILES / "node_reporter.mjs", REPORT_SCRIPT),
        (),
        env={"NODE_OPTIONS": "--test-reporter={file} --test-reporter-destination=stdout"},
    ),
    "surefire": Reporter((), (), left=(frozenset(FOLDERS), read_surefire)),
    "go": Reporter((), ("-json",), read=read_go, printed=True),
}


class TestRunner:
    """Runs a project's tests in a sandbox that has what they need.

    Args:
        sandbox: started, with an empty project and without any network.
        reporter: of what runs the tests.
        log: where the output of unpacking goes.
    """

    __test__ = False

    def __init__(self, sandbox: Sandbox, reporter: Reporter, log: Path) -> None:
        self._sandbox = sandbox
        self._reporter = reporter
        self._log = log
        self._result = sandbox.home / "tests.json"
        self._folder = sandbox.inbox / "tests"

    def bring(self, project: Path) -> None:
        """Unpack a project that `archiving.pack` made, and bring the reporter.

        Raises:
            BrokenRunError: it cannot be unpacked.
        """
        sandbox = self._sandbox
        if not unpack(sandbox, project, log=self._log):
            raise BrokenRunError("the project cannot be unpacked; the log of it says why")
        plan = {
            **self._reporter.plan,
            "result": str(self._result),
            "bounds": {
                "cases": MAX_CASES,
                "name": MAX_NAME,
                "errors": MAX_ERRORS,
                "message": MAX_MESSAGE,
            },
        }
        for file in self._reporter.files:
            sandbox.copy_in(file.read_bytes(), self._folder / file.name)
        sandbox.copy_in(json.dumps(plan).encode(), self._folder / "plan.json")

    def run(self, command: str, run: Callable[[str], int | None]) -> Run:
        """Run the tests once.

        Args:
            command: the instance's, which options of the harness are added to.
            run: runs a command in the sandbox; its exit code, None when it was killed.

        Raises:
            BrokenRunError: they broke off, or left no result that can be read.
            SandboxError: the sandbox failed.
        """
        reporter, folder = self._reporter, self._folder
        file = folder / reporter.files[0].name if reporter.files else folder
        options = [each.format(file=file) for each in reporter.options]
        line = f"{command} {shlex.join(options)}".rstrip()
        for name, value in reporter.env.items():
            line = f"export {name}={shlex.quote(value.format(file=file, folder=folder))}; {line}"
        if reporter.left is not None:
            names, read = reporter.left
            self._remove_folders(names)
            code = run(line)
            return self._read_left(read, command, code)
        code = run(f"{line} > {self._result}" if reporter.printed else line)
        content = self._take_result()
        if content is None:
            ended = "took too long" if code is None else f"ended with exit code {code}"
            raise BrokenRunError(f"the tests left no result: `{command}` {ended}")
        return self._reporter.read(content)

    def _remove_folders(self, names: frozenset[str]) -> None:
        """What an install left there is no run."""
        named = " -o ".join(f"-name {shlex.quote(name)}" for name in sorted(names))
        line = f"find . -type d \\( {named} \\) -prune -exec rm -rf {{}} +"
        self._sandbox.run(line, timeout_s=_REMOVE_TIMEOUT_S, log=self._log)

    def _read_left(self, read: Callable[[SourceTree], Run], command: str, code: int | None) -> Run:
        with TemporaryDirectory() as folder:
            try:
                self._sandbox.copy_out(
                    self._sandbox.project,
                    Path(folder),
                    max_bytes=_PROJECT_BYTES,
                    max_files=_PROJECT_FILES,
                )
            except CopyLimitError as error:
                raise BrokenRunError(f"the tests leave too much: {error}") from error
            run = read(SourceTree.scan(Path(folder)))
        if not run:
            ended = "took too long" if code is None else f"ended with exit code {code}"
            raise BrokenRunError(f"the tests left no result: `{command}` {ended}")
        return run

    def _take_result(self) -> bytes | None:
        sandbox = self._sandbox
        try:
            content = read_file(sandbox, self._result, max_bytes=_RESULT_BYTES)
        except CopyLimitError as error:
            raise BrokenRunError(f"the tests' result is too large: {error}") from error
        # The next run is not to find it.
        name = shlex.quote(str(self._result))
        sandbox.run(f"rm -rf {name}", timeout_s=_REMOVE_TIMEOUT_S, log=self._log)
        return content
