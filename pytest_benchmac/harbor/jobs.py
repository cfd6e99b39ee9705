"""`benchmac import harbor-job`: the patches of a job of Harbor as submissions."""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue, TypeAdapter, ValidationError
from rich.console import Console

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.harbor.needed import require_harbor
from pytest_benchmac.harbor.places import PATCH
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import Case
from pytest_benchmac.model.trajectory import Step
from pytest_benchmac.tracks.adapter import ExitReason
from pytest_benchmac.tracks.extras import Subparsers

if TYPE_CHECKING:
    from harbor.models.trial.result import TrialResult

_PREFIX = "benchmac/"
_MAX_PATCH_BYTES = 64 * 1024 * 1024


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac import harbor-job`."""
    parser = subparsers.add_parser(
        "harbor-job",
        help="take the patches of a job of Harbor over as submissions",
        description="Write the patch of every trial of a job, with its costs and its trajectory, "
        "as the patch folder that pytest --patch-dir takes. Trials of one agent on one task "
        "become its attempts. What the job's own verifier said has no part in it.",
        epilog="example:\n  benchmac import harbor-job jobs/2026-01-31__12-00-00 --out patches\n"
        "  pytest --patch-dir=patches",
    )
    parser.add_argument("job", metavar="DIR", type=Path, help="the folder of the job")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="patch folder")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the submissions; 1 where a trial has no patch."""
    require_harbor()
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    trials = _trials(args.job)
    if not trials:
        raise InputError("there is no trial of a task of ours", where=args.job)
    attempts: Counter[tuple[str, str]] = Counter()
    without = 0
    for folder, result in trials:
        key = (result.task_name.removeprefix(_PREFIX), _sut(result))
        attempts[key] += 1
        case = Case(instance_id=key[0], sut=key[1], attempt=attempts[key])
        patch = folder / "artifacts" / PATCH.relative_to("/")
        if not patch.is_file() or patch.is_symlink() or patch.stat().st_size > _MAX_PATCH_BYTES:
            without += 1
            console.print(f"{folder.name}: no patch", markup=False)
            continue
        _write(case, folder, result, patch.read_bytes(), args.out)
        console.print(f"{folder.name}: {case.id}", markup=False)
    return 1 if without else 0


def _trials(job: Path) -> list[tuple[Path, TrialResult]]:
    """Trials of exported tasks, in the order they began.

    Raises:
        InputError: the folder cannot be read, or a result is not one of Harbor's.
    """
    from harbor.models.trial.result import TrialResult

    found = []
    for file in sorted(job.glob("*/result.json")):
        try:
            result = TrialResult.model_validate_json(file.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputError(f"is no result of a trial: {error}", where=file) from error
        if result.task_name.startswith(_PREFIX):
            found.append((file.parent, result))
    return sorted(found, key=lambda each: (str(each[1].started_at), each[0].name))


def _sut(result: TrialResult) -> str:
    agent = result.agent_info
    model = agent.model_info
    named = (
        "" if model is None else f"/{model.provider + '/' if model.provider else ''}{model.name}"
    )
    return f"harbor/{agent.name}{named}"


def _write(case: Case, folder: Path, result: TrialResult, patch: bytes, out: Path) -> None:
    from harbor.models.agent.context import AgentContext

    from pytest_benchmac.harbor import trajectories

    stem = out / case.stem
    trajectory = trajectories.read(folder / "agent")
    usage = trajectories.usage_of(result.agent_result or AgentContext(), trajectory)
    duration = None
    if (timed := result.agent_execution) and timed.started_at and timed.finished_at:
        duration = (timed.finished_at - timed.started_at).total_seconds()
    failed = result.exception_info
    reason = ExitReason.SUBMITTED if failed is None else ExitReason.ERROR
    if failed is not None and failed.exception_type == "AgentTimeoutError":
        reason = ExitReason.TIME_LIMIT
    known: dict[str, JsonValue] = {
        "instance_id": case.instance_id,
        "sut": case.sut,
        "attempt": case.attempt,
        "cost_usd": usage.cost_usd,
        "steps": usage.model_calls,
        "tokens": None if usage.tokens is None else dict(usage.tokens),
        "duration_s": duration,
        "exit_reason": reason.value,
        "detail": "" if failed is None else failed.exception_message[:2000],
        "patch_sha256": hashlib.sha256(patch).hexdigest(),
        "harbor": {
            "trial": result.trial_name,
            "agent": result.agent_info.name,
            "agent_version": result.agent_info.version,
            "task_checksum": result.task_checksum,
        },
    }
    if trajectory is not None:
        steps = [
            Step(step=number, message=each.message, output=each.output)
            for number, each in enumerate(trajectories.told(trajectory), start=1)
        ]
        kept = stem.with_name(f"{stem.name}.trajectory.jsonl")
        write_whole(kept, "".join(f"{step.model_dump_json()}\n" for step in steps))
        known["trajectory"] = kept.name
    write_whole(stem.with_name(f"{stem.name}.patch"), patch)
    text = TypeAdapter(dict[str, JsonValue]).dump_json(known, indent=2)
    write_whole(stem.with_name(f"{stem.name}.json"), text + b"\n")
