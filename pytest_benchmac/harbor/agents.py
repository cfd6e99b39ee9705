"""Agents of Harbor as systems under test: `benchmac generate --sut harbor:NAME`."""

from __future__ import annotations

import json
import os
import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.harbor.needed import require_harbor
from pytest_benchmac.harbor.places import FOLDERS
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, Workspace

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)

_PACKAGES = ("bzip2", "curl", "git", "procps", "ripgrep", "unzip", "wget", "xz-utils")


@dataclass(frozen=True)
class HarborAgent:
    """One agent of Harbor, with its arguments."""

    name: ClassVar[str] = "harbor"
    instance_type: ClassVar[type[Instance]] = Instance

    #: A built-in name, `acp:` and a name, or an import path.
    agent: str
    sut: str
    #: As Harbor's agents name it.
    model: str | None = None
    #: Of the agent's constructor.
    arguments: tuple[tuple[str, JsonValue], ...] = ()
    #: Variables of this process that its commands get, by name.
    env: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """Where agents keep logs, and what they install."""
        return FOLDERS

    @property
    def packages(self) -> tuple[str, ...]:
        """What agents that install themselves install first, as root, who nobody is here."""
        from pytest_benchmac.harbor.running import installs_itself

        return _PACKAGES if installs_itself(self.agent) else ()

    @property
    def secret_names(self) -> Sequence[str]:
        """Every variable that is passed on, and every one that looks like a secret."""
        found = (name for name in os.environ if _SECRET_NAME.search(name))
        return tuple(dict.fromkeys((*self.env, *found)))

    def settings(self) -> Mapping[str, JsonValue]:
        """The agent, its model and its arguments; names of the variables."""
        redactor = Redactor.of_environment(self.secret_names)
        arguments: dict[str, JsonValue] = {
            name: json.loads(redactor.text(json.dumps(value))) for name, value in self.arguments
        }
        return {
            "agent": self.agent,
            "model": self.model,
            "arguments": arguments,
            "env": list(self.env),
        }

    def run(self, workspace: Workspace) -> Ending:
        """Set the agent up in the sandbox, and let it work; see `running.run`."""
        # It takes Harbor, which this module does without.
        from pytest_benchmac.harbor.running import Wanted, run

        wanted = Wanted(self.agent, self.model, dict(self.arguments), self.env)
        return run(wanted, workspace)


def _create(args: Namespace) -> HarborAgent:
    require_harbor()
    from pytest_benchmac.harbor.running import check_agent

    for name in args.agent_env or ():
        if name not in os.environ:
            raise InputError(f"{name} is not set", where="--agent-env", remedy=f"export {name}=...")
    made = HarborAgent(
        agent=args.which,
        sut=args.name or f"harbor/{args.which}" + (f"/{args.model}" if args.model else ""),
        model=args.model,
        arguments=tuple(_argument(text) for text in args.agent_kwarg or ()),
        env=tuple(args.agent_env or ()),
    )
    check_agent(made.agent)
    return made


def _argument(text: str) -> tuple[str, JsonValue]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"{text!r} is not NAME=VALUE", where="--agent-kwarg")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


KIND = AdapterKind(
    name=HarborAgent.name,
    several=True,
    create=_create,
    options={
        "--model": {"metavar": "NAME", "help": "as the agent names it"},
        "--agent-kwarg": {
            "metavar": "NAME=VALUE",
            "action": "append",
            "help": "argument of the agent, JSON or text; may be given again",
        },
        "--agent-env": {
            "metavar": "NAME",
            "action": "append",
            "help": "environment variable that the agent's commands get; may be given again",
        },
    },
    examples=("--model provider/name --agent-env AGENT_API_KEY --network open --out patches",),
)
