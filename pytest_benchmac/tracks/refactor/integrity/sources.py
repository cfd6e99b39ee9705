"""What the sources of a tree say, by a parser in a process of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_benchmac.foreign.parser_process import MAX_SOURCE_BYTES
from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.refactor.integrity import parser
from pytest_benchmac.tracks.refactor.rules.verdicts import LANGUAGES

_BOUNDS = Bounds(MAX_SOURCE_BYTES, 20_000, 256 * 1024 * 1024)


class DeclaredTest(Model):
    """A test as it stands in the sources."""

    name: ForeignText
    #: Digest of its text without its name.
    body: str
    #: Those of more than constants.
    assertions: int
    skipped: bool


class Source(Model):
    """One source file."""

    #: It cannot be parsed as a whole.
    error: bool
    #: `language:name` -> how often, of names that evade rules.
    names: dict[str, int]
    #: Long literals without blanks.
    encoded: int
    tests: tuple[DeclaredTest, ...]
    #: First and last lines of bodies of functions, which an import alone does not run; for Python.
    bodies: tuple[tuple[int, int], ...] = ()


class Tests(Model):
    """The tests of a tree. One text counts once: a copy of a test tests nothing more."""

    __test__ = False

    #: Tests that assert something and are not skipped.
    cases: int = 0
    #: What they assert.
    assertions: int = 0
    #: The tests that are skipped, and those without any assertion.
    idle: int = 0

    @classmethod
    def of(cls, tests: Iterable[DeclaredTest]) -> Tests:
        """Count."""
        known = {each.body: each for each in tests}.values()
        working = [each for each in known if each.assertions and not each.skipped]
        return cls(
            cases=len(working),
            assertions=sum(each.assertions for each in working),
            idle=len(known) - len(working),
        )


@dataclass(frozen=True)
class Sources:
    """The sources of a tree."""

    files: Mapping[str, Source]
    #: Path -> why a source could not be parsed.
    unread: Mapping[str, str]

    @property
    def names(self) -> dict[str, int]:
        """Names that evade rules, in all of them."""
        total: Counter[str] = Counter()
        for each in self.files.values():
            total.update(each.names)
        return dict(total)

    @property
    def tests(self) -> Tests:
        """The tests in all of them."""
        return Tests.of(test for each in self.files.values() for test in each.tests)

    @property
    def bodies(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """Bodies of functions by file, where a parser tells them."""
        return {path: each.bodies for path, each in self.files.items() if each.bodies}

    @property
    def broken(self) -> Sequence[str]:
        """Those that cannot be parsed."""
        return sorted([*self.unread, *(path for path, each in self.files.items() if each.error)])


def read_sources(tree: SourceTree, excluded: Callable[[str], bool]) -> Sources:
    """Parse every source of a tree.

    Args:
        tree: regular files.
        excluded: is a path none of the project's own sources?
    """
    wanted = [
        path
        for path in tree.files
        if f".{path.rpartition('.')[2].lower()}" in LANGUAGES and not excluded(path)
    ]
    return Sources(*parse_files(parser, "source", tree, wanted, Source, _BOUNDS))
