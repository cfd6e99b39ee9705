"""tsconfig files as TypeScript reads them: JSON with comments, `extends` followed.

https://www.typescriptlang.org/tsconfig/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncDocument, JsoncError, parse
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping

_MAX_BYTES = MIB
_MAX_CHAIN = 32
_MAX_PATHS = 300


@dataclass(frozen=True)
class Setting:
    """A value with the file and line that it comes from."""

    value: Any
    file: str
    line: int | None

    @property
    def folder(self) -> str:
        """The folder that paths in the value are relative to."""
        return self.file.rpartition("/")[0]


@dataclass
class TsConfig:
    """The effective options of a tsconfig file."""

    compiler: dict[str, Setting] = field(default_factory=dict)
    angular: dict[str, Setting] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    #: Patterns of `files` and `include`, relative to the tree; `*` there stands for anything.
    patterns: dict[str, list[str]] = field(default_factory=dict)
    #: What cannot be read, as (file, reason).
    problems: list[tuple[str, str]] = field(default_factory=list)
    #: `extends` that name a package, whose content only node_modules has.
    packages: list[str] = field(default_factory=list)

    @property
    def base_url(self) -> str | None:
        """The folder that modules without a leading dot are looked for in, besides packages."""
        setting = self.compiler.get("baseUrl")
        if setting is None or not isinstance(setting.value, str):
            return None
        return normal_path(setting.folder, setting.value)

    @property
    def type_roots(self) -> list[str]:
        """Folders of the tree that the compiler takes ambient types from."""
        setting = self.compiler.get("typeRoots")
        return [] if setting is None else _inside(setting.folder, setting.value)

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """`paths`: a pattern, and what it stands for, relative to the tree."""
        setting = self.compiler.get("paths")
        if setting is None:
            return {}
        base = self.base_url if "baseUrl" in self.compiler else setting.folder
        return {
            pattern: tuple(
                path
                for each in items(targets)
                if isinstance(each, str) and (path := normal_path(base or "", each)) is not None
            )
            for pattern, targets in list(mapping(setting.value).items())[:_MAX_PATHS]
        }


def read_tsconfig(tree: SourceTree, path: str) -> TsConfig:
    """Read a file and what it extends. Never raises."""
    config = TsConfig()
    _read(tree, path, config)
    return config


def _read(tree: SourceTree, path: str, config: TsConfig) -> None:
    if path in config.files:
        return
    if len(config.files) >= _MAX_CHAIN:
        config.problems.append((path, f"it is in a chain of more than {_MAX_CHAIN} files"))
        return
    config.files.append(path)
    text = tree.text(path, _MAX_BYTES)
    if text is None:
        config.problems.append((path, "there is no such file, or it is too large"))
        return
    try:
        document = parse(text)
    except JsoncError as error:
        config.problems.append((path, f"line {error.line}: {error}"))
        return
    content = mapping(document.value)
    if document.duplicates:
        keys = ", ".join(".".join(map(str, key)) for key in document.duplicates[:5])
        config.problems.append((path, f"keys that come twice: {keys}"))
    extends = content.get("extends")
    parents: Sequence[Any] = [extends] if isinstance(extends, str) else items(extends)
    for parent in parents:
        if not isinstance(parent, str):
            continue
        if not parent.startswith((".", "/")):
            config.packages.append(parent)
            continue
        wanted = normal_path(path.rpartition("/")[0], parent)
        if wanted is None:
            config.problems.append((path, f"it extends a file outside of the tree: {parent}"))
        else:
            _read(tree, wanted if wanted in tree else f"{wanted}.json", config)
    folder = path.rpartition("/")[0]
    for key in ("files", "include"):
        if key in content:
            config.patterns[key] = _inside(folder, content[key])
    paths = mapping(mapping(content.get("compilerOptions")).get("paths"))
    if len(paths) > _MAX_PATHS:
        config.problems.append((path, f"it has more than {_MAX_PATHS} `paths`"))
    _settle(document, path, "compilerOptions", config.compiler)
    _settle(document, path, "angularCompilerOptions", config.angular)


def _inside(folder: str, paths: object) -> list[str]:
    """Those of the paths that lead to places in the tree."""
    found = (normal_path(folder, each) for each in items(paths) if isinstance(each, str))
    return [path for path in found if path is not None][:_MAX_PATHS]


def _settle(document: JsoncDocument, path: str, section: str, settings: dict[str, Setting]) -> None:
    values: Mapping[str, Any] = mapping(mapping(document.value).get(section))
    for key, value in values.items():
        settings[key] = Setting(value, path, document.line(section, key))
