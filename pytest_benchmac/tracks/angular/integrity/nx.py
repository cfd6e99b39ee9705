"""Nx's workspace as the angular.json that the framework's own command line reads.

Nx keeps each project in a `project.json`, with defaults of targets in `nx.json`; `executor` is what
`builder` is there. https://nx.dev/reference/project-configuration
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncError, parse

NX_FILE = "nx.json"
_PROJECT_FILE = "project.json"
_MAX_BYTES = MIB
_MAX_PROJECTS = 1000
_SECTIONS = ("options", "configurations")


class NxError(Exception):
    """A file of Nx's cannot be read, or not for certain.

    Attributes:
        file: which.
    """

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}")
        self.file = file


def angular_form(tree: SourceTree) -> str:
    """An angular.json with the projects of an Nx workspace, and of each its target `build`.

    Targets that plugins infer are not in any file, and so not here.

    Raises:
        NxError: a file cannot be read.
    """
    defaults = _mapping(_read(tree, NX_FILE).get("targetDefaults"))
    projects: dict[str, Any] = {}
    files = [path for path in tree.named(_PROJECT_FILE) if outside(path, ("node_modules",))]
    if len(files) > _MAX_PROJECTS:
        raise NxError(NX_FILE, f"there are more than {_MAX_PROJECTS} projects")
    for path in sorted(files):
        project = _read(tree, path)
        root = path.rpartition("/")[0]
        name = project.get("name")
        if not isinstance(name, str) or name in projects:
            raise NxError(path, "it has no name of its own")
        target = _mapping(_mapping(project.get("targets")).get("build"))
        section = {"build": _target(target, defaults, root, name)} if target else {}
        projects[name] = {
            "root": root,
            "sourceRoot": project.get("sourceRoot", f"{root}/src".lstrip("/")),
            "projectType": project.get("projectType", "application"),
            "architect": section,
        }
    return json.dumps({"version": 1, "projects": projects}, indent=2)


def _target(
    own: Mapping[str, Any], defaults: Mapping[str, Any], root: str, name: str
) -> Mapping[str, Any]:
    """The target with Nx's defaults for its executor, else for its name, and tokens filled in."""
    executor = own.get("executor")
    known = executor if isinstance(executor, str) else ""
    default = _mapping(defaults.get(known)) or _mapping(defaults.get("build"))
    target: dict[str, Any] = {"builder": executor or default.get("executor")}
    for section in _SECTIONS:
        merged = {**_mapping(default.get(section)), **_mapping(own.get(section))}
        if merged:
            target[section] = _filled(merged, root, name)
    for each in (default, own):
        if "defaultConfiguration" in each:
            target["defaultConfiguration"] = each["defaultConfiguration"]
    return target


def _filled(value: Any, root: str, name: str) -> Any:
    """Nx's tokens replaced by what they stand for."""
    if isinstance(value, str):
        value = value.replace("{workspaceRoot}/", "").replace("{projectName}", name)
        return value.replace("{projectRoot}", root or ".")
    if isinstance(value, dict):
        return {key: _filled(each, root, name) for key, each in value.items()}
    return [_filled(each, root, name) for each in value] if isinstance(value, list) else value


def _read(tree: SourceTree, path: str) -> Mapping[str, Any]:
    text = tree.text(path, _MAX_BYTES)
    if text is None:
        raise NxError(path, f"it is larger than {_MAX_BYTES} bytes")
    try:
        document = parse(text)
    except JsoncError as error:
        raise NxError(path, str(error)) from error
    odd = [
        key[-1] for key in document.lines if key[-1] in ("__proto__", "constructor", "prototype")
    ]
    if document.duplicates or odd:
        raise NxError(path, "readers may read its keys differently")
    return _mapping(document.value)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
