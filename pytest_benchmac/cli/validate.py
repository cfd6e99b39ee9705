"""`benchmac validate`: is each instance sound, from its file to its silver patch?"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from pytest_benchmac.cli.advice import advice
from pytest_benchmac.cli.harness import BenchmacHarness
from pytest_benchmac.cli.options import add_run_options, settings_of
from pytest_benchmac.input.instances import INSTANCE_FILE, load_instances, packaged_instances
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.prepare import judging_image
from pytest_benchmac.model.errors import InfrastructureError, InputError
from pytest_benchmac.model.evaluation import Verdict
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.report.asked import matches
from pytest_benchmac.sandbox.base import NetworkAttachment, Sandbox
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track


class CheckState(StrEnum):
    """How a check of one instance ended."""

    OK = "ok"
    FAILED = "FAILED"
    #: Infrastructure failed: says nothing about the instance.
    ERROR = "ERROR"
    #: An earlier check did not pass, or there is nothing to check.
    NONE = "-"


_STYLES = {
    CheckState.OK: "green",
    CheckState.FAILED: "bold red",
    CheckState.ERROR: "yellow",
    CheckState.NONE: "dim",
}


_GIT_SECONDS = 60


class _InvalidError(Exception):
    """What a check found wrong with the instance, in a sentence."""


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac validate`."""
    parser = subparsers.add_parser(
        "validate",
        help="check instances: file, image, leaks of history, base, reference patch",
        description="Check instances in this order: the file, the image, that the image holds no "
        "history but one commit `baseline`, that the untouched base installs and builds, that the "
        "silver patch is resolved; then what its track checks beside that. Exits 1 when an "
        "instance is not valid, 3 when infrastructure kept it from being known.",
        epilog="examples:\n"
        "  benchmac validate\n"
        "  benchmac validate 'trailbook_*' --sandbox bubblewrap\n"
        "  benchmac validate my_app_v1_to_v2 other_app_v3_to_v4 --instances my-instances",
    )
    parser.add_argument(
        "patterns", metavar="ID", nargs="*", help="instance ids, or shell patterns (default: all)"
    )
    add_run_options(parser, reports=Path("reports/validate"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check the selected instances, with a line as each check ends, then a table."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    settings = settings_of(args)
    folders = _folders(args.instances or [packaged_instances()], args.patterns)
    validations = [_Validation(folder, settings) for folder in folders]
    for number, validation in enumerate(validations, start=1):
        for check in validation.checks():
            began = time.monotonic()
            state = validation.check(check)
            console.print(
                f"[{number}/{len(validations)}] {validation.name}: {check} {state} "
                f"({time.monotonic() - began:.1f} s)"
            )
    names = dict.fromkeys(check for validation in validations for check in validation.states)
    table = Table("instance", *names, box=box.SIMPLE_HEAD, pad_edge=False)
    for validation in validations:
        row = (validation.states.get(name, CheckState.NONE) for name in names)
        table.add_row(validation.name, *(f"[{_STYLES[state]}]{state}[/]" for state in row))
    Console(highlight=False).print(table)
    for validation in validations:
        for problem in validation.problems:
            console.print(f"{validation.name}: {problem}")
        for warning in dict.fromkeys(validation.warnings):
            console.print(f"{validation.name}: note: {warning}")
    states = {state for validation in validations for state in validation.states.values()}
    if CheckState.FAILED in states:
        return 1
    return 3 if CheckState.ERROR in states else 0


def _folders(roots: Sequence[Path], patterns: Sequence[str]) -> list[Path]:
    there: list[Path] = []
    for root in roots:
        try:
            candidates = [root] if (root / INSTANCE_FILE).is_file() else sorted(root.iterdir())
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=root) from error
        there += [folder for folder in candidates if (folder / INSTANCE_FILE).is_file()]
    selected = [folder for folder in there if matches(folder.name, patterns)]
    unknown = [each for each in patterns if not any(matches(f.name, [each]) for f in there)]
    if unknown or not selected:
        raise InputError(
            f"no instance matches {' or '.join(map(repr, unknown)) or 'anything'}",
            where=", ".join(map(str, roots)),
            remedy=f"There are: {', '.join(folder.name for folder in there) or 'none'}.",
        )
    return selected


class _Validation:
    """The checks of one instance, each leaving what the next ones need."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.name = folder.name
        self.states: dict[str, CheckState] = {}
        self.problems: list[str] = []
        #: What to do about them, and what a green instance still lacks.
        self.warnings: list[str] = []
        self._folder = folder
        self._settings = settings

    def checks(self) -> Iterator[str]:
        """Names of the checks, in the order they run; those of the track last."""
        yield from _CHECKS
        if self.states["schema"] is CheckState.OK:
            yield from get_track(self._instance.track).extras().checks

    def check(self, name: str) -> CheckState:
        """Carry out one check, unless one that it needs did not pass."""
        needs, action = _CHECKS.get(name) or (("image",), lambda self: self.of_track(name))
        if any(self.states[need] is not CheckState.OK for need in needs):
            self.states[name] = CheckState.NONE
        else:
            try:
                self.states[name] = action(self)
            except (InputError, _InvalidError) as error:
                self._problem(name, CheckState.FAILED, str(error))
            except InfrastructureError as error:
                self._problem(name, CheckState.ERROR, str(error))
        return self.states[name]

    def _problem(self, name: str, state: CheckState, problem: str) -> None:
        self.states[name] = state
        self.problems.append(f"{name}: {problem}")

    def schema(self) -> CheckState:
        (self._instance,) = load_instances([self._folder]).values()
        return CheckState.OK

    def image(self) -> CheckState:
        self._engine, _ = select_engine(self._settings.sandbox, self._settings)
        self._image = judging_image(
            self._instance, SubmissionKind.PATCH, self._engine, self._settings
        )
        return CheckState.OK

    def history(self) -> CheckState:
        sandbox = self._engine.sandbox(
            self._image,
            limits=self._settings.limits,
            # Nothing but git runs here.
            network=NetworkAttachment(policy="open"),
            label=f"validate {self._instance.id}",
        )
        with sandbox, tempfile.TemporaryDirectory(prefix="benchmac-") as scratch:
            leaks = list(history_leaks(sandbox, Path(scratch) / "history.log"))
        if leaks:
            raise _InvalidError("; ".join(leaks))
        return CheckState.OK

    def baseline(self) -> CheckState:
        return self._case(baseline_submissions({self._instance.id: self._instance}))

    def silver(self) -> CheckState:
        return self._case(silver_submissions({self._instance.id: self._instance}))

    def of_track(self, name: str) -> CheckState:
        check = get_track(self._instance.track).extras().checks[name]
        if problems := list(check(self._instance, self._settings, BenchmacHarness())):
            raise _InvalidError("; ".join(problems))
        return CheckState.OK

    def _case(self, submissions: Sequence[Submission]) -> CheckState:
        """NONE for an instance that names no silver patch."""
        state = CheckState.NONE
        for submission in submissions:
            evaluation, _ = run_case(self._instance, submission, self._settings)
            if evaluation.error:
                raise InfrastructureError(evaluation.error.message)
            self.warnings += advice(evaluation, self._settings.reports)
            if not evaluation.resolved:
                failed = [f"{s.name}: {s.reason}" for s in evaluation.stages if s.reason]
                found = [finding.message for finding in evaluation.integrity.findings]
                raise _InvalidError("; ".join(failed + found) or "not resolved")
            state = CheckState.OK
            if (
                submission.kind is SubmissionKind.SILVER
                and evaluation.integrity.verdict is Verdict.UNCHECKED
            ):
                self.warnings.append(
                    "integrity is unchecked, and an unchecked case does not count as resolved: "
                    f"{evaluation.integrity.unchecked or 'no check ran'}"
                )
        return state


#: Check -> the checks it needs, and what carries it out; in the order they run.
_CHECKS: Mapping[str, tuple[tuple[str, ...], Callable[[_Validation], CheckState]]] = {
    "schema": ((), _Validation.schema),
    "image": (("schema",), _Validation.image),
    "history": (("image",), _Validation.history),
    "baseline": (("image",), _Validation.baseline),
    "silver": (("image",), _Validation.silver),
}

#: What there is -> the command that lists it, and what it may list: the one commit, or nothing.
_HISTORY = {
    "commits": (
        "git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)'"
        " | sed -n 's/^commit //p'",
        True,
    ),
    "commits that references name": (
        "git for-each-ref --format='%(refname)'"
        ' | while read -r ref; do git rev-parse "$ref^{commit}"; done | sort -u',
        True,
    ),
    "unreachable objects": ("git fsck --unreachable --no-reflogs --no-progress 2>/dev/null", False),
    "remotes": ("git config --get-regexp '^remote[.]'", False),
    "ties to other repositories": (
        "cd .git && ls shallow FETCH_HEAD ORIG_HEAD objects/info/alternates 2>/dev/null",
        False,
    ),
    "files that are not the commit's": ("git status --porcelain", False),
}


def history_leaks(sandbox: Sandbox, log: Path) -> Iterator[str]:
    """What the image's repository holds beside one commit, with the subject and tag `baseline`."""

    def lines(command: str) -> list[str]:
        result = sandbox.run(command, timeout_s=_GIT_SECONDS, log=log, capture_bytes=1_000_000)
        return result.stdout.decode(errors="replace").splitlines()

    baseline = lines("git log -1 --format=%H%n%s baseline --")
    if len(baseline) != 2 or baseline[1] != "baseline":
        yield f"the tag `baseline` does not name a commit of that subject: {baseline}"
        return
    for what, (command, one_commit) in _HISTORY.items():
        seen = lines(command)
        if seen != (baseline[:1] if one_commit else []):
            shown = ", ".join(seen[:5]) + (", ..." if len(seen) > 5 else "")
            yield f"{what}: {shown or 'none'}"
