"""Nx's workspace as the angular.json that the framework's own command line reads.

Nx keeps each project in a `project.json`, with defaults of targets in `nx.json`; `executor` is what
`builder` is there. https://nx.dev/reference/project-configuration
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncError, parse

NX_FILE = "nx.json"
_PROJECT_FILE = "project.json"
_MAX_BYTES = MIB
_MAX_PROJECTS = 1000
_BUILD = "build"
#: Keys of nx.json that change no target but as is read here.
_HARMLESS = frozenset(
    {
        "$schema",
        "affected",
        "cacheDirectory",
        "cli",
        "defaultBase",
        "defaultProject",
        "generators",
        "namedInputs",
        "neverConnectToCloud",
        "nxCloudAccessToken",
        "nxCloudId",
        "parallel",
        "plugins",
        "targetDefaults",
        "useDaemonProcess",
        "workspaceLayout",
    }
)
#: They infer targets for tests, end-to-end tests and linting.
_PLUGINS = frozenset(f"@nx/{each}/plugin" for each in ("cypress", "eslint", "jest", "playwright"))
_TARGET_KEYS = frozenset(
    {
        "cache",
        "configurations",
        "defaultConfiguration",
        "dependsOn",
        "executor",
        "inputs",
        "metadata",
        "options",
        "outputs",
        "parallelism",
    }
)
#: Executors of Nx's that hand all options but their own over to one of the framework's builders.
_DELEGATES = {
    f"@nx/angular:{name}": f"@angular-devkit/build-angular:{name}"
    for name in ("application", "browser-esbuild")
}
#: Their own options, and the only values that change nothing.
_OWN_OPTIONS: Mapping[str, tuple[object, ...]] = {
    "buildLibsFromSource": (True,),
    "indexHtmlTransformer": (),
    "plugins": ([],),
}
#: Packages of the framework's builders: their names are what its command line takes.
_FRAMEWORK = ("@angular-devkit/build-angular", "@angular/build")
_NEEDS = ("dependencies", "devDependencies")


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
        target = _mapping(_mapping(project.get("targets")).get(_BUILD))
        section = {_BUILD: _target(target, defaults, root, name)} if target else {}
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
    """The target with Nx's defaults, and tokens filled in: its `normalizeTargets`."""
    default = _defaults(own, defaults)
    executor = own.get("executor")
    delegate = _DELEGATES.get(executor) if isinstance(executor, str) else None
    if delegate is not None:
        own, default = _handed_over(own), _handed_over(default)
    target: dict[str, Any] = {"builder": delegate or executor}
    options = {**_mapping(default.get("options")), **_mapping(own.get("options"))}
    if options:
        target["options"] = _filled(options, root, name)
    by_default, by_own = (_mapping(each.get("configurations")) for each in (default, own))
    if by_default or by_own:
        target["configurations"] = {
            key: _filled({**_mapping(by_default.get(key)), **_mapping(by_own.get(key))}, root, name)
            for key in dict.fromkeys([*by_own, *by_default])
        }
    for each in (default, own):
        if "defaultConfiguration" in each:
            target["defaultConfiguration"] = each["defaultConfiguration"]
    return target


def _handed_over(target: Mapping[str, Any]) -> Mapping[str, Any]:
    """A target without the options that an executor of Nx's keeps for itself."""

    def without(options: object) -> Mapping[str, Any]:
        return {name: each for name, each in _mapping(options).items() if name not in _OWN_OPTIONS}

    configurations = _mapping(target.get("configurations"))
    return {
        **target,
        "options": without(target.get("options")),
        "configurations": {name: without(each) for name, each in configurations.items()},
    }


def _defaults(own: Mapping[str, Any], defaults: Mapping[str, Any]) -> Mapping[str, Any]:
    """What nx.json says of a target `build`: by its executor, else by its name.

    Nothing where it is said of another executor.
    """
    executor = own.get("executor")
    known = _mapping(defaults.get(executor)) if isinstance(executor, str) else {}
    default = known or _mapping(defaults.get(_BUILD))
    return default if default.get("executor") in (None, executor) else {}


def _filled(value: Any, root: str, name: str) -> Any:
    """Nx's tokens replaced by what they stand for."""
    if isinstance(value, str):
        value = re.sub(r"^\{workspaceRoot\}/?", "", value)
        if "{workspaceRoot}" in value:
            raise NxError(NX_FILE, "a token stands where Nx takes none")
        return value.replace("{projectRoot}", root or ".").replace("{projectName}", name)
    if isinstance(value, dict):
        return {key: _filled(each, root, name) for key, each in value.items()}
    return [_filled(each, root, name) for each in value] if isinstance(value, list) else value


def uncertain(tree: SourceTree, project: str) -> str:
    """Why Nx may build a project otherwise than `angular_form` says; empty if it does not.

    What is not known here is not certain: plugins that infer targets, presets, tasks that come
    before the build, ignored files, packages that are projects.

    Args:
        tree: the sources.
        project: the name that the build command has.
    """
    try:
        nx = _read(tree, NX_FILE) if NX_FILE in tree else {}
        projects = {
            path.rpartition("/")[0]: _read(tree, path)
            for path in tree.named(_PROJECT_FILE)
            if outside(path, ("node_modules",))
        }
        package = _read(tree, "package.json") if "package.json" in tree else {}
    except NxError as error:
        return str(error)
    if key := next((key for key in nx if key not in _HARMLESS), ""):
        return f"{NX_FILE} has `{key}`"
    if reason := _plugins(nx.get("plugins")):
        return reason
    for file in (".nxignore", "angular.json", ".angular.json", "pnpm-workspace.yaml", "lerna.json"):
        if file in tree:
            return f"there is {file}, which Nx reads in ways that are not known here"
    if package.get("workspaces") or package.get("nx"):
        return "package.json tells Nx of projects"
    found = [(root, each) for root, each in projects.items() if each.get("name") == project]
    if len(found) != 1:
        return f"there are {len(found)} projects {project} in files {_PROJECT_FILE}"
    root, own = found[0]
    if root and f"{root}/package.json" in tree:
        return f"{root} has a package.json, which Nx reads as well"
    target = _mapping(_mapping(own.get("targets")).get(_BUILD))
    if "architect" in own or not isinstance(target.get("executor"), str):
        return f"the target {_BUILD} names no executor"
    defaults = _mapping(nx.get("targetDefaults"))
    if any(set(key) & set("*?[]{}!()") for key in defaults):
        return f"{NX_FILE} has defaults for targets by a pattern"
    default = _defaults(target, defaults)
    others = [each for each in projects.values() if each is not own]
    return _build(target, default, others) or _executor(target, default, package)


def _plugins(plugins: object) -> str:
    """Only plugins that infer targets of other names than the build's."""
    for each in plugins if isinstance(plugins, list) else []:
        name = each.get("plugin") if isinstance(each, dict) else each
        options = _mapping(each.get("options")) if isinstance(each, dict) else {}
        if name not in _PLUGINS or _BUILD in options.values():
            return f"{NX_FILE} has the plugin {name}"
    return ""


def _build(
    own: Mapping[str, Any], default: Mapping[str, Any], others: Sequence[Mapping[str, Any]]
) -> str:
    """Only a target of keys that are read here, before which nothing runs."""
    for each in (own, default):
        if key := next((key for key in each if key not in _TARGET_KEYS), ""):
            return f"the target {_BUILD} has `{key}`"
    before = own.get("dependsOn", default.get("dependsOn", []))
    for task in before if isinstance(before, list) else [before]:
        name = task[1:] if isinstance(task, str) and task.startswith("^") else None
        if name is None or any(name in _mapping(each.get("targets")) for each in others):
            return f"a task comes before the build: {task}"
    return ""


def _executor(
    own: Mapping[str, Any], default: Mapping[str, Any], package: Mapping[str, Any]
) -> str:
    """Only an executor that the framework's own command line can stand in for."""
    executor = own["executor"]
    if executor.partition(":")[0] in _FRAMEWORK:
        return ""
    delegate = _DELEGATES.get(executor)
    if delegate is None:
        return f"the framework's command line does not know the executor {executor}"
    builder = delegate.partition(":")[0]
    if not any(builder in _mapping(package.get(each)) for each in _NEEDS):
        return f"{executor} builds with {builder}, which package.json does not ask for"
    told = [
        _mapping(options)
        for each in (own, default)
        for options in (each.get("options"), *_mapping(each.get("configurations")).values())
    ]
    for option, harmless in _OWN_OPTIONS.items():
        if any(option in options and options[option] not in harmless for options in told):
            return f"{executor} has the option {option}"
    return ""


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
