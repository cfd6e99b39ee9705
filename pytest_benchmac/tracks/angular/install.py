"""Installing with npm as the thesis does: one retry after ERESOLVE."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pytest_benchmac.tracks.angular.failures import diagnose_install
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Observations, Ran, Stage, StageContext

T = TypeVar("T")
_LEGACY_PEER_DEPS = "--legacy-peer-deps"
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


class InstallStage(Stage[AngularInstance, InstallSeen]):
    """The instance's install command succeeds."""

    name = "install"
    needs = ("patch",)
    observations = InstallSeen

    def run(self, context: StageContext[AngularInstance]) -> InstallSeen:
        """Install, and once more after ERESOLVE."""
        _, retried = install(context)
        return InstallSeen(retried_with_legacy_peer_deps=retried)

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
        done, _, _ = run(f"{command} {_LEGACY_PEER_DEPS}")
    return done, retry


def needs_legacy_peer_deps(command: str, exit_code: int | None, stderr: str) -> bool:
    """Did this install fail with ERESOLVE, without the flag that would have avoided it?"""
    failed = exit_code not in (0, None)
    return failed and _LEGACY_PEER_DEPS not in command and bool(_ERESOLVE.search(stderr))
