"""`benchmac generate`: run a SUT on instances and write the patches that `--patch-dir` takes."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from rich.console import Console

from pytest_benchmac.generate import human
from pytest_benchmac.generate.command import Command, CopiedIn
from pytest_benchmac.generate.mini_swe_agent import (
    COST_LIMIT_USD,
    STEP_LIMIT,
    MiniSweAgent,
)
from pytest_benchmac.generate.pool import Done, Event, Failed, Said, run_jobs
from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.run import Job, finished
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import NetworkName, SandboxName, Settings, default_network
from pytest_benchmac.model.submission import RESERVED_SUTS
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.adapter import Adapter
from pytest_benchmac.tracks.angular.instance import major_of
from pytest_benchmac.tracks.angular.schematics import AngularSchematics
from pytest_benchmac.tracks.maven.openrewrite import OpenRewrite

#: Seconds that a SUT has for one instance, unless told otherwise.
TIME_LIMIT_S = 3600.0

#: Which options belong to which SUT; None is never given, and False is a flag left out.
_OPTIONS = {
    "angular-schematics": ("core_version", "cli_version"),
    "mini-swe-agent": ("model", "config", "step_limit", "cost_limit"),
    "command": ("command", "file", "env"),
    "human": ("collect",),
    "openrewrite": (),
}
_EPILOG = """\
examples:
  benchmac generate --sut angular-schematics --out patches
  benchmac generate --sut mini-swe-agent --model provider/name --out patches -n 2
  benchmac generate --sut command --command 'agent -p "$BENCHMAC_TASK"' --env AGENT_API_KEY \\
      --file agent.json:.config/agent.json --network open --name agent --out patches
  benchmac generate --sut openrewrite --instance '*_java8_to_17' --out patches
  benchmac generate --sut human --out patches      (then edit patches/human/<instance>.tree)
  benchmac generate --sut human --out patches --collect
then: pytest --patch-dir=patches

Finished instances are skipped, so an interrupted run is continued by giving it again."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `benchmac generate`."""
    parser = subparsers.add_parser(
        "generate",
        help="run a SUT on instances and write its patches",
        description="Run a system under test (SUT) on each selected instance, in a fresh sandbox, "
        "and write <out>/<sut>/<instance>.patch, .json and .trajectory.jsonl. Exits 3 when "
        "infrastructure kept an instance from having a result.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--sut", choices=tuple(_OPTIONS), required=True, help="what to run")
    add("--out", metavar="DIR", type=Path, required=True, help="where patches go")
    add("--name", help="name of the SUT on the leaderboard (default: made from --sut and --model)")
    add("--attempt", metavar="N", type=_count, default=1, help="which try (default: %(default)s)")
    add("--instance", metavar="GLOB", default="*", help="instance ids (default: all)")
    add(
        "--instances",
        metavar="PATH",
        type=Path,
        action="append",
        default=[],
        help="folder of instances; may be given again (default: the packaged ones)",
    )
    add("-n", metavar="N", dest="processes", type=_count, default=1, help="instances at a time")
    add("--rerun", action="store_true", help="replace finished results")
    add(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        default=TIME_LIMIT_S,
        help="for one instance (default: %(default)g)",
    )
    add(
        "--sandbox",
        choices=get_args(SandboxName),
        default=Settings.sandbox,
        help="default: %(default)s",
    )
    add(
        "--network",
        choices=get_args(NetworkName),
        help="a SUT that runs in the sandbox and calls a service of its own needs `open` "
        "(default: proxied; for --sandbox=local: open)",
    )
    add(
        "--source-mirror",
        metavar="DIR",
        type=Path,
        default=os.environ.get("BENCHMAC_SOURCE_MIRROR"),
        help="bare git repositories at DIR/<owner>/<name>.git, used instead of cloning "
        "(default: BENCHMAC_SOURCE_MIRROR)",
    )
    schematics = parser.add_argument_group("angular-schematics")
    schematics.add_argument(
        "--core-version",
        metavar="VERSION",
        action="append",
        help="exact @angular/core to update to instead of the newest of its major, where the "
        "registry has not all packages of that one; may be given again for other majors",
    )
    schematics.add_argument(
        "--cli-version",
        metavar="VERSION",
        action="append",
        help="the same of @angular/cli, whose builder packages it takes along",
    )
    mini = parser.add_argument_group("mini-swe-agent")
    mini.add_argument("--model", metavar="NAME", help="as litellm names it")
    mini.add_argument("--config", metavar="FILE", type=Path, help="YAML: prompt, limits, model")
    mini.add_argument(
        "--step-limit", metavar="N", type=int, help=f"0 is none (default: {STEP_LIMIT})"
    )
    mini.add_argument(
        "--cost-limit", metavar="USD", type=float, help=f"0 is none (default: {COST_LIMIT_USD:.2f})"
    )
    command = parser.add_argument_group("command")
    command.add_argument("--command", metavar="LINE", help="run by sh in the project")
    command.add_argument(
        "--file",
        metavar="SRC:DEST",
        action="append",
        help="file or folder to copy below the command's HOME; may be given again",
    )
    command.add_argument(
        "--env",
        metavar="NAME",
        action="append",
        help="environment variable to pass on; its value is kept out of all that is written",
    )
    person = parser.add_argument_group("human")
    person.add_argument(
        "--collect", action="store_true", default=None, help="the work is done: write the patches"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the SUT on every selected instance that has no result yet."""
    adapter = _adapter(args)
    instances = load_instances(args.instances, args.instance)
    if not instances:
        raise InputError(
            f"no instance matches {args.instance!r}",
            where="--instance",
            remedy=f"There are: {', '.join(load_instances(args.instances)) or 'none'}.",
        )
    mirror: Path | None = args.source_mirror
    settings = Settings(
        reports=args.out.absolute(),
        sandbox=args.sandbox,
        network=args.network or default_network(args.sandbox),
        source_mirror=mirror.absolute() if mirror else None,
        rerun=args.rerun,
    )
    jobs = [
        Job(instance, adapter, settings, args.out.absolute(), args.time_limit, args.attempt)
        for instance in instances.values()
    ]
    report = _Report(len(jobs))
    if args.sut == "human":
        return _run_human(jobs, report, collecting=bool(args.collect))
    for job in jobs:
        adapter.check(job.instance)
    open_jobs = []
    for job in jobs:
        if not args.rerun and finished(job):
            report.line(job, "finished before; skipped")
        else:
            open_jobs.append(job)
    if open_jobs:
        engine, why = select_engine(settings.sandbox, settings)
        report.say(f"sandbox: {engine.name} ({why})")
        engine.reap()
        try:
            run_jobs(open_jobs, args.processes, report.event)
        finally:
            # A worker that was killed could not remove its sandbox.
            engine.reap()
    skipped = len(jobs) - len(open_jobs)
    report.say(f"{report.done} generated, {report.failed} without a result, {skipped} skipped")
    return 3 if report.failed else 0


def _run_human(jobs: Sequence[Job], report: _Report, *, collecting: bool) -> int:
    if not collecting:
        for job in jobs:
            new = human.prepare(job)
            folder = human.work_folder(job)
            report.line(job, f"work in {folder}" if new else f"is there already: {folder}")
        report.say("When the work is done, give the same command with --collect.")
        return 0
    prepared = [job for job in jobs if human.work_folder(job).is_dir()]
    if not prepared:
        raise InputError(
            "nothing was prepared for the selected instances",
            where=jobs[0].path("").parent,
            remedy="Give the command without --collect first.",
        )
    for job in prepared:
        report.line(job, _outcome(human.collect_work(job)))
    return 0


def _adapter(args: argparse.Namespace) -> Adapter:
    for sut, names in _OPTIONS.items():
        for name in names:
            if sut != args.sut and getattr(args, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"is for --sut {sut}, not for {args.sut}", where=option)
    if args.name is not None and (not args.name or args.name in RESERVED_SUTS):
        raise InputError(
            f"{args.name!r} cannot be the name of a SUT",
            where="--name",
            remedy=f"{' and '.join(sorted(RESERVED_SUTS))} are the harness's own.",
        )
    if args.sut == "angular-schematics":
        core, cli = tuple(args.core_version or ()), tuple(args.cli_version or ())
        for option, versions in (("--core-version", core), ("--cli-version", cli)):
            for version in versions:
                if major_of(version) is None:
                    raise InputError(
                        f"{version!r} is no exact version",
                        where=option,
                        remedy="Give one such as 17.3.12.",
                    )
        return AngularSchematics(args.name or "angular-schematics", core, cli)
    if args.sut == "openrewrite":
        return OpenRewrite(args.name or "openrewrite")
    if args.sut == "human":
        return human.Human(args.name or "human")
    if args.sut == "mini-swe-agent":
        return MiniSweAgent.create(
            model=args.model,
            config=args.config,
            sut=args.name,
            step_limit=args.step_limit,
            cost_limit_usd=args.cost_limit,
        )
    if not args.command:
        raise InputError(
            "is missing", where="--command", remedy="Give the command line that is the SUT."
        )
    names = tuple(args.env or ())
    for name in names:
        if name not in os.environ:
            raise InputError(f"{name} is not set", where="--env", remedy=f"export {name}=...")
    return Command(
        command=args.command,
        sut=args.name or "command",
        files=tuple(file for text in args.file or () for file in CopiedIn.parse(text)),
        env=names,
    )


class _Report:
    """Progress on standard error, a line per event."""

    def __init__(self, total: int) -> None:
        self.done = 0
        self.failed = 0
        self._total = total
        self._console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        self._console.print(f"[{time.monotonic() - self._began:7.1f} s] {text}")

    def line(self, job: Job, text: str) -> None:
        self.say(f"{job.instance.id}: {text}")

    def event(self, job: Job, event: Event) -> None:
        match event:
            case Said(text):
                self.line(job, text)
            case Done(record):
                self.done += 1
                self.line(job, _outcome(record))
            case Failed(why):
                self.failed += 1
                self.line(job, f"no result: {why}")


def _outcome(record: GenerationRecord) -> str:
    parts = [record.exit_reason.value]
    if record.detail:
        parts[0] += f" ({record.detail.splitlines()[0]})"
    parts.append(f"patch of {record.patch_bytes} bytes" if record.patch_bytes else "empty patch")
    if record.steps is not None:
        parts.append(f"{record.steps} steps")
    if record.cost_usd is not None:
        parts.append(f"{record.cost_usd:.4f} USD")
    if record.redactions:
        parts.append(f"{record.redactions} secrets were replaced in it")
    return ", ".join(parts)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("has to be at least 1")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 7 * 86_400:
        raise argparse.ArgumentTypeError("has to be above 0 and at most a week")
    return value
