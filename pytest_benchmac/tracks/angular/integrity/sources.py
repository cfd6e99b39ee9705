"""The TypeScript sources of a tree, read by the harness's own parser in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_benchmac.foreign.parser_process import MAX_SOURCE_BYTES
from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.angular.integrity import typescript

_SUFFIXES = (".ts", ".tsx", ".mts", ".cts")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_TESTS = re.compile(r"(?:[.-](?:spec|test|stories|mock|po)|e2e-spec|(?:^|/)test)\.[mc]?tsx?$")
#: Folders that hold no source of the application.
NO_APPLICATION = ("node_modules", "e2e", "cypress", "coverage", ".git", ".angular", ".storybook")
_BOUNDS = Bounds(file_bytes=MAX_SOURCE_BYTES, files=10_000, bytes=64 * 1024 * 1024)


class Import(Model):
    """A module that a source asks for: statically, lazily, by `require` or by re-export."""

    module: ForeignText
    #: Names there; `default` for what a default import brings.
    names: tuple[ForeignText, ...]
    line: int
    #: Is it asked for when the application runs, by `import()` or a path?
    lazy: bool


class DecoratedClass(Model):
    """A class with a decorator named like one of Angular's."""

    name: ForeignText
    kind: ForeignText
    #: Is the decorator the one of `@angular/core`?
    genuine: bool
    module: ForeignText
    line: int
    selector: ForeignText | None
    pipe: ForeignText | None
    template: ForeignText | None
    template_url: ForeignText | None
    styles: tuple[ForeignText, ...]
    #: Left to the compiler in the browser by `jit: true`.
    jit: bool


class Silencer(Model):
    """A comment that turns type errors off: nocheck, ignore or expect-error."""

    kind: ForeignText
    line: int


class AmbientModule(Model):
    """`declare module "name"`."""

    name: ForeignText
    line: int


class Dynamic(Model):
    """Code made from text, or a script or frame element made by hand."""

    text: ForeignText
    line: int


class Markup(Model):
    """Where a text is made elements of the page, or trusted by the framework as it is."""

    name: ForeignText
    line: int


class SourceFacts(Model):
    """What one source file says."""

    #: Were there errors of syntax, as far as this parser knows the language?
    error: bool
    imports: tuple[Import, ...]
    classes: tuple[DecoratedClass, ...]
    #: `path` of every route.
    routes: tuple[ForeignText, ...]
    silencers: tuple[Silencer, ...]
    modules: tuple[AmbientModule, ...]
    #: Capitalised names that are used for more than to declare, import or export them.
    used: tuple[ForeignText, ...]
    #: What is handed to bootstrapApplication and bootstrapModule, or listed as `bootstrap`.
    bootstrapped: tuple[ForeignText, ...]
    dynamic: tuple[Dynamic, ...]
    markup: tuple[Markup, ...]


@dataclass(frozen=True)
class Sources:
    """The sources of a tree by path, and why some could not be read."""

    facts: Mapping[str, SourceFacts] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


def is_declaration(path: str) -> bool:
    """Has this TypeScript file types only?"""
    return path.endswith(_DECLARATIONS)


def is_test(path: str) -> bool:
    """Does this file's name say that it is no part of the application?"""
    return bool(_TESTS.search(path)) or not outside(path, NO_APPLICATION)


@dataclass(frozen=True)
class Earlier:
    """Another tree that has been read: what is the same in it need not be read again."""

    tree: SourceTree
    sources: Sources

    def facts(self, tree: SourceTree, path: str) -> SourceFacts | None:
        """What the file says, if it is the same in both trees."""
        known = self.sources.facts.get(path)
        if known is None or self.tree.files[path] != tree.files[path]:
            return None
        content = tree.read(path, MAX_SOURCE_BYTES)
        return known if content == self.tree.read(path, MAX_SOURCE_BYTES) else None


def read_sources(tree: SourceTree, earlier: Earlier | None = None) -> Sources:
    """Read every TypeScript file outside of node_modules.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    wanted = [
        path
        for path in tree.files
        if path.endswith(_SUFFIXES) and outside(path, ("node_modules", ".git"))
    ]

    def known(path: str) -> SourceFacts | None:
        return None if earlier is None else earlier.facts(tree, path)

    return Sources(
        *parse_files(typescript, "TypeScript", tree, wanted, SourceFacts, _BOUNDS, known)
    )
