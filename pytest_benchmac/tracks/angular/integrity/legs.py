"""The integrity legs of one case, cheap ones first, and what its builds write.

`sources` runs as soon as the patch is applied (`tracks.angular.patch`), `execution` with the boot
(`tracks.angular.boot_stage`), the others with the build (`tracks.angular.build`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.tracks.angular.integrity.command_lines import as_ng
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    BuildTarget,
    mapping,
)
from pytest_benchmac.tracks.protocol import StageContext

#: Names of the legs, in the order they run.
SOURCES, INSTALL, CLOSED_WORLD, COMPILE, BUILD, BUNDLE, EXECUTION = (
    "sources",
    "install",
    "closed_world",
    "compile",
    "build",
    "bundle",
    "execution",
)


def built_targets(workspace: AngularWorkspace, command: str) -> Sequence[BuildTarget]:
    """The applications that a build command makes: the one it names, else the workspace's own."""
    applications = workspace.applications
    default = mapping(workspace.document.value).get("defaultProject")
    for chosen in (
        [each for each in applications if each.project in as_ng(command).split()],
        [each for each in applications if each.project == default],
        [each for each in applications if not each.root],
    ):
        if len(chosen) == 1:
            return chosen
    return applications


def built_folders(
    context: StageContext[Any], workspace: AngularWorkspace, command: str
) -> list[PurePosixPath]:
    """The folders in the sandbox that the build writes to."""
    outputs = [target.output for target in built_targets(workspace, command)]
    return [context.sandbox.project / output for output in dict.fromkeys(outputs) if output]
