"""`benchmac evolve tasks` and `benchmac evolve report`: from evolved programs to what is solved."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from pytest_benchmac.cli.options import OF_CASES, add_run_options, settings_of
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.extras import Subparsers

_TASKS = ("input", "output", "translate", "repair")


def add_tasks_parser(subparsers: Subparsers) -> None:
    """Register `benchmac evolve tasks`."""
    parser = subparsers.add_parser(
        "tasks",
        help="make tasks of evolved programs",
        description="Write instances of the track `program`: one before and one after evolution "
        "for every program that `benchmac evolve run` left in DIR. Beside them, wrong.jsonl has an "
        "answer to each that is wrong. Exits 1 where no program has such a task.",
        epilog="examples:\n"
        "  benchmac evolve tasks evolved --task output --instances tasks/output\n"
        "  pytest --silver --instances=tasks/output\n"
        "  pytest --patch-dir=answers.jsonl --instances=tasks/output --reports=reports/output",
    )
    add = parser.add_argument
    add("results", metavar="DIR", type=Path, help="what `benchmac evolve run` left")
    add("--task", choices=_TASKS, required=True, help="what is asked of a program")
    add(
        "--few-shot",
        action="store_true",
        help="put a worked example before each task, of another version of the same program "
        "(only with --task input or output)",
    )
    add(
        "--prompts",
        metavar="DIR",
        type=Path,
        help="prompts of your own: DIR/TASK.txt takes the place of the package's",
    )
    add("--seed", metavar="N", type=int, default=0, help="seed of every choice (default: 0)")
    add(
        "--license",
        metavar="NAME",
        default="unknown",
        help="of the programs, for their instances (default: unknown)",
    )
    add_run_options(
        parser,
        reports=Path("reports/tasks"),
        without=OF_CASES,
        instances="the folder that instances are written to; it is made where it is missing",
    )
    parser.set_defaults(run=run_tasks)


def run_tasks(args: argparse.Namespace) -> int:
    """Write the instances, with a line per program."""
    if importlib.util.find_spec("libcst") is None:
        raise InputError(
            "evolution needs more Python packages",
            where="pytest-benchmac",
            remedy="Install the extra: pip install 'pytest-benchmac[evolve]'.",
        )
    from pytest_benchmac.evolve.tasks.making import Wanted, make_tasks
    from pytest_benchmac.evolve.tasks.prompts import Prompts

    if len(args.instances or ()) != 1:
        raise InputError(
            "no folder is named for the instances",
            where="--instances",
            remedy="Give one: --instances=DIR, which is made where it is missing.",
        )
    if args.prompts is not None and not args.prompts.is_dir():
        raise InputError("is no folder", where=args.prompts)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    settings = settings_of(args)
    engine, _ = select_engine(settings.sandbox, settings)
    wanted = Wanted(
        kind=args.task,
        prompts=Prompts(args.prompts),
        seed=args.seed,
        few_shot=args.few_shot,
        license_id=args.license,
    )
    made = make_tasks(args.results, args.instances[0], wanted, engine, settings, console.print)
    console.print(f"{len(made.written)} instances, {len(made.left_out)} programs left out")
    return 0 if made.written else 1


def add_report_parser(subparsers: Subparsers) -> None:
    """Register `benchmac evolve report`."""
    parser = subparsers.add_parser(
        "report",
        help="what is solved before and after evolution",
        description="Show what each SUT solves of each task before and after, the change (after - "
        "before) / before, its mean over SUTs, and a paired t-test. Programs that were judged in "
        "one version alone do not count. Exits 1 where there is none.",
        epilog="examples:\n"
        "  benchmac evolve report reports/output reports/repair --output table5.json",
    )
    parser.add_argument("reports", metavar="REPORTS", nargs="+", type=Path, help="report folders")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the same as JSON")
    parser.set_defaults(run=run_report)


def run_report(args: argparse.Namespace) -> int:
    """Print the table."""
    if importlib.util.find_spec("scipy") is None:
        raise InputError(
            "the report needs the Python package scipy",
            where="pytest-benchmac",
            remedy="Install the extra: pip install 'pytest-benchmac[report]'.",
        )
    from pytest_benchmac.evolve.report import judged_cases, report_of, rows_of

    report = report_of(rows_of(judged_cases(_evaluations(args.reports))))
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("task")
    table.add_column("SUT", overflow="fold")
    for heading in ("programs", "before", "after", "change", "p"):
        table.add_column(heading, justify="right")
    for change in report.tasks:
        for row in (row for row in report.rows if row.task == change.task):
            shares = (f"{row.before:.1%}", f"{row.after:.1%}", _percent(row.change))
            table.add_row(row.task, row.sut, str(row.programs), *shares, "")
        table.add_row(change.task, "mean", "", "", "", _percent(change.mean), _p(change.p_value))
    table.add_row("all", "mean", "", "", "", _percent(report.all.mean), _p(report.all.p_value))
    if args.output is not None:
        write_whole(args.output, report.model_dump_json(indent=2) + "\n")
    if not report.rows:
        Console(stderr=True).print("no program was judged in both versions")
        return 1
    Console(highlight=False, markup=False).print(table)
    return 0


def _evaluations(folders: list[Path]) -> Iterator[Evaluation]:
    for folder in folders:
        if not folder.is_dir():
            raise InputError("is no report folder", where=folder)
        yield from EvaluationStore(folder).all()


def _percent(change: float | None) -> str:
    return "" if change is None else f"{change:+.1%}"


def _p(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"
