"""Angular Schematics, the framework's own migrations: `ng update` and nothing else.

The BenchMAC thesis's baseline without a language model.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from pytest_benchmac.model.errors import InfrastructureError, InputError, NetworkError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, Executed, ExitReason, Workspace
from pytest_benchmac.tracks.angular.install import install_with_retry
from pytest_benchmac.tracks.angular.instance import AngularInstance, major_of

#: Seconds for the update, which downloads and installs the new packages.
UPDATE_SECONDS = 1800.0

_ENV = {"NG_CLI_ANALYTICS": "false"}
#: What npm and the Angular CLI say when the registry, or the way to it, failed.
_NO_REGISTRY = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH"
    r"|ERR_SOCKET_TIMEOUT|E50[0234]|E429|SELF_SIGNED_CERT_IN_CHAIN"
    r"|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\b"
)


@dataclass(frozen=True)
class AngularSchematics:
    """`npx @angular/cli@T update @angular/core@T @angular/cli@T`, T being the target's major.

    Attributes:
        sut: name on the leaderboard.
        core: exact versions of `@angular/core` to update to instead of the newest of their major,
            for a registry that has not all packages of that one.
        cli: the same of `@angular/cli`, which has releases of its own.
    """

    name: ClassVar[str] = "angular-schematics"
    instance_type: ClassVar[type[Instance]] = AngularInstance
    secret_names: ClassVar[Sequence[str]] = ()

    sut: str = "angular-schematics"
    core: tuple[str, ...] = ()
    cli: tuple[str, ...] = ()

    def settings(self) -> Mapping[str, JsonValue]:
        """How it is called, T being the target's major version."""
        settings: dict[str, JsonValue] = {"command": update_command("T")}
        for name, versions in (("core", self.core), ("cli", self.cli)):
            if versions:
                settings[name] = list(versions)
        return settings

    def run(self, workspace: Workspace) -> Ending:
        """Install the base, then update. An update that fails is a result like any other."""
        instance = workspace.instance
        if not isinstance(instance, AngularInstance):
            raise TypeError(f"{instance.id} is not an Angular instance")
        workspace.usage.cost_usd = 0.0
        _install(workspace, instance)
        target = instance.migration.target_version
        # npx wants npm's folder for global packages to exist; the system's is not ours to make.
        prefix = workspace.sandbox.home / ".global"
        workspace.set_up(f"mkdir -p {shlex.quote(str(prefix))}/lib")
        updated = workspace.run(
            update_command(target, _of_major(self.core, target), _of_major(self.cli, target)),
            timeout_s=UPDATE_SECONDS,
            env={**_ENV, "npm_config_prefix": str(prefix)},
        )
        if updated.exit_code == 0:
            return Ending(ExitReason.SUBMITTED)
        _check_registry(workspace, updated)
        how = "timed out" if updated.timed_out else f"exited {updated.exit_code}"
        return Ending(ExitReason.SUBMITTED, f"ng update {how}")


def _of_major(versions: Sequence[str], target: str) -> str | None:
    return next((each for each in versions if major_of(each) == int(target)), None)


def update_command(target: str, core: str | None = None, cli: str | None = None) -> str:
    """The command line for a target's major version, and perhaps exact versions."""
    return (
        f"npx --yes @angular/cli@{cli or target} update @angular/core@{core or target} "
        f"@angular/cli@{cli or target} --allow-dirty --force"
    )


def _install(workspace: Workspace, instance: AngularInstance) -> None:
    command, timeout_s = instance.commands.install, instance.timeouts.install

    def run(line: str) -> tuple[Executed, int | None, str]:
        executed = workspace.run(line, timeout_s=timeout_s, env=_ENV)
        return executed, executed.exit_code, executed.output

    installed, _ = install_with_retry(command, run)
    if installed.exit_code != 0:
        _check_registry(workspace, installed)
        how = "timed out" if installed.timed_out else f"exited {installed.exit_code}"
        tail = "\n".join(installed.output.splitlines()[-5:])
        raise InfrastructureError(
            f"{instance.id}: `{command}` on the untouched base {how}: {tail}",
            remedy=f"see `benchmac validate {instance.id}`",
        )


def _check_registry(workspace: Workspace, executed: Executed) -> None:
    """A command that failed because the registry did says nothing about the SUT."""
    if trouble := workspace.network_trouble():
        raise NetworkError(trouble[0])
    if match := _NO_REGISTRY.search(executed.output):
        line = next(line for line in executed.output.splitlines() if match[0] in line)
        raise NetworkError(f"the package registry failed: {line.strip()}")


def _create(args: Namespace) -> AngularSchematics:
    core, cli = tuple(args.core_version or ()), tuple(args.cli_version or ())
    for option, versions in (("--core-version", core), ("--cli-version", cli)):
        for version in versions:
            if major_of(version) is None:
                raise InputError(
                    f"{version!r} is no exact version",
                    where=option,
                    remedy="Give one such as 17.3.12.",
                )
    return AngularSchematics(args.name or AngularSchematics.name, core, cli)


KIND = AdapterKind(
    name=AngularSchematics.name,
    create=_create,
    options={
        "--core-version": {
            "metavar": "VERSION",
            "action": "append",
            "help": "exact @angular/core to update to instead of the newest of its major, where "
            "the registry has not all packages of that one; may be given again for other majors",
        },
        "--cli-version": {
            "metavar": "VERSION",
            "action": "append",
            "help": "the same of @angular/cli, whose builder packages it takes along",
        },
    },
    examples=("--out patches",),
)
