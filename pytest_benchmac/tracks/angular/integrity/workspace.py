"""angular.json as the Angular CLI reads it: JSON with comments, options merged by configuration.

https://angular.dev/reference/configs/workspace-config
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.command_lines import as_ng, by_nx
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncDocument, JsoncError, parse
from pytest_benchmac.tracks.angular.integrity.nx import NX_FILE, NxError, angular_form

#: The names that the CLI looks for, the first that there is.
WORKSPACE_FILES = ("angular.json", ".angular.json")
#: Names of the vendor's builders that make an application.
APPLICATION_BUILDERS = frozenset(
    {
        "@angular-devkit/build-angular:application",
        "@angular-devkit/build-angular:browser",
        "@angular-devkit/build-angular:browser-esbuild",
        "@angular/build:application",
    }
)
LIBRARY_BUILDERS = frozenset(
    {"@angular-devkit/build-angular:ng-packagr", "@angular/build:ng-packagr"}
)
#: Options that have the application built for, or run by, Node in the build.
SERVER_OPTIONS = ("appShell", "outputMode", "prerender", "server", "ssr")
#: The folder that the framework's tools keep caches in.
CACHE = ".angular"
_MAX_BYTES = MIB
#: Keys that a JavaScript object does not hold as others do.
_PROTOTYPE_KEYS = frozenset({"__proto__", "constructor", "prototype"})


@dataclass(frozen=True)
class BuildTarget:
    """The `build` target of one project, with the options that the build command leads to."""

    project: str
    #: `application` or `library`.
    kind: str
    root: str
    source_root: str
    #: Empty when the file names none.
    builder: str
    options: Mapping[str, Any]
    line: int | None
    #: Names of all targets of its project.
    beside: frozenset[str] = frozenset()
    #: Names of its configurations.
    configurations: frozenset[str] = frozenset()

    def path(self, option: str) -> str | None:
        """An option that names a file, relative to the tree; None if it names none inside."""
        value = self.text(option)
        return None if value is None else inside(value)

    def text(self, option: str) -> str | None:
        """An option that names a file, as it is written."""
        value = self.options.get(option)
        if option == "index" and value is None and self.builder.endswith(":application"):
            # The default from version 20 on.
            return f"{self.source_root}/index.html"
        if isinstance(value, Mapping):
            value = value.get("input") if option == "index" else value.get("base")
        return value if isinstance(value, str) else None

    @property
    def main(self) -> str | None:
        """The source that the application starts with: `browser`, in older builders `main`."""
        return self.path("browser") or self.path("main")

    @property
    def replacements(self) -> dict[str, str]:
        """Sources that are replaced in the build, with what by."""
        replaced: dict[str, str] = {}
        for each in items(self.options.get("fileReplacements")):
            if isinstance(each, Mapping):
                old = each.get("replace", each.get("src"))
                new = each.get("with", each.get("replaceWith"))
                if isinstance(old, str) and isinstance(new, str):
                    old, new = inside(old) or "", inside(new) or ""
                    if old and new:
                        replaced[old] = new
        return replaced

    @property
    def output(self) -> str | None:
        """The folder that the build writes to; None if it lies outside the tree."""
        if self.options.get("outputPath") is None:
            return normal_path("dist", self.project)
        return self.path("outputPath")

    @property
    def page_folder(self) -> str | None:
        """The folder that the entry page lands in; None if it lies outside the tree."""
        output, given = self.output, self.options.get("outputPath")
        if output is None or not self.builder.endswith(":application"):
            return output
        browser = mapping(given).get("browser", "browser")
        return normal_path(output, browser.lstrip("/")) if isinstance(browser, str) else output


@dataclass(frozen=True)
class AngularWorkspace:
    """What the file says, and what is wrong with it."""

    file: str | None = None
    document: JsoncDocument = field(default_factory=JsoncDocument)
    targets: tuple[BuildTarget, ...] = ()
    #: Why the file cannot be read, with the line.
    error: tuple[str, int] | None = None
    #: Projects with both `architect` and `targets`, with the line.
    doubled: tuple[tuple[str, int | None], ...] = ()
    #: Keys that mean something else to JavaScript, with the line.
    prototype_keys: tuple[tuple[str, int | None], ...] = ()

    @property
    def cli(self) -> Mapping[str, Any]:
        """The section `cli`."""
        return mapping(mapping(self.document.value).get("cli"))

    def configured(self, names: Sequence[str] | None) -> tuple[BuildTarget, ...]:
        """The targets with the options of other configurations; None for their defaults."""
        return tuple(_targets(self.document, names))

    def built(self, project: str, names: Sequence[str] | None) -> BuildTarget | None:
        """As `configured`, of a project alone; None where it builds nothing."""
        return next(_targets(self.document, names, project), None)

    @property
    def applications(self) -> tuple[BuildTarget, ...]:
        """The targets that make an application."""
        return tuple(target for target in self.targets if target.kind != "library")


def inside(path: str) -> str | None:
    """A path of an option, relative to the tree: builders join it to the tree's own path."""
    return normal_path(path.lstrip("/"))


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Any]:
    """The value if it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else []


def configurations(command: str) -> tuple[str, ...] | None:
    """The configurations that a build command line names; None for the target's default."""
    command = as_ng(command)
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option in ("--configuration", "-c"):
            return tuple(filter(None, (value if equals else following).split(",")))
        if option == "--prod":
            return ("production",)
    return None


def read_workspace(tree: SourceTree, command: str) -> AngularWorkspace:
    """The workspace with the options that `command` leads to. Never raises."""
    file = next((name for name in WORKSPACE_FILES if name in tree), None)
    if file is None and by_nx(command) and NX_FILE in tree:
        file = WORKSPACE_FILES[0]
        try:
            text: str | None = angular_form(tree)
        except NxError as error:
            return AngularWorkspace(error.file, error=(str(error), 1))
    elif file is None:
        return AngularWorkspace()
    else:
        text = tree.text(file, _MAX_BYTES)
    if text is None:
        return AngularWorkspace(file, error=(f"it is larger than {_MAX_BYTES} bytes", 1))
    try:
        document = parse(text)
    except JsoncError as error:
        return AngularWorkspace(file, error=(str(error), error.line))
    return AngularWorkspace(
        file,
        document,
        tuple(_targets(document, configurations(command))),
        doubled=tuple(
            (name, document.line("projects", name, "targets"))
            for name, project in mapping(mapping(document.value).get("projects")).items()
            if {"architect", "targets"} <= mapping(project).keys()
        ),
        prototype_keys=tuple(
            (str(key[-1]), line)
            for key, line in document.lines.items()
            if key[-1] in _PROTOTYPE_KEYS
        ),
    )


def section_of(project: Mapping[str, Any]) -> str:
    """The key by which a project of angular.json has its targets."""
    return "architect" if "architect" in project else "targets"


def targets_of(document: JsoncDocument, project: str) -> Mapping[str, Mapping[str, Any]]:
    """All targets of a project, as they are written, by name."""
    found = mapping(mapping(mapping(document.value).get("projects")).get(project))
    return {name: mapping(each) for name, each in mapping(found.get(section_of(found))).items()}


def _targets(
    document: JsoncDocument, wanted: Sequence[str] | None, only: str | None = None
) -> Iterator[BuildTarget]:
    for name, project in mapping(mapping(document.value).get("projects")).items():
        if only not in (None, name):
            continue
        section = section_of(mapping(project))
        named = mapping(mapping(project).get(section))
        if isinstance(named.get("build"), dict):
            where = document.line("projects", name, section, "build", "builder")
            yield _target(name, mapping(project), named, wanted, where)


def counterpart(target: BuildTarget, targets: Sequence[BuildTarget]) -> BuildTarget | None:
    """The baseline's target of the same project; of the only application, if it was renamed."""
    for old in targets:
        if old.project == target.project:
            return old
    applications = [old for old in targets if old.kind != "library"]
    return applications[0] if len(applications) == 1 else None


def origin(
    target: BuildTarget, base: AngularWorkspace, patched: AngularWorkspace
) -> BuildTarget | None:
    """As `counterpart`; None for a project that is new beside all of the baseline's."""
    old = counterpart(target, base.targets)
    stays = old is not None and any(each.project == old.project for each in patched.targets)
    return None if old is None or (stays and old.project != target.project) else old


def merged(target: Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """A target's options with those of configurations, the last first; None for its defaults."""
    if names is None:
        default = target.get("defaultConfiguration")
        names = tuple(default.split(",")) if isinstance(default, str) else ()
    options = dict(mapping(target.get("options")))
    for name in names:
        options |= mapping(mapping(target.get("configurations")).get(name))
    return options


def _target(
    name: str,
    project: Mapping[str, Any],
    named: Mapping[str, Any],
    wanted: Sequence[str] | None,
    line: int | None,
) -> BuildTarget:
    target = mapping(named["build"])
    root, source_root, kind, builder = (
        text if isinstance(text := each, str) else ""
        for each in (
            project.get("root"),
            project.get("sourceRoot"),
            project.get("projectType"),
            target.get("builder"),
        )
    )
    root = normal_path(root) or ""
    return BuildTarget(
        project=name,
        kind=kind,
        root=root,
        source_root=normal_path(source_root or f"{root}/src".lstrip("/")) or "",
        builder=builder,
        options=merged(target, wanted),
        line=line,
        beside=frozenset(named),
        configurations=frozenset(mapping(target.get("configurations"))),
    )


def removed_folders(workspace: AngularWorkspace) -> list[str]:
    """Folders that the clean room removes before it builds: the usual cache, and all outputs."""
    folders = [CACHE]
    for target in workspace.applications:
        output = target.output
        # A build that would overwrite its own sources fails by itself.
        if output and not f"{target.source_root}/".startswith(f"{output}/"):
            folders.append(output)
    return list(dict.fromkeys(folders))


def script_entries(target: BuildTarget) -> Iterator[str]:
    """Scripts and polyfills that the entry page loads: paths in the tree, or packages."""
    for option in ("scripts", "polyfills"):
        value = target.options.get(option)
        for each in [value] if isinstance(value, str | dict) else items(value):
            entry = each.get("input") if isinstance(each, dict) else each
            if isinstance(entry, str):
                yield entry
