"""A model that litellm knows, asked from this process: API keys never enter a sandbox."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.model.errors import InfrastructureError, InputError
from pytest_benchmac.tracks.adapter import Usage

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


class ModelServiceError(InfrastructureError):
    """The service that runs the model cannot be used, or stopped answering."""


@dataclass(frozen=True)
class Answer:
    """What a model said, and what it cost."""

    text: str
    #: None where litellm knows no price of the model.
    cost_usd: float | None
    #: `input` and `output`.
    tokens: Mapping[str, int]


def require_litellm(where: str) -> None:
    """Refuse what needs litellm where that is not installed.

    Args:
        where: the option that asks for a model.

    Raises:
        InputError: it is not.
    """
    if importlib.util.find_spec("litellm") is None:
        raise InputError(
            "the package litellm is not installed",
            where=where,
            remedy="Install it: pip install 'pytest-benchmac[mini]'",
        )


def require_model(name: object, where: str) -> str:
    """A model's name, where one is given.

    Args:
        name: as litellm names it; what a command line or a configuration has.
        where: the option that asks for a model.

    Raises:
        InputError: none is.
    """
    if not isinstance(name, str) or not name:
        raise InputError(
            "no model is given",
            where=where,
            remedy="Give --model=NAME as litellm knows it, for example provider/model.",
        )
    return name


def secret_variables() -> tuple[str, ...]:
    """Names of environment variables that look like secrets: a service may repeat a value."""
    return tuple(name for name in os.environ if _SECRET_NAME.search(name))


def ask(
    model: str, messages: Sequence[Mapping[str, str]], what: str = "the model", **options: Any
) -> Answer:
    """Ask a model; its API key comes from this process's environment.

    Args:
        model: as litellm names it.
        messages: `role` and `content` of each, the oldest first.
        what: the model is called so in an error.
        options: of `litellm.completion`.

    Raises:
        ModelServiceError: its service cannot be used.
    """
    # Prices as of the installed litellm: the same run costs the same, and nothing is downloaded.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # Here and not above: the package is optional, and takes seconds to import.
    import litellm
    import openai

    try:
        response = litellm.completion(model=model, messages=list(messages), **options)
    except openai.OpenAIError as error:
        raise ModelServiceError(
            f"{what} {model} does not answer: {type(error).__name__}: {error}",
            remedy="check its name, its API key in the environment, and the way to its service",
        ) from error
    # None, or 0, where no price of this model is known.
    cost = getattr(response, "_hidden_params", {}).get("response_cost") or None
    counted = getattr(response, "usage", None)
    return Answer(
        text=str(response.choices[0].message.content or ""),
        cost_usd=None if cost is None else float(cost),
        tokens={
            "input": int(getattr(counted, "prompt_tokens", 0) or 0),
            "output": int(getattr(counted, "completion_tokens", 0) or 0),
        },
    )


def account(usage: Usage, cost_usd: float | None, tokens: Mapping[str, int] | None) -> None:
    """Add a call of the model to what was used.

    Args:
        usage: so far.
        cost_usd: of the call; None where no price is known, and then the sum is not known either.
        tokens: as `Answer` has them; None where the service does not say.
    """
    usage.model_calls = (usage.model_calls or 0) + 1
    if usage.cost_usd is not None:
        usage.cost_usd = None if cost_usd is None else usage.cost_usd + cost_usd
    if tokens is not None:
        before = usage.tokens or {}
        usage.tokens = {name: before.get(name, 0) + count for name, count in tokens.items()}
