"""`benchmac evolve`: programs made harder, without a change of what they do."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal

from rich import box
from rich.console import Console
from rich.table import Table

from pytest_benchmac.cli.evolve_tasks import add_report_parser, add_tasks_parser
from pytest_benchmac.cli.options import add_processes, positive
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.options import run_options, run_settings
from pytest_benchmac.tracks.extras import Subparsers

if TYPE_CHECKING:
    from pytest_benchmac.evolve.search.run import Done, Said
    from pytest_benchmac.evolve.search.summary import Means, Summary

#: Of the extra `evolve`, as they are imported.
_PACKAGES = ("hypothesis", "libcst", "pylint", "pymoo")
_DEFAULT_BUDGET = "60s"
_IN_PAPER: tuple[Literal["RC", "RR"], ...] = ("RC", "RR")
_TABLE_WIDTH = 100
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac evolve`."""
    parser = subparsers.add_parser(
        "evolve",
        help="make programs harder without a change of what they do",
        description="Make the programs of a benchmark as complex as real ones, at equal "
        "readability and with the same behaviour. docs/evolve.md explains it.",
    )
    commands = parser.add_subparsers(metavar="ACTION", required=True)
    _add_run(commands)
    _add_score(commands)
    _add_apply(commands)
    add_tasks_parser(commands)
    add_report_parser(commands)


def _needs_packages(run: Callable[[argparse.Namespace], int]) -> Callable[..., int]:
    """The same, where the packages of the extra `evolve` are installed."""

    def checked(args: argparse.Namespace) -> int:
        missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise InputError(
                f"evolution needs the Python packages {', '.join(missing)}",
                where="pytest-benchmac",
                remedy="Install the extra: pip install 'pytest-benchmac[evolve]'.",
            )
        return run(args)

    return checked


# --- run ---------------------------------------------------------------------------------------


def _add_run(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "run",
        help="evolve every program of a benchmark",
        description="Evolve every program of IN: a .jsonl or .jsonl.gz file of HumanEval or "
        "CRUXEval, or a folder of programs with tests.",
        epilog="examples:\n"
        "  benchmac evolve run HumanEval.jsonl.gz --out evolved --budget 60s -n 2\n"
        "  benchmac evolve run programs/ --out evolved --iterations 10 --seed 7\n\n"
        "Finished programs are kept, so an interrupted run is continued by giving it again.",
    )
    add = parser.add_argument
    add("input", metavar="IN", type=Path, help="programs with their tests")
    add("--out", metavar="DIR", type=Path, required=True, help="where results go")
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument(
        "--budget",
        metavar="TIME",
        type=_seconds,
        help=f"for each program, such as 30s or 5m (default: {_DEFAULT_BUDGET})",
    )
    ends.add_argument(
        "--iterations",
        metavar="N",
        type=positive,
        help="generations for each program instead of a time: the same seed gives the same bytes",
    )
    _add_seed(parser)
    add_processes(parser, "programs")
    add(
        "--operators",
        metavar="LIST",
        help="operators to use, by code or name, such as S1,S4,AddTime (default: all)",
    )
    add(
        "--names",
        metavar="MODEL",
        help="a model, as litellm names it, that finds names for new variables and functions "
        "(default: names from a list)",
    )
    options = run_options(Path)
    for flag in ("--sandbox", "--cache-limit"):
        add(flag, **options[flag])
    parser.set_defaults(
        run=_needs_packages(_run), reports=None, source_mirror=None, network=None, plain=False,
        rerun=False, boot_seed=None,
    )  # fmt: skip


def _run(args: argparse.Namespace) -> int:
    # These take a while to import, which no other command should.
    from pytest_benchmac.evolve.operators.registry import OPERATORS, operators
    from pytest_benchmac.evolve.reading.programs import read_programs
    from pytest_benchmac.evolve.search.run import RunSettings, begin, run, unfinished
    from pytest_benchmac.evolve.search.summary import summarize

    asked_for = args.operators.split(",") if args.operators else [each.code for each in OPERATORS]
    chosen = operators(asked_for, model=args.names)
    budget = None if args.iterations else args.budget or _seconds(_DEFAULT_BUDGET)
    asked = RunSettings(
        seed=args.seed,
        budget_s=budget,
        iterations=args.iterations,
        operators=tuple(each.code for each in chosen),
        names=args.names,
    )
    results = args.out.absolute()
    subjects = read_programs(args.input)
    begin(results, asked)
    waiting = unfinished(results, subjects)
    progress = _Progress(len(subjects), len(subjects) - len(waiting))
    if waiting:
        settings = run_settings(args, results, Path.absolute)
        run(waiting, asked, results, settings, processes=args.processes, observe=progress)
    _print_summary(summarize(results))
    return 0


class _Progress:
    """Lines on standard error: one for each program that is done, and some between."""

    def __init__(self, total: int, finished: int) -> None:
        self._total = total
        self._finished = finished
        self._began = time.monotonic()
        self._console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        if finished:
            self._say(f"{finished} of {total} finished before")

    def __call__(self, event: Said | Done) -> None:
        from pytest_benchmac.evolve.search.run import Said

        if isinstance(event, Said):
            self._say(f"{event.id}: {event.text}")
            return
        self._finished += 1
        record = event.record
        before, after = record.before.scores, record.after.scores
        text = f"dropped: {record.dropped}" if record.dropped else (
            f"RC {before.rc:.2f} -> {after.rc:.2f}, RR {before.rr:.2f} -> {after.rr:.2f}, "
            f"{len(record.front)} in the front"
        )  # fmt: skip
        self._say(
            f"[{self._finished}/{self._total}] {record.id}: {text} ({event.duration_s:.0f} s)"
        )

    def _say(self, text: str) -> None:
        self._console.print(f"[{time.monotonic() - self._began:7.1f} s] {text}")


def _print_summary(summary: Summary) -> None:
    from pytest_benchmac.evolve.metrics.score import published
    from pytest_benchmac.evolve.operators.registry import OPERATORS

    console = Console(highlight=False)
    # Files and pipes have no width; a table that is cut tells nothing.
    console.width = max(console.width, _TABLE_WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("before -> after", no_wrap=True)
    for title in ("RC", "RR", "PyLint", "coverage"):
        table.add_column(title, justify="right", no_wrap=True)
    if summary.before is not None and summary.after is not None:
        table.add_row(f"{summary.programs} programs", *_row(summary.before, summary.after))
    for name, told in published().table4.items():
        table.add_row(f"{name} in the paper", *(_change(*told[key]) for key in _IN_PAPER))
    console.print(table)
    console.print(
        f"thresholds: RC by {summary.complexity_thresholds}, RR by "
        f"{summary.readability_thresholds}; those of the published RR are not published"
    )
    names = {each.code: each.name for each in OPERATORS}
    uses = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    uses.add_column("operator")
    for title in ("tried", "applications", "programs", "RC added"):
        uses.add_column(title, justify="right")
    for code in sorted(summary.operators, key=list(names).index):
        use = summary.operators[code]
        uses.add_row(
            f"{code} {names[code]}",
            str(use.tried),
            str(use.applications),
            str(use.programs),
            f"{use.contribution:.4f}",
        )
    console.print(uses)
    for gate, count in summary.gates.items():
        console.print(f"{count} offspring dropped: {gate}", markup=False)
    for program_id, why in summary.dropped.items():
        console.print(f"{program_id} dropped: {why}", markup=False)


def _row(before: Means, after: Means) -> list[str]:
    return [
        _change(before.rc, after.rc),
        _change(before.rr, after.rr),
        _change(before.pylint, after.pylint),
        _change(before.coverage, after.coverage),
    ]


def _change(before: float, after: float) -> str:
    return f"{before:.2f} -> {after:.2f}"


# --- score and apply ---------------------------------------------------------------------------


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=0,
        help="seed of every random choice (default: %(default)s)",
    )


def _add_score(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "score",
        help="metrics of programs, as JSON",
        description="Print C1 to C7, R1 to R13, RC and RR of each FILE as JSON; files beside it "
        "that it imports are parts of its program. docs/evolve.md says what each metric is.",
        epilog="example:\n  benchmac evolve score program.py | jq .files",
    )
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="a Python file")
    parser.set_defaults(run=_needs_packages(_score))


def _score(args: argparse.Namespace) -> int:
    from pytest_benchmac.evolve.files import read_program
    from pytest_benchmac.evolve.metrics.score import published, score

    told = published()
    scored = {str(path): score(read_program(path)).model_dump() for path in args.files}
    thresholds = {"rc": told.complexity.model_dump(), "rr": told.readability.model_dump()}
    print(json.dumps({"files": scored, "thresholds": thresholds}, indent=2))  # noqa: T201
    return 0


def _add_apply(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "apply",
        help="apply one operator to a file, once",
        description="Apply an operator at a random place, and write the program to --out. "
        "Exits 1, and says why, where it does not apply.",
        epilog="example:\n  benchmac evolve apply AddNestedFor program.py --out changed --seed 7",
    )
    add = parser.add_argument
    add("operator", metavar="OPERATOR", help="a code or name, such as S1 or AddNestedFor")
    add("file", metavar="FILE", type=Path, help="a Python file")
    _add_seed(parser)
    add("--out", metavar="DIR", type=Path, required=True, help="folder for the changed program")
    parser.set_defaults(run=_needs_packages(_apply))


def _apply(args: argparse.Namespace) -> int:
    from pytest_benchmac.evolve.files import read_program
    from pytest_benchmac.evolve.operators.base import DoesNotApplyError, View
    from pytest_benchmac.evolve.operators.registry import operators

    (operator,) = operators([args.operator])
    program = read_program(args.file)
    view = View(program)
    random = Random(args.seed)  # noqa: S311 (nothing is secret here)
    sites = operator.sites(view)
    why = "" if sites else "there is no place where it is known to change nothing"
    try:
        if sites:
            program = operator.apply(view, random.choice(sites), random)
    except DoesNotApplyError as error:
        why = str(error)
    if why:
        _tell(f"{operator.name} does not apply to {args.file}: {why}")
        return 1
    files = {program.file: program.main, **program.modules}
    for name, text in files.items():
        try:
            compile(text, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            why = f"Python does not take {name}: {error}"
            break
    if why:
        _tell(f"{operator.name} does not apply to {args.file}: {why}")
        return 1
    for name, text in files.items():
        write_whole(args.out / name, text)
    return 0


def _tell(text: str) -> None:
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(text)


# --- types of options --------------------------------------------------------------------------


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    value = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < value <= 86_400:
        raise argparse.ArgumentTypeError("has to be a time such as 30s, 5m or 1h, up to a day")
    return value
