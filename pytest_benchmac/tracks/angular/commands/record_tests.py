"""`benchmac record-tests`: run an instance's own tests on base and silver, and write them down."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.errors import BaselineError, InstanceError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.tracks.angular.install import ENV, install_with_retry
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.tests.runner import REPORTERS, pack_project, tests_recipe
from pytest_benchmac.tracks.angular.tests.stage import declared_tests
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.registry import get_track
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.reporters.runner import TestRunner
from pytest_benchmac.tracks.runs import Counts, K, RecordedRuns, Run


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac record-tests`."""
    parser = subparsers.add_parser(
        "record-tests",
        help="run an Angular instance's own tests on base and silver, and record them",
        description="Install the untouched base and the silver patch once each, run the tests of "
        "both k times, write the outcomes beside instance.toml, and print what follows from them: "
        "how many have to pass (p), how many may fail (f), and which are flaky.",
        epilog="examples:\n"
        "  benchmac record-tests my_app_v1_to_v2 --instances my-instances\n"
        "  benchmac record-tests my_app_v1_to_v2 --instances my-instances -k 10",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="its id")
    parser.add_argument("-k", type=int, default=K, help="runs of each (default: %(default)s)")
    harness.add_run_options(parser, reports=Path("reports/record-tests"))
    parser.set_defaults(run=lambda args: _run(args, harness))


def _run(args: argparse.Namespace, harness: Harness) -> int:
    settings = harness.settings(args)
    instance = harness.instance(args, AngularInstance)
    if instance.tests is None:
        raise InstanceError(
            "the instance declares no tests",
            where=instance.directory / "instance.toml",
            remedy="Add a table [tests], and `test` to [commands].",
        )
    if not 1 <= args.k <= 100:
        raise InstanceError("at least one run, at most 100", where="-k")
    recorded = record(instance, args.k, settings, harness)
    target = instance.directory / instance.tests.runs
    content = json.dumps(recorded.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_whole(target, content.encode() + b"\n")
    harness.say(f"{target}: {len(recorded.cases)} cases, {len(recorded.required)} required")
    harness.say(f"p = {recorded.p} (have to pass), f = {recorded.f} (may fail)")
    for name in recorded.flaky:
        case = recorded.cases[name]
        harness.say(f"flaky: {name} (base {case.base}, silver {case.silver})")
    return 0


def record(instance: AngularInstance, k: int, settings: Settings, harness: Harness) -> RecordedRuns:
    """Run the tests of base and silver k times each.

    Raises:
        BaselineError: they cannot be installed, or a run breaks off.
        InfrastructureError: the sandbox or the harness failed.
    """
    reporter = declared_tests(instance)[0].reporter
    silver = harness.silver(instance)
    if silver is None:
        raise BaselineError(f"{instance.id} names no silver patch, whose tests are recorded too")
    runs = [
        _runs(instance, submission, k, settings, harness)
        for submission in (harness.baseline(instance), silver)
    ]
    return RecordedRuns.of(*runs, reporter=reporter, silver_sha256=silver.patch_sha256)


def _runs(
    instance: AngularInstance,
    submission: Submission,
    k: int,
    settings: Settings,
    harness: Harness,
) -> list[Run]:
    """The tests of one tree, k times in one sandbox."""
    logs = settings.reports / submission.case.sut
    logs.mkdir(parents=True, exist_ok=True)
    tests, command = declared_tests(instance)
    timeout_s = instance.timeouts.test
    done: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="benchmac-") as scratch:
        try:
            project = _installed(instance, submission, settings, Path(scratch), logs, harness)
            recipe = tests_recipe(get_track(instance.track).base_recipe(instance))
            with harness.bare_sandbox(recipe, settings, label=instance.id) as sandbox:

                def run(line: str) -> int | None:
                    log = logs / f"test.{len(done) + 1}.log"
                    return sandbox.run(line, timeout_s=timeout_s, log=log, env=ENV).exit_code

                runner = TestRunner(sandbox, REPORTERS[tests.reporter], logs / "project.log")
                runner.bring(project)
                while len(done) < k:
                    began = time.monotonic()
                    done.append(runner.run(command, run))
                    counts = Counts.of(done[-1])
                    harness.progress(
                        f"{submission.case.sut} {len(done)}/{k}: {counts.passed} passed, "
                        f"{counts.failed} failed, {counts.skipped} skipped "
                        f"({time.monotonic() - began:.1f} s)"
                    )
        except BrokenRunError as error:
            raise BaselineError(
                f"{instance.id}, {submission.case.sut}: {error}", remedy=f"The logs are in {logs}."
            ) from error
    return done


def _installed(
    instance: AngularInstance,
    submission: Submission,
    settings: Settings,
    folder: Path,
    logs: Path,
    harness: Harness,
) -> Path:
    """The tree with its packages, as a tar in a folder of the host."""
    with harness.patched_sandbox(instance, submission, settings, logs=logs) as sandbox:
        if submission.kind is SubmissionKind.SILVER:
            changed = sandbox.run(
                'test -n "$(git status --porcelain)"',
                timeout_s=instance.timeouts.patch,
                log=logs / "project.log",
            )
            if changed.exit_code != 0:
                raise BaselineError(f"{instance.id}: its silver patch does not apply")

        def run(line: str) -> tuple[CommandResult, int | None, str]:
            done = sandbox.run(
                line, timeout_s=instance.timeouts.install, log=logs / "install.log", env=ENV
            )
            return done, done.exit_code, done.stderr

        done, _ = install_with_retry(instance.commands.install, run)
        if done.exit_code != 0:
            raise BaselineError(
                f"{instance.id}, {submission.case.sut}: `{done.command}` ended with exit code "
                f"{done.exit_code}: {done.stderr[-1000:]}"
            )
        return pack_project(sandbox, folder, logs / "project.log")
