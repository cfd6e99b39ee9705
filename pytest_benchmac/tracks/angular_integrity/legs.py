"""The integrity legs of one case, cheap ones first, and the build that belongs to them.

Where nothing in the patch can make the two builds differ, the build in the clean room is the
case's only one; elsewhere the ordinary build is what the metric is about, and the clean room's is
a leg of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_benchmac.errors import CopyLimitError
from pytest_benchmac.integrity import Findings, SourceTree
from pytest_benchmac.model import Finding, Integrity, Severity, StageResult, Verdict
from pytest_benchmac.network.published import PublishedPackages
from pytest_benchmac.settings import MIB
from pytest_benchmac.tracks.angular_integrity import (
    SourceReport,
    check_bundle,
    check_sources,
    script_bytes_of,
)
from pytest_benchmac.tracks.angular_integrity.clean_room import (
    CleanRoom,
    can_install,
    check_origins,
    ng_command,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular_integrity.closed_world import (
    ClosedWorld,
    Listing,
    check_closed_world,
    check_tool_chain,
    check_unchanged,
    check_versions,
)
from pytest_benchmac.tracks.angular_integrity.compile import compile_sources, own_tsconfig
from pytest_benchmac.tracks.angular_integrity.packages import bare_name, read_packages
from pytest_benchmac.tracks.angular_integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular_integrity.workspace import Workspace, read_workspace
from pytest_benchmac.tracks.base import StageContext

if TYPE_CHECKING:
    from pytest_benchmac.tracks.angular import AngularInstance

#: The legs that a clean verdict takes, in the order they run.
LEGS = ("sources", "install", "closed_world", "compile", "build", "bundle")
_NPMRC_BYTES = MIB
_OUTPUT_BYTES = 512 * MIB
_OUTPUT_FILES = 20_000
#: npm's exit code says nothing; what it prints does.
_ERESOLVE = "code ERESOLVE"


class LegsContext(StageContext, Protocol):
    """What the legs need of `evaluate` beside what every stage gets."""

    @property
    def logs(self) -> Path:
        """Folder on the host that is kept with the case's logs."""
        ...

    @property
    def published(self) -> PublishedPackages:
        """What the run's registry has published."""
        ...


@dataclass
class Legs:
    """The legs of one case as they run."""

    #: `duration_s` and `outcome` (passed or failed) by leg; a leg that did not run is not there.
    done: dict[str, dict[str, Any]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def rejected(self) -> bool:
        """Has anything fatal been found so far?"""
        return any(finding.severity is Severity.FATAL for finding in self.findings)

    @contextmanager
    def leg(self, name: str) -> Iterator[Findings]:
        """Time a leg and keep its findings."""
        findings = Findings()
        started = time.monotonic()
        try:
            yield findings
        except CopyLimitError as error:
            findings.fatal("too-large", f"more is to be copied than the harness looks at: {error}")
        found = findings.result()
        failed = any(finding.severity is Severity.FATAL for finding in found)
        self.findings += found
        self.done[name] = {
            "duration_s": round(time.monotonic() - started, 3),
            "outcome": "failed" if failed else "passed",
        }

    def observations(self) -> dict[str, Any]:
        """For the record."""
        return {
            "legs": self.done,
            "findings": [finding.model_dump(mode="json") for finding in self.findings],
            **self.facts,
        }


def build_with_integrity(
    context: LegsContext,
    instance: AngularInstance,
    *,
    legacy_peer_deps: bool,
    env: Mapping[str, str],
) -> dict[str, Any]:
    """Build a patched application, in the clean room and where need be in the ordinary sandbox.

    Args:
        context: of the build stage; its sandbox has the application installed.
        instance: the task.
        legacy_peer_deps: did the ordinary install need npm's flag of that name?
        env: of the track's commands.

    Returns:
        Observations of the stage, with `integrity` and `clean_room`.

    Raises:
        InfrastructureError: a sandbox, the registry or the harness failed.
    """
    return _Build(context, instance, legacy_peer_deps, env).run()


class _Build:
    def __init__(
        self,
        context: LegsContext,
        instance: AngularInstance,
        legacy_peer_deps: bool,
        env: Mapping[str, str],
    ) -> None:
        self._context = context
        self._instance = instance
        self._legacy_peer_deps = legacy_peer_deps
        self._env = env
        self._legs = Legs()

    def run(self) -> dict[str, Any]:
        commands, timeouts = self._instance.commands, self._instance.timeouts
        command = ng_command(commands.build)
        clean_room = False
        with self._context.fresh() as fresh:
            room = CleanRoom(fresh, self._context.logs)
            report = self._sources(room)
            # A build of its own, where one cannot stand for the other or has nothing to stand on.
            ordinary = bool(command is None or report is None or report.builds_can_differ)
            passed = ordinary and self._ordinary_build()
            if command and report and not self._legs.rejected and (passed or not ordinary):
                if verified := self._install(room, report):
                    clean_room = not ordinary
                    self._judge_build(room, verified, command, report, is_stage=clean_room)
                    ordinary = ordinary or clean_room
            if not ordinary:
                self._ordinary_build()
        return {"clean_room": clean_room, "integrity": self._legs.observations()}
