"""A test runner in a sandbox of its own, and what our reporter wrote there, taken as hostile."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.errors import CopyLimitError, SandboxError
from pytest_benchmac.model.settings import GIB, MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.angular.boot.browser import CHROMIUM, CHROMIUM_PACKAGES, chromium_check
from pytest_benchmac.tracks.angular.tests.runs import (
    MAX_CASES,
    MAX_NAME,
    CaseOutcome,
    ReporterName,
    Run,
    run_of,
)
from pytest_benchmac.tracks.archiving import pack, unpack

_TREE_BYTES = 2 * GIB
_RESULT_BYTES = 16 * MIB
_REMOVE_TIMEOUT_S = 600.0
_MAX_ERRORS, _MAX_MESSAGE = 10, 2_000
#: Neither goes along: what earlier stages left there is no part of the patched source.
_LEFT_BEHIND = ("./.git", "./.angular")


class BrokenRunError(Exception):
    """The tests broke off, or left something that is no result: the application's own doing."""


def tests_recipe(base: BaseRecipe) -> BaseRecipe:
    """The exact Node and npm of an instance, and Debian's Chromium.

    Args:
        base: the instance's own recipe.
    """
    return BaseRecipe(
        reference=None,
        apt_packages=CHROMIUM_PACKAGES,
        packages=base.packages,
        checks=(*base.checks, chromium_check()),
    )


class Reported(Model):
    """What the harness's reporters write, by way of `report.cjs`."""

    cases: Annotated[
        tuple[
            tuple[Annotated[str, StringConstraints(max_length=MAX_NAME)], CaseOutcome],
            ...,
        ],
        Field(max_length=MAX_CASES),
    ]
    #: Cases beyond the bound.
    unkept: Annotated[int, Field(ge=0)]
    #: Did the run come to its end, without an error outside of the cases?
    ended: bool
    browser_failed: bool
    errors: Annotated[
        tuple[Annotated[str, StringConstraints(max_length=_MAX_MESSAGE)], ...],
        Field(max_length=_MAX_ERRORS),
    ]


def read_report(content: bytes) -> Run:
    """The run that a report tells of.

    Raises:
        BrokenRunError: it is none, or of a run that did not come to its end.
        SandboxError: there was no browser to run them.
    """
    try:
        reported = Reported.model_validate_json(content)
    except ValidationError as error:
        raise BrokenRunError(f"the tests' result is none: {error.errors()[0]['msg']}") from error
    if reported.browser_failed and not reported.cases:
        raise SandboxError(
            "the browser does not start in its sandbox; the log of the stage says why",
            remedy="`benchmac images` lists its base: remove it, and it is made anew.",
        )
    if not reported.ended:
        why = f": {shown(reported.errors[0])}" if reported.errors else ""
        raise BrokenRunError(f"the tests broke off{why}")
    if reported.unkept:
        raise BrokenRunError(f"there are more than {MAX_CASES} tests")
    return run_of(reported.cases)


def pack_project(sandbox: Sandbox, folder: Path, log: Path) -> Path:
    """The project of a case's sandbox, packages included, as one tar in a folder of the host.

    Raises:
        BrokenRunError: it cannot be packed.
        CopyLimitError: it is too large.
    """
    project = folder / "project.tar"
    if not pack(sandbox, ["."], project, max_bytes=_TREE_BYTES, log=log, leave_out=_LEFT_BEHIND):
        raise BrokenRunError("the project cannot be packed; the log of it says why")
    return project


@dataclass(frozen=True)
class Reporter:
    """What is added to an instance's command, so that the harness is told by words of its own."""

    #: The file of this package that the options name.
    file: str
    #: They beat what the project configures; `{file}` is the file in the sandbox.
    options: tuple[str, ...]


REPORTERS: Mapping[ReporterName, Reporter] = {
    "karma": Reporter(
        "karma.conf.cjs",
        (
            "--watch=false",
            "--karma-config={file}",
            "--browsers=Benchmac",
            "--reporters=benchmac",
            "--code-coverage=false",
            "--source-map=false",
            "--progress=false",
        ),
    ),
    "jest": Reporter(
        "jest_reporter.cjs",
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
        "vitest_reporter.mjs",
        (
            "--watch=false",
            "--reporter={file}",
            "--coverage.enabled=false",
            "--sequence.shuffle=false",
        ),
    ),
}


class TestRunner:
    """Runs a project's tests in a sandbox of `tests_recipe`.

    Args:
        sandbox: started, with an empty project and without any network.
        reporter: what runs the tests.
        log: where the output of unpacking goes.
    """

    __test__ = False

    def __init__(self, sandbox: Sandbox, reporter: ReporterName, log: Path) -> None:
        self._sandbox = sandbox
        self._reporter = REPORTERS[reporter]
        self._log = log
        self._result = sandbox.home / "tests.json"
        self._folder = sandbox.inbox / "tests"

    def bring(self, project: Path) -> None:
        """Unpack a project that `pack_project` made, and bring the reporter.

        Raises:
            BrokenRunError: it cannot be unpacked.
        """
        sandbox = self._sandbox
        if not unpack(sandbox, project, log=self._log):
            raise BrokenRunError("the project cannot be unpacked; the log of it says why")
        plan = {
            "chromium": str(CHROMIUM),
            "result": str(self._result),
            "bounds": {
                "cases": MAX_CASES,
                "name": MAX_NAME,
                "errors": _MAX_ERRORS,
                "message": _MAX_MESSAGE,
            },
        }
        package = files("pytest_benchmac.tracks.angular.tests")
        for name in (self._reporter.file, "report.cjs"):
            sandbox.copy_in((package / name).read_bytes(), self._folder / name)
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
        file = self._folder / self._reporter.file
        options = [each.format(file=file) for each in self._reporter.options]
        code = run(f"{command} {shlex.join(options)}")
        content = self._take_result()
        if content is None:
            ended = "took too long" if code is None else f"ended with exit code {code}"
            raise BrokenRunError(f"the tests left no result: `{command}` {ended}")
        return read_report(content)

    def _take_result(self) -> bytes | None:
        sandbox = self._sandbox
        with TemporaryDirectory() as folder:
            try:
                copied = sandbox.copy_out(
                    self._result, Path(folder), max_bytes=_RESULT_BYTES, max_files=1
                ).files
            except CopyLimitError as error:
                raise BrokenRunError(f"the tests' result is too large: {error}") from error
            content = (Path(folder) / copied[0].path).read_bytes() if copied else None
        # The next run is not to find it.
        name = shlex.quote(str(self._result))
        sandbox.run(f"rm -rf {name}", timeout_s=_REMOVE_TIMEOUT_S, log=self._log)
        return content
