"""mini-swe-agent with any model that litellm knows; the `mini` extra brings the package.

The agent runs in the worker process and so does the client of the model's service: API keys never
enter the sandbox, which is the agent's environment and sees commands only.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from pydantic import JsonValue

from pytest_benchmac.generate.task import commands_of, facts_of
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, ExitReason, Workspace
from pytest_benchmac.tracks.chat import (
    ModelServiceError,
    account,
    require_model,
    secret_variables,
)

#: The thesis's limits.
STEP_LIMIT = 100
COST_LIMIT_USD = 1.0

#: What the agent prints, first and alone, to hand in its work.
SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

_COMMAND_SECONDS = 900.0
#: mini-swe-agent and litellm read these when they are imported.
_QUIET = {
    "MSWEA_SILENT_STARTUP": "1",
    # Prices as of the installed litellm: the same run costs the same, and nothing is downloaded.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


@dataclass(frozen=True)
class MiniSweAgent:
    """mini-swe-agent's own loop, with our sandbox as its environment."""

    name: ClassVar[str] = "mini-swe-agent"
    instance_type: ClassVar[type[Instance]] = Instance

    #: litellm's name of the model.
    model: str
    sut: str
    #: The YAML file with prompt, limits and settings of the model.
    config_text: str
    step_limit: int
    cost_limit_usd: float

    @classmethod
    def create(
        cls,
        *,
        model: str | None = None,
        config: Path | None = None,
        sut: str | None = None,
        step_limit: int | None = None,
        cost_limit_usd: float | None = None,
    ) -> MiniSweAgent:
        """Read the configuration; what is given here wins over what it says.

        Raises:
            InputError: the package is not installed, the file cannot be used, or no model is given.
        """
        if importlib.util.find_spec("minisweagent") is None:
            raise InputError(
                "the package mini-swe-agent is not installed",
                where="--sut mini-swe-agent",
                remedy="Install it: pip install 'pytest-benchmac[mini]'",
            )
        text = read_config(config)
        parsed = _parse(text, config)
        name = require_model(model or parsed["model"].get("model_name"), "--sut mini-swe-agent")
        agent = parsed["agent"]
        steps = agent.get("step_limit", STEP_LIMIT) if step_limit is None else step_limit
        cost = agent.get("cost_limit", COST_LIMIT_USD) if cost_limit_usd is None else cost_limit_usd
        return cls(
            model=name,
            sut=sut or f"mini-swe-agent/{name}",
            config_text=text,
            step_limit=int(steps),
            cost_limit_usd=float(cost),
        )

    @property
    def secret_names(self) -> Sequence[str]:
        """Every variable that looks like a secret: a service may repeat one in a message."""
        _import_quietly()
        return secret_variables()

    def settings(self) -> Mapping[str, JsonValue]:
        """Model, limits, and a digest of the configuration."""
        return {
            "model": self.model,
            "step_limit": self.step_limit,
            "cost_limit_usd": self.cost_limit_usd,
            "config_sha256": hashlib.sha256(self.config_text.encode()).hexdigest(),
        }

    def run(self, workspace: Workspace) -> Ending:
        """Run the agent until it submits, fails, or reaches a limit."""
        _import_quietly()
        # Here and not above: the package is optional, and takes seconds to import.
        import jinja2
        import openai
        import requests

        with _told_retries(workspace):
            agent = self._agent(workspace)
            try:
                result = agent.run(workspace.task)
            except jinja2.TemplateError as error:
                raise InputError(
                    f"a template cannot be rendered: {error}",
                    where="--config",
                    remedy="Start from pytest_benchmac/generate/prompts/mini_swe_agent.yaml.",
                ) from error
            except openai.BadRequestError as error:
                if not workspace.usage.model_calls:
                    raise ModelServiceError(f"{self.model}: {error}") from error
                # The conversation itself is refused, for example since it has become too long.
                return Ending(ExitReason.ERROR, f"{type(error).__name__}: {error}")
            except (openai.OpenAIError, requests.RequestException) as error:
                raise ModelServiceError(
                    f"{self.model}: {type(error).__name__}: {error}",
                    remedy="check the model's name, its API key in the environment, and the way "
                    "to its service",
                ) from error
        return self._ending(str(result.get("exit_status", "")), workspace)

    def _agent(self, workspace: Workspace) -> Any:
        from minisweagent.agents.default import DefaultAgent
        from minisweagent.models import get_model

        config = _parse(self.config_text, None)
        limits = {"step_limit": self.step_limit, "cost_limit": self.cost_limit_usd}
        try:
            return DefaultAgent(
                _Model(get_model(self.model, config["model"]), workspace),
                _Environment(workspace, config["environment"]),
                **{**config["agent"], **limits},
            )
        except (TypeError, ValueError) as error:
            raise InputError(f"mini-swe-agent refuses it: {error}", where="--config") from error

    def _ending(self, status: str, workspace: Workspace) -> Ending:
        if status == "Submitted":
            return Ending(ExitReason.SUBMITTED)
        if status == "TimeExceeded":
            return Ending(ExitReason.TIME_LIMIT, "the limit in the configuration")
        if status == "LimitsExceeded":
            cost = workspace.usage.cost_usd
            if self.cost_limit_usd and cost is not None and cost >= self.cost_limit_usd:
                return Ending(ExitReason.COST_LIMIT, f"the limit of {self.cost_limit_usd:g} USD")
            return Ending(ExitReason.STEP_LIMIT, f"the limit of {self.step_limit} steps")
        return Ending(ExitReason.ERROR, status)


class _Environment:
    """`minisweagent.Environment`: runs the agent's commands in our sandbox."""

    def __init__(self, workspace: Workspace, config: Mapping[str, Any]) -> None:
        self.config = config
        self._workspace = workspace
        self._timeout_s = float(config.get("timeout", _COMMAND_SECONDS))
        self._env = {name: str(value) for name, value in config.get("env", {}).items()}

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run one command; raises `Submitted` when it is the one that ends the task."""
        from minisweagent.exceptions import Submitted

        command = str(action.get("command", ""))
        ran = self._workspace.run(
            f"cd {shlex.quote(cwd)} && {command}" if cwd else command,
            timeout_s=self._timeout_s,
            env=self._env,
            bash=True,
        )
        first, _, rest = ran.output.lstrip().partition("\n")
        if first.strip() == SUBMIT and ran.exit_code == 0:
            ending = {"exit_status": "Submitted", "submission": rest}
            raise Submitted({"role": "exit", "content": rest, "extra": ending})
        stopped = f"The command was stopped after {self._timeout_s:g} seconds."
        return {
            "output": ran.output,
            "returncode": -1 if ran.exit_code is None else ran.exit_code,
            "exception_info": stopped if ran.timed_out else "",
        }

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """What the prompt may mention."""
        instance = self._workspace.instance
        return {
            "instance_id": instance.id,
            **facts_of(instance),
            "commands": commands_of(instance),
            "command_timeout": f"{self._timeout_s:g}",
            **kwargs,
        }

    def serialize(self) -> dict[str, Any]:
        """For mini-swe-agent's own trajectory, which is not written here."""
        return {"info": {"config": {"environment": dict(self.config)}}}


class _Model:
    """`minisweagent.Model`: passes on to another one, and keeps account of what it says."""

    def __init__(self, model: Any, workspace: Workspace) -> None:
        self._model = model
        self._workspace = workspace
        workspace.usage.model_calls = 0
        workspace.usage.cost_usd = 0.0

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        """Ask the model, if there is time left."""
        from minisweagent.exceptions import FormatError

        self._workspace.check_time()
        try:
            message: dict[str, Any] = self._model.query(messages, **kwargs)
        except FormatError as error:
            extra = error.messages[0].get("extra", {})
            self._account(extra)
            self._workspace.say(_text_of(_first_choice(extra)))
            self._workspace.flush()
            raise
        self._account(message.get("extra", {}))
        self._workspace.say(_text_of(message))
        return message

    def _account(self, extra: Mapping[str, Any]) -> None:
        cost = extra.get("cost")
        response = extra.get("response")
        counted = response.get("usage") if isinstance(response, dict) else None
        tokens = None
        if isinstance(counted, dict):
            tokens = {
                "input": int(counted.get("prompt_tokens") or 0),
                "output": int(counted.get("completion_tokens") or 0),
            }
        # 0 where litellm knows no price of the model.
        priced = isinstance(cost, int | float) and cost > 0
        account(self._workspace.usage, cost if priced else None, tokens)

    def __getattr__(self, name: str) -> Any:
        """What is not accounted for is the other model's."""
        return getattr(self._model, name)


def read_config(path: Path | None) -> str:
    """The text of a configuration; of our own when no file is given.

    Raises:
        InputError: the file cannot be read.
    """
    if path is None:
        return (files("pytest_benchmac.generate") / "prompts" / "mini_swe_agent.yaml").read_text(
            "utf-8"
        )
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=path) from error


def _parse(text: str, path: Path | None) -> dict[str, dict[str, Any]]:
    """The sections agent, environment and model.

    Raises:
        InputError: it is no YAML, or has no such sections.
    """
    import yaml

    where = path or "mini_swe_agent.yaml"
    try:
        parsed = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"is no YAML: {error}", where=where) from error
    if not isinstance(parsed, dict):
        raise InputError("is no table with the section `agent`", where=where)
    sections = {name: parsed.get(name) or {} for name in ("agent", "environment", "model")}
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise InputError(f"`{name}` is no table", where=where)
    for key in ("system_template", "instance_template"):
        if not isinstance(sections["agent"].get(key), str):
            raise InputError(
                f"key `agent.{key}` is missing",
                where=where,
                remedy="Start from pytest_benchmac/generate/prompts/mini_swe_agent.yaml.",
            )
    sections["model"].setdefault("cost_tracking", "ignore_errors")
    return sections


def _import_quietly() -> None:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import minisweagent  # noqa: F401 - reads the user's API keys into the environment


class _told_retries(logging.Handler):  # noqa: N801 - used like a function
    """While entered, what mini-swe-agent logs about calls that it repeats becomes progress."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(logging.WARNING)
        self._workspace = workspace
        self._logger = logging.getLogger("litellm_model")

    def __enter__(self) -> None:
        self._logger.addHandler(self)
        self._logger.propagate = False

    def __exit__(self, *exc: object) -> None:
        self._logger.removeHandler(self)
        self._logger.propagate = True

    def emit(self, record: logging.LogRecord) -> None:
        """One line of progress."""
        self._workspace.note(record.getMessage().splitlines()[0])


def _first_choice(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    response = extra.get("response")
    choices = response.get("choices") if isinstance(response, dict) else None
    message = choices[0].get("message") if choices else None
    return message if isinstance(message, dict) else {}


def _text_of(message: Mapping[str, Any]) -> str:
    """What the model said; of several parts those that are text."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


KIND = AdapterKind(
    name=MiniSweAgent.name,
    create=lambda args: MiniSweAgent.create(
        model=args.model,
        config=args.config,
        sut=args.name,
        step_limit=args.step_limit,
        cost_limit_usd=args.cost_limit,
    ),
    options={
        "--model": {"metavar": "NAME", "help": "as litellm names it"},
        "--config": {"metavar": "FILE", "type": Path, "help": "YAML: prompt, limits, model"},
        "--step-limit": {
            "metavar": "N",
            "type": int,
            "help": f"steps of the agent for one instance; 0: no limit (default: {STEP_LIMIT})",
        },
        "--cost-limit": {
            "metavar": "USD",
            "type": float,
            "help": f"dollars for one instance; 0: no limit (default: {COST_LIMIT_USD:.2f})",
        },
    },
    examples=("--model provider/name --out patches -n 2",),
)
