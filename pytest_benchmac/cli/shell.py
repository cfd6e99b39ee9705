"""`benchmac shell`: look around in the sandbox of a case, one command at a time."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from pytest_benchmac.cli.options import OF_CASES, add_run_options, settings_of
from pytest_benchmac.foreign.text import printable
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions
from pytest_benchmac.input.staging import with_patch
from pytest_benchmac.judging.patched import patched_sandbox
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.extras import Subparsers

_SECONDS = 3600
_OUTPUT_BYTES = 8 * MIB


def add_parser(subparsers: Subparsers) -> None:
    """Add `benchmac shell`."""
    parser = subparsers.add_parser(
        "shell",
        help="open the sandbox of a case, to look around",
        description="Start the sandbox in which a case of this instance is judged, with its "
        "network and limits, and run what you type there: each line is a command of its own, as "
        "stages are, and `cd` holds for the next ones. Nothing is installed at first: type the "
        "instance's commands. The sandbox is gone when you leave, with Control-D or `exit`.",
        epilog="examples:\n"
        "  benchmac shell trailbook_v18_to_v19\n"
        "  benchmac shell my_app --instances my-instances --patch patches/bot/my_app.patch\n"
        "  echo 'npm ci && npx ng version' | benchmac shell trailbook_v18_to_v19",
    )
    parser.add_argument("instance", metavar="ID", help="instance id")
    parser.add_argument(
        "--patch", metavar="FILE", type=Path, help="apply it first (default: the untouched base)"
    )
    add_run_options(parser, reports=Path("reports/shell"), without=OF_CASES)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    instances = load_instances(args.instances, args.instance)
    if args.instance not in instances:
        raise InputError(
            f"no instance is called {args.instance!r}",
            where="benchmac shell",
            remedy="--instances=PATH names other sets than the packaged one.",
        )
    instance = instances[args.instance]
    submission = baseline_submissions({instance.id: instance})[0]
    if args.patch is not None:
        case = Case(instance_id=instance.id, sut="shell")
        submission = with_patch(Submission(case=case), args.patch)
    settings = settings_of(args)
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    with (
        tempfile.TemporaryDirectory(prefix="benchmac-") as scratch,
        Network.of(settings) as network,
        patched_sandbox(
            instance, submission, settings, network=network, logs=Path(scratch)
        ) as sandbox,
    ):
        console.print(f"{instance.id}, {sandbox.describe().name}; Control-D leaves")
        for name, command in instance.commands:
            if isinstance(command, str):
                console.print(f"  {name}: {command}")
        return _converse(sandbox, Path(scratch) / "shell.log")


def _converse(sandbox: Sandbox, log: Path) -> int:
    """Run lines of standard input until it ends; the exit code of the last one."""
    terminal = sys.stdin.isatty()
    if terminal:
        with suppress(ImportError):
            # Editing and history of lines, where Python has it.
            import readline  # noqa: F401
    place = shlex.quote(str(sandbox.home / ".benchmac-cwd"))
    status = 0
    while True:
        try:
            line = input("$ " if terminal else "")
        except EOFError:
            return status
        if line.strip() == "exit":
            return status
        if not line.strip():
            continue
        command = (
            f'cd "$(cat {place} 2>/dev/null || pwd)" && {{ {line}\n}}; s=$?; pwd >{place}; exit $s'
        )
        done = sandbox.run(command, timeout_s=_SECONDS, log=log, capture_bytes=_OUTPUT_BYTES)
        text = log.read_text(errors="replace")
        sys.stdout.write(printable(text) if terminal else text)
        sys.stdout.flush()
        status = done.exit_code if done.exit_code is not None else 1
