"""A judge of plans: any model that litellm knows, asked once, in the worker's process."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pytest_benchmac.generate.collect import Collected
from pytest_benchmac.generate.phase import PhaseDone
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.tracks.adapter import Ending, ExitReason, Usage
from pytest_benchmac.tracks.chat import ModelServiceError, account, ask, require_litellm


@dataclass(frozen=True)
class Asked:
    """What a judge said, and what it cost."""

    answer: str
    phase: PhaseDone


def check_judge() -> None:
    """Raise InputError where litellm is not installed."""
    require_litellm("--judge")


def ask_judge(model: str, text: str, redactor: Redactor) -> Asked:
    """Ask a model; its API key comes from this process's environment.

    Raises:
        ModelServiceError: its service cannot be used.
        InputError: litellm is not installed.
    """
    check_judge()
    began = time.monotonic()
    try:
        answer = ask(model, [{"role": "user", "content": text}], "the judge")
    except ModelServiceError as error:
        raise ModelServiceError(redactor.text(error.what), remedy=error.remedy) from error
    usage = Usage(cost_usd=0.0)
    account(usage, answer.cost_usd, answer.tokens)
    return Asked(
        answer=redactor.text(answer.text),
        phase=PhaseDone(
            name="judge",
            ending=Ending(ExitReason.SUBMITTED),
            collected=Collected(b""),
            texts={},
            usage=usage,
            steps=1,
            duration_s=round(time.monotonic() - began, 3),
            environment={},
            hosts=(),
        ),
    )
