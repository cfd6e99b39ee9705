"""`benchmac generate`: run a SUT on instances and write the patches that `--patch-dir` takes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path

from rich.console import Console

from pytest_benchmac.cli.options import add_processes, positive
from pytest_benchmac.generate import command, human, mini_swe_agent
from pytest_benchmac.generate.modes import Mode
from pytest_benchmac.generate.pool import Done, Event, Failed, Said, run_jobs
from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.run import Job, finished
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.options import run_options, run_settings
from pytest_benchmac.model.submission import RESERVED_SUTS
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.adapter import Adapter, AdapterKind
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track, track_names


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac generate`."""
    examples = [
        f"  benchmac generate --sut {_written(kind)} {example}\n"
        for kind in _kinds().values()
        for example in kind.examples
    ]
    parser = subparsers.add_parser(
        "generate",
        help="run a SUT on instances and write its patches",
        description="Run a system under test (SUT) on each selected instance, in a fresh sandbox, "
        "and write <out>/<sut>/<instance>.patch, .json and .trajectory.jsonl. Exits 3 when "
        "infrastructure kept an instance from having a result.",
        epilog=f"examples:\n{''.join(examples)}"
        "then: pytest --patch-dir=patches\n\n"
        "Finished instances are skipped, so an interrupted run is continued by giving it again.",
    )
    add_options(parser)
    add = parser.add_argument
    add("--description", metavar="NAME", help="which description of the task the SUT gets")
    add(
        "--mode",
        choices=[mode.value for mode in Mode],
        default=Mode.DIRECT.value,
        help="plan: a plan first, executed in a fresh sandbox; multiplan: five, of which a judge "
        "selects one (default: %(default)s)",
    )
    add(
        "--judge", metavar="MODEL", help="selects a plan, for --mode multiplan; as litellm names it"
    )
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which SUT runs on which instances, how, and where its patches go."""
    kinds = _kinds()
    add = parser.add_argument
    add(
        "--sut",
        metavar="NAME",
        type=lambda text: _sut(text, kinds),
        required=True,
        help=f"what to run: {', '.join(_written(kind) for kind in kinds.values())}",
    )
    add("--out", metavar="DIR", type=Path, required=True, help="where patches go")
    add("--name", help="name of the SUT on the leaderboard (default: made from --sut and --model)")
    add(
        "--attempt",
        metavar="N",
        type=positive,
        default=1,
        help="which try of the SUT at each instance, from 1 (default: %(default)s)",
    )
    add(
        "--instance",
        metavar="GLOB",
        default="*",
        help="only instances whose id matches (default: all)",
    )
    add_processes(parser, "instances")
    add(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        help="for one instance (default: what its track gives, which is 3600 for most)",
    )
    shared = run_options(Path)
    # Records go where patches go.
    del shared["--reports"]
    shared["--rerun"]["help"] = "replace finished results"
    shared["--network"]["help"] = (
        "a SUT that runs in the sandbox and calls a service of its own needs `open` "
        "(default: proxied; for --sandbox=local: open)"
    )
    for flag, keywords in shared.items():
        add(flag, **keywords)
    shown: set[str] = set()
    for kind in kinds.values():
        # An option of several kinds is told where it comes first.
        options = {flag: own for flag, own in kind.options.items() if flag not in shown}
        shown |= options.keys()
        if options:
            group = parser.add_argument_group(kind.name)
            for flag, own in options.items():
                group.add_argument(flag, **own)


def run(args: argparse.Namespace) -> int:
    """Run the SUT on every selected instance that has no result yet."""
    adapter = adapter_of(args)
    if args.mode != Mode.DIRECT.value and isinstance(adapter, human.Human):
        raise InputError("has no effect on a person", where="--mode")
    if (args.mode == Mode.MULTIPLAN.value) != (args.judge is not None):
        raise InputError(
            "goes with --mode multiplan, which needs it",
            where="--judge",
            remedy="Give both, or neither.",
        )
    jobs = jobs_of(args, adapter, args.description, args.mode, args.judge)
    if isinstance(adapter, human.Human):
        return _run_human(jobs, _Report(len(jobs)), collecting=adapter.collecting)
    return run_open(args, jobs)


def jobs_of(
    args: argparse.Namespace,
    adapter: Adapter,
    description: str | None = None,
    mode: str = Mode.DIRECT.value,
    judge: str | None = None,
    *,
    attacking: bool = False,
) -> list[Job]:
    """A job for each selected instance; see `Job` for what is not in `args`.

    Raises:
        InputError: no instance is selected, or one that the SUT cannot work on.
    """
    instances = load_instances(args.instances, args.instance)
    if not instances:
        raise InputError(
            f"no instance matches {args.instance!r}",
            where="--instance",
            remedy=f"There are: {', '.join(load_instances(args.instances)) or 'none'}.",
        )
    for instance in instances.values():
        if not isinstance(instance, adapter.instance_type):
            kind = adapter.instance_type.__name__.removesuffix("Instance")
            raise InputError(
                f"{instance.id} is no {kind} instance",
                where=f"--sut {adapter.name}",
                remedy="Select others with --instance=GLOB.",
            )
    settings = run_settings(args, args.out.absolute(), Path.absolute)
    return [
        Job(
            instance,
            adapter,
            settings,
            args.out.absolute(),
            args.time_limit or get_track(instance.track).work_s,
            args.attempt,
            description,
            mode,
            judge,
            attacking,
        )
        for instance in instances.values()
    ]


def run_open(args: argparse.Namespace, jobs: Sequence[Job]) -> int:
    """Run the SUT for each job that has no result yet; the command's exit status."""
    report = _Report(len(jobs))
    open_jobs = []
    for job in jobs:
        if not args.rerun and finished(job):
            report.line(job, "finished before; skipped")
        else:
            open_jobs.append(job)
    if open_jobs:
        settings = jobs[0].settings
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


def _kinds() -> dict[str, AdapterKind]:
    """What `--sut` may name: the harness's own, and those of the tracks."""
    of_tracks = (kind for name in track_names() for kind in get_track(name).extras().adapters)
    own = (mini_swe_agent.KIND, command.KIND, human.KIND)
    registered = (entry.load() for entry in entry_points(group="benchmac.adapters"))
    return {kind.name: kind for kind in (*own, *registered, *of_tracks)}


def _written(kind: AdapterKind) -> str:
    return f"{kind.name}:WHICH" if kind.several else kind.name


def _sut(text: str, kinds: Mapping[str, AdapterKind]) -> str:
    name, _, which = text.partition(":")
    if name not in kinds or bool(which) != kinds[name].several or text == f"{name}:":
        known = ", ".join(repr(_written(kind)) for kind in kinds.values())
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {known})")
    return text


def adapter_of(args: argparse.Namespace) -> Adapter:
    """What `--sut` names, made of its options.

    Raises:
        InputError: an option is another SUT's, or its name cannot be one.
    """
    kinds = _kinds()
    chosen, _, args.which = args.sut.partition(":")
    for kind in kinds.values():
        for option in kind.options:
            given = getattr(args, option.removeprefix("--").replace("-", "_")) is not None
            if given and option not in kinds[chosen].options:
                raise InputError(f"is for --sut {kind.name}, not for {chosen}", where=option)
    if args.name is not None and (not args.name or args.name in RESERVED_SUTS):
        raise InputError(
            f"{args.name!r} cannot be the name of a SUT",
            where="--name",
            remedy=f"{' and '.join(sorted(RESERVED_SUTS))} are the harness's own.",
        )
    return kinds[chosen].create(args)


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


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 7 * 86_400:
        raise argparse.ArgumentTypeError("has to be above 0 and at most a week")
    return value
