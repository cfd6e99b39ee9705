"""The `benchmac` command: what is worth doing outside of pytest.

A subcommand is a function that adds its parser and sets `run` on it; `ADD_PARSERS` has those that
are not a track's own, by name.

Exit status: 0 done; 1 done, with a negative result (an instance is not valid, a record differs, no
sandbox is usable); 2 interrupted; 3 infrastructure failed (engine, network, disk, standard output,
or this program itself); 4 usage.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import fill
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table

from pytest_benchmac.cli import (
    cache,
    crosscheck,
    doctor,
    evolve,
    explain,
    figures,
    generate,
    init,
    installed,
    judge,
    learn,
    record_tests,
    redteam,
    report,
    schemas,
    shell,
    show,
    validate,
)
from pytest_benchmac.cli.harness import BenchmacHarness
from pytest_benchmac.cli.options import OF_CASES, add_run_options, settings_of
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.judging.interrupts import sigterm_interrupts
from pytest_benchmac.judging.prepare import judging_image
from pytest_benchmac.judging.store import EvaluationStore, interpreting
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.errors import InfrastructureError, InputError, StoreError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.options import DEFAULT_REPORTS
from pytest_benchmac.model.settings import MIB, Settings
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import load_cases
from pytest_benchmac.sandbox.kept import list_images, remove_images
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track, track_names

logger = logging.getLogger("benchmac")

OK, NEGATIVE, INTERRUPTED, INFRASTRUCTURE, USAGE = range(5)

_STATUS = """\
exit status:
  0 done   1 not resolved, not valid, or a gate not passed   2 interrupted
  3 the harness, network or engine failed: nothing is known   4 wrong usage"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Wraps what is longer than a line, and keeps lines that begin with spaces."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            line if line.startswith(" ") else fill(line, width) for line in text.splitlines()
        )


class _Parser(argparse.ArgumentParser):
    """argparse, with pytest's exit status for a usage error."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords | {"formatter_class": _Help})

    def parse_known_args(self, *arguments: Any, **keywords: Any) -> Any:
        """Parse; a command refuses what it does not know, and shows its own usage and options."""
        found, left = super().parse_known_args(*arguments, **keywords)
        if left and self._subparsers is None:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return found, left

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}{self._meant(message)}\n")

    def _meant(self, message: str) -> str:
        """What a misspelt command or option may have been meant to be."""
        if wrong := re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message):
            known = re.findall(r"[\w-]+", wrong[2])
            written = [wrong[1]]
        elif wrong := re.search(r"unrecognized arguments: (.*)", message):
            known = list(self._option_string_actions)
            written = [word.partition("=")[0] for word in wrong[1].split() if word[:1] == "-"]
        else:
            return ""
        found = [near for word in written for near in get_close_matches(word, known, 1)]
        return f"; did you mean {' '.join(found)}?" if found else ""


def build_parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of the command line.

    Args:
        argv: where it begins with one of `ADD_PARSERS`, the parser has that command only: no track
            is imported to know the others.
    """
    parser: argparse.ArgumentParser = _Parser(
        prog="benchmac",
        description="Prepare what `pytest --patch-dir` needs, and read what it wrote: machine and "
        "instances before a run, patches by systems under test (SUTs), results after it.",
        epilog=_STATUS,
    )
    parser.add_argument(
        "--version", action=installed.VersionAction, help="print what is installed, and exit"
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    if only := ADD_PARSERS.get(next(iter(argv), "")):
        only(subparsers)
        return parser
    for add_parser in ADD_PARSERS.values():
        add_parser(subparsers)
    harness = BenchmacHarness()
    importing = subparsers.add_parser(
        "import",
        help="take over another benchmark's published table, or another harness's runs",
        description="Write instances from the table that a benchmark published, or a patch folder "
        "from what another harness ran.",
    )
    importers = importing.add_subparsers(metavar="BENCHMARK", required=True)
    exporting = subparsers.add_parser(
        "export",
        help="write instances for another harness",
        description="Write instances in the form that another harness runs.",
    )
    exporters = exporting.add_subparsers(metavar="HARNESS", required=True)
    for group, parsers in (("benchmac.exporters", exporters), ("benchmac.importers", importers)):
        for entry in entry_points(group=group):
            entry.load()(parsers)
    for extras in (get_track(name).extras() for name in track_names()):
        for add_command in extras.commands:
            add_command(subparsers, harness)
        for add_importer in extras.importers:
            add_importer(importers, harness)
    installed.add_parser(subparsers, parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # Names hold any character; terminals and files of other encodings get it escaped.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    stderr = Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        argv = sys.argv[1:] if argv is None else argv
        args = build_parser(argv).parse_args(argv)
        run: Callable[[argparse.Namespace], int] = args.run
        _require_stdout()
        with sigterm_interrupts():
            status = run(args)
        sys.stdout.flush()
    except InputError as error:
        stderr.print(f"benchmac: {error}", markup=False)
        return USAGE
    except (InfrastructureError, OSError) as error:
        _give_up_stdout()
        stderr.print(f"benchmac: {error}", markup=False)
        return INFRASTRUCTURE
    except KeyboardInterrupt:
        stderr.print("benchmac: interrupted", markup=False)
        return INTERRUPTED
    except Exception:
        # 1 would be a result; this is none.
        logger.exception("benchmac: this is a defect of pytest-benchmac: please report it")
        return INFRASTRUCTURE
    return status


def _require_stdout() -> None:
    if sys.stdout is None:
        raise StoreError("standard output is closed: nobody would see the result")


def _give_up_stdout() -> None:
    """Where standard output is what failed, the interpreter would fail on it once more."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except AttributeError:
        # It was closed before this process began.
        return


# --- rejudge -----------------------------------------------------------------------------------


def _add_rejudge(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "rejudge",
        help="compute metrics again from stored records",
        description="Compute outcomes, metrics and `resolved` again from what the records say the "
        "stages did. Nothing runs; no engine is needed. Exits 1 when a record says otherwise.",
        epilog="examples:\n"
        "  benchmac rejudge reports/latest\n"
        "  benchmac rejudge reports/latest --write   (and correct the records)",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="report folder")
    parser.add_argument("--write", action="store_true", help="store what was computed")
    parser.set_defaults(run=_run_rejudge)


def _run_rejudge(args: argparse.Namespace) -> int:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    store = EvaluationStore(args.folder)
    load_cases([args.folder])
    evaluations = list(store.all())
    different = 0
    for evaluation in evaluations:
        with interpreting(store.path(evaluation.case)):
            again = rejudge(evaluation)
        if again == evaluation:
            continue
        different += 1
        console.print(f"{store.path(evaluation.case)}:")
        for difference in _differences(evaluation, again):
            console.print(f"  {difference}")
        if args.write:
            store.write(again)
    done = "corrected" if args.write else "different"
    console.print(f"{len(evaluations)} record(s), {different} {done}")
    return NEGATIVE if different and not args.write else OK


def _differences(stored: Evaluation, computed: Evaluation) -> Iterator[str]:
    for before, after in zip(stored.stages, computed.stages, strict=True):
        if before != after:
            yield (
                f"stage {before.name}: stored {before.outcome} ({before.reason!r}), "
                f"computed {after.outcome} ({after.reason!r})"
            )
    for name in sorted(stored.metrics.keys() | computed.metrics.keys()):
        absent = "absent"
        old, new = stored.metrics.get(name, absent), computed.metrics.get(name, absent)
        if old != new:
            yield f"metric {name}: stored {old}, computed {new}"
    if stored.resolved != computed.resolved:
        yield f"resolved: stored {stored.resolved}, computed {computed.resolved}"


# --- images ------------------------------------------------------------------------------------


def _add_images(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "images",
        help="list, remove or build images",
        description="Look after the images, root file systems and source archives that cases run "
        "in. All of them are made again when they are missing.",
        epilog="examples:\n"
        "  benchmac images list\n"
        "  benchmac images build 'trailbook_*' --sandbox docker\n"
        "  benchmac images prune",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    actions.add_parser("list", help="print what is kept, with its size").set_defaults(
        run=_run_images_list
    )
    actions.add_parser("prune", help="remove everything that no running sandbox uses").set_defaults(
        run=_run_images_prune
    )
    build = actions.add_parser(
        "build",
        help="build what is missing",
        description="Build the images of instances before a run, so that no case waits for one.",
        epilog="example:\n  benchmac images build 'trailbook_*' --sandbox docker",
    )
    build.add_argument(
        "pattern",
        metavar="GLOB",
        nargs="?",
        default="*",
        help="instances whose id matches (default: all)",
    )
    add_run_options(build, reports=Path(DEFAULT_REPORTS), without=OF_CASES)
    build.set_defaults(run=_run_images_build)


def _run_images_list(_: argparse.Namespace) -> int:
    stored = list_images(Settings(reports=Path(DEFAULT_REPORTS)))
    table = Table("kind", "name", "instance", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("MiB", justify="right")
    for image in stored:
        table.add_row(image.kind, image.name, image.instance, f"{image.bytes / MIB:,.0f}")
    console = Console(highlight=False)
    console.print(table)
    # Layers that images share are counted for each, by the engine's own reckoning.
    console.print(f"{len(stored)} item(s)")
    return OK


def _run_images_prune(_: argparse.Namespace) -> int:
    settings = Settings(reports=Path(DEFAULT_REPORTS))
    stored = list_images(settings)
    remove_images(settings, stored)
    left = len(list_images(settings))
    Console(highlight=False).print(f"{len(stored) - left} item(s) removed, {left} in use")
    return OK


def _run_images_build(args: argparse.Namespace) -> int:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    settings = settings_of(args)
    instances = load_instances(args.instances, args.pattern)
    engine, reason = select_engine(settings.sandbox, settings)
    console.print(f"sandbox: {engine.name} ({reason})")
    for number, instance in enumerate(instances.values(), start=1):
        began = time.monotonic()
        image = judging_image(instance, SubmissionKind.PATCH, engine, settings)
        console.print(
            f"[{number}/{len(instances)}] {instance.id}: {image.tag} "
            f"({image.provenance}, {time.monotonic() - began:.1f} s)"
        )
    return OK


ADD_PARSERS: Mapping[str, Callable[[Subparsers], None]] = {
    "doctor": doctor.add_parser,
    "judge": judge.add_parser,
    "init": init.add_parser,
    "validate": validate.add_parser,
    "shell": shell.add_parser,
    "learn": learn.add_parser,
    "aggregate": report.add_aggregate_parser,
    "report": report.add_report_parser,
    "figures": figures.add_figures_parser,
    "show": show.add_show_parser,
    "explain": explain.add_parser,
    "rejudge": _add_rejudge,
    "crosscheck": crosscheck.add_parser,
    "images": _add_images,
    "cache": cache.add_parser,
    "generate": generate.add_parser,
    "redteam": redteam.add_parser,
    "evolve": evolve.add_parser,
    "record-tests": record_tests.add_parser,
    "schema": schemas.add_parser,
}


if __name__ == "__main__":
    sys.exit(main())
