"""A judge of plans: any model that litellm knows, asked once, in the worker's process."""

from __future__ import annotations

import importlib.util
import os
import time
from dataclasses import dataclass

from pytest_benchmac.generate.collect import Collected
from pytest_benchmac.generate.phase import PhaseDone
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.model.errors import InfrastructureError, InputError
from pytest_benchmac.tracks.adapter import Ending, ExitReason, Usage


@dataclass(frozen=True)
class Asked:
    """What a judge said, and what it cost."""

    answer: str
    phase: PhaseDone


def check_judge() -> None:
    """Raise InputError where litellm is not installed."""
    if importlib.util.find_spec("litellm") is None:
        raise InputError(
            "the package litellm is not installed",
            where="--judge",
            remedy="Install it: pip install 'pytest-benchmac[mini]'",
        )


def ask_judge(model: str, text: str, redactor: Redactor) -> Asked:
    """Ask a model; its API key comes from this process's environment.

    Raises:
        InfrastructureError: its service cannot be used.
        InputError: litellm is not installed.
    """
    check_judge()
    # Prices as of the installed litellm; nothing is downloaded.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    import openai

    began = time.monotonic()
    try:
        response = litellm.completion(model=model, messages=[{"role": "user", "content": text}])
    except openai.OpenAIError as error:
        said = redactor.text(str(error))
        raise InfrastructureError(
            f"the judge {model} does not answer: {type(error).__name__}: {said}",
            remedy="check its name, its API key in the environment, and the way to its service",
        ) from error
    # None, or 0, where no price of this model is known.
    cost = getattr(response, "_hidden_params", {}).get("response_cost") or None
    counted = getattr(response, "usage", None)
    usage = Usage(
        cost_usd=None if cost is None else float(cost),
        tokens={
            "input": int(getattr(counted, "prompt_tokens", 0) or 0),
            "output": int(getattr(counted, "completion_tokens", 0) or 0),
        },
        model_calls=1,
    )
    return Asked(
        answer=redactor.text(response.choices[0].message.content or ""),
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
