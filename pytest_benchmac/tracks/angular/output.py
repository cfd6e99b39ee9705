"""Where a workspace's builds go."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.tracks.protocol import StageContext

WORKSPACE_BYTES = 1024 * 1024
_MAX_OUTPUT_FOLDERS = 16
#: Of a name: file systems take no more.
_NAME_BYTES = 255


def output_folders(workspace: object) -> list[str]:
    """Output folders of the application builders in a parsed angular.json; `dist` if none.

    `outputPath` is a string, or (application builder, 17 and on) an object with `base`. Folders
    outside the project, inside one another, or of names that no file has, are left out.
    """
    folders: list[PurePosixPath] = []
    projects = workspace.get("projects") if isinstance(workspace, dict) else None
    for project in projects.values() if isinstance(projects, dict) else ():
        targets = None
        if isinstance(project, dict):
            targets = project.get("architect") or project.get("targets")
        build = targets.get("build") if isinstance(targets, dict) else None
        options = build.get("options") if isinstance(build, dict) else None
        output = options.get("outputPath") if isinstance(options, dict) else None
        if isinstance(output, dict):
            output = output.get("base")
        if isinstance(output, str) and output.isprintable() and len(output) < 1024:
            folder = PurePosixPath(output)
            exists = all(len(part.encode()) <= _NAME_BYTES for part in folder.parts)
            if exists and not folder.is_absolute() and ".." not in folder.parts and folder.parts:
                folders.append(folder)
    outermost = [f for f in folders if not any(other in f.parents for other in folders)]
    return list(dict.fromkeys(map(str, outermost)))[:_MAX_OUTPUT_FOLDERS] or ["dist"]


def output_folders_of(context: StageContext[Any]) -> list[PurePosixPath]:
    """The output folders that the patched angular.json names, else `dist`."""
    project = context.sandbox.project
    content = context.read_file(project / "angular.json", max_bytes=WORKSPACE_BYTES)
    try:
        workspace = json.loads(content or b"null")
    except (ValueError, RecursionError):
        workspace = None
    return [project / folder for folder in output_folders(workspace)]
