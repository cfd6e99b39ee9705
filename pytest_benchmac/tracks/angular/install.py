"""Installing with npm as the thesis does: one retry after ERESOLVE."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import Field

from pytest_benchmac.model.base import ForeignText
from pytest_benchmac.tracks.angular.failures import diagnose_install
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.command_lines import LEGACY_PEER_DEPS
from pytest_benchmac.tracks.angular.laid_install import (
    LaidInstall,
    move_to_laid,
    move_to_patched,
)
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Observations, Ran, Stage, StageContext

T = TypeVar("T")
_ERESOLVE = re.compile(r"^npm (?:ERR!|error) code ERESOLVE\s*$", re.MULTILINE)
#: Of every command. Variables beat the project's .npmrc, where colour would hide ERESOLVE from us,
#: and package-lock-only would have `npm ls` report the lock file instead of what is installed.
ENV = {
    "NG_CLI_ANALYTICS": "false",
    "npm_config_color": "false",
    "npm_config_package_lock_only": "false",
}


class InstallSeen(Observations):
    """How the install went."""

    retried_with_legacy_peer_deps: bool = False
    #: Why npm installed the packages; empty where the harness laid them, and npm only said whether
    #: it would have succeeded.
    installed_by_npm: ForeignText = ""
    #: What was laid; None where npm installed.
    laid: LaidInstall | None = Field(default=None, exclude=True)


class InstallStage(Stage[AngularInstance, InstallSeen]):
    """The instance's install command succeeds."""

    name = "install"
    needs = ("patch",)
    observations = InstallSeen

    def run(self, context: StageContext[AngularInstance]) -> InstallSeen:
        """Install, and once more after ERESOLVE."""
        command = context.instance.commands.install
        laid = move_to_laid(context, command, ENV)
        if isinstance(laid, str):
            _, retried = install(context)
            return InstallSeen(retried_with_legacy_peer_deps=retried, installed_by_npm=laid)
        ran = laid.asks(context, command, ENV)
        retried = needs_legacy_peer_deps(command, ran.attempt.exit_code, ran.stderr)
        if retried:
            # Another tree: without what only peers ask for.
            again = move_to_laid(context, last_command(command, retried=True), ENV)
            if isinstance(again, str):
                move_to_patched(context)
                _, retried = install(context)
                return InstallSeen(retried_with_legacy_peer_deps=retried, installed_by_npm=again)
            laid = again
            laid.asks(context, last_command(command, retried=True), ENV)
        return InstallSeen(retried_with_legacy_peer_deps=retried, laid=laid)

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """By npm's error codes."""
        return diagnose_install(output)


def install(context: StageContext[AngularInstance]) -> tuple[Ran, bool]:
    """Run the instance's install command; the last attempt, and whether it was the second one."""

    def run(line: str) -> tuple[Ran, int | None, str]:
        ran = context.run(line, timeout_s=context.instance.timeouts.install, env=ENV)
        return ran, ran.attempt.exit_code, ran.stderr

    return install_with_retry(context.instance.commands.install, run)


def install_with_retry(
    command: str, run: Callable[[str], tuple[T, int | None, str]]
) -> tuple[T, bool]:
    """Install; on a peer dependency conflict once more with the flag that npm itself proposes.

    The thesis's protocol: ERESOLVE is npm's word for a conflict of peer ranges, which real
    projects override.

    Args:
        command: the instance's.
        run: runs a command line; what it did, its exit code, and what it printed.

    Returns:
        What the last attempt did, and whether it was the second one.
    """
    done, exit_code, printed = run(command)
    retry = needs_legacy_peer_deps(command, exit_code, printed)
    if retry:
        done, _, _ = run(last_command(command, retried=True))
    return done, retry


def last_command(command: str, *, retried: bool) -> str:
    """The line of an install's last attempt."""
    return f"{command} {LEGACY_PEER_DEPS}" if retried else command


def needs_legacy_peer_deps(command: str, exit_code: int | None, stderr: str) -> bool:
    """Did this install fail with ERESOLVE, without the flag that would have avoided it?"""
    failed = exit_code not in (0, None)
    return failed and LEGACY_PEER_DEPS not in command and bool(_ERESOLVE.search(stderr))
