"""Harbor's trajectories (ATIF) as ours, and what they say of an agent's cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harbor.models.agent.context import AgentContext
from harbor.models.trajectories.step import Step as AtifStep
from harbor.models.trajectories.trajectory import Trajectory
from pydantic import ValidationError

from pytest_benchmac.tracks.adapter import Usage

#: As agents call it in their folder of logs.
FILE = "trajectory.json"
_MAX_BYTES = 64 * 1024 * 1024
_SHOWN = 32 * 1024


@dataclass(frozen=True)
class Told:
    """One step of an agent."""

    #: What it said, and the tools that it called.
    message: str
    #: What the tools answered.
    output: str


def read(logs: Path) -> Trajectory | None:
    """The trajectory in a folder of logs; None where there is none that can be read."""
    file = logs / FILE
    if not file.is_file() or file.is_symlink() or file.stat().st_size > _MAX_BYTES:
        return None
    try:
        return Trajectory.model_validate_json(file.read_bytes())
    except ValidationError:
        return None


def told(trajectory: Trajectory) -> Iterator[Told]:
    """The agent's own steps, as text."""
    for step in trajectory.steps:
        if step.source == "agent" and not step.is_copied_context:
            yield Told(_cut(_said(step)), _cut(_answered(step)))


def usage_of(context: AgentContext, trajectory: Trajectory | None) -> Usage:
    """Cost, tokens and calls of the model; what the agent does not tell is not known."""
    cost, given, written = context.cost_usd, context.n_input_tokens, context.n_output_tokens
    calls = None
    if trajectory is not None:
        final = trajectory.final_metrics
        if final is not None:
            cost = final.total_cost_usd if cost is None else cost
            given = final.total_prompt_tokens if given is None else given
            written = final.total_completion_tokens if written is None else written
        calls = sum(
            1 if step.llm_call_count is None else step.llm_call_count
            for step in trajectory.steps
            if step.source == "agent" and not step.is_copied_context
        )
    known = given is not None and written is not None
    return Usage(
        cost_usd=cost,
        tokens={"input": given or 0, "output": written or 0} if known else None,
        model_calls=calls,
    )


def _said(step: AtifStep) -> str:
    parts = [step.message if isinstance(step.message, str) else _text(step.message)]
    parts += [
        f"{call.function_name} {json.dumps(call.arguments, ensure_ascii=False)}"
        for call in step.tool_calls or ()
    ]
    return "\n".join(part for part in parts if part)


def _answered(step: AtifStep) -> str:
    results = () if step.observation is None else step.observation.results
    return "\n".join(
        each.content if isinstance(each.content, str) else _text(each.content or [])
        for each in results
    )


def _text(parts: list[object]) -> str:
    return "\n".join(str(text) for part in parts if (text := getattr(part, "text", None)))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\n[... {len(text) - _SHOWN} more]"
