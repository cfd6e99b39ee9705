"""A program as metrics read it: trees, tokens and resolved names of each file."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pytest_benchmac.evolve.metrics.uses import Uses, uses
from pytest_benchmac.evolve.program import Program

_LAYOUT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
        tokenize.INDENT,
        tokenize.NEWLINE,
        tokenize.NL,
    }
)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class Token:
    """One word of the language: a name, keyword, number, text, operator or bracket."""

    text: str
    #: Where it begins, from 1.
    line: int


@dataclass(frozen=True)
class File:
    """One file of a program."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def functions(self) -> tuple[FunctionNode, ...]:
        """Every function, methods and functions in functions included."""
        return tuple(node for node in self.nodes if isinstance(node, FunctionNode))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its tokens, without layout, comments and docstrings: nothing of these is to be run."""
        docstrings = set(self._docstrings())
        return tuple(
            Token(token.string, token.start[0])
            for token in _whole_strings(self.text)
            if token.type not in _LAYOUT and token.start not in docstrings
        )

    @cached_property
    def uses(self) -> Uses:
        """What its names refer to."""
        return uses(self.tree)

    def _docstrings(self) -> Iterator[tuple[int, int]]:
        for node in self.nodes:
            if isinstance(node, ast.Module | ast.ClassDef | FunctionNode) and node.body:
                first = node.body[0]
                if (
                    isinstance(first, ast.Expr)
                    and isinstance(first.value, ast.Constant)
                    and isinstance(first.value.value, str)
                ):
                    yield first.lineno, first.col_offset


@dataclass(frozen=True)
class Source:
    """All files of a program, the evolved one first."""

    files: tuple[File, ...]

    @classmethod
    def of(cls, program: Program) -> Source:
        """The files of a program."""
        others = (File(name, text) for name, text in sorted(program.modules.items()))
        return cls((File(program.file, program.main), *others))

    @property
    def nodes(self) -> Iterator[ast.AST]:
        """Every node of every file."""
        for file in self.files:
            yield from file.nodes

    @cached_property
    def own_modules(self) -> frozenset[str]:
        """Names that its own files are imported by."""
        return frozenset(
            file.name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            for file in self.files
        )

    def own_module(self, name: str) -> str | None:
        """The program's own file that a name such as `helpers.parse` lies in, if it does."""
        parts = name.lstrip(".").split(".")
        for length in range(len(parts), 0, -1):
            module = ".".join(parts[:length])
            if module in self.own_modules:
                return module
        return None


def is_elif(node: ast.AST, child: ast.AST) -> bool:
    """`child` is written as an `elif` of `node`."""
    return (
        isinstance(node, ast.If)
        and isinstance(child, ast.If)
        and node.orelse == [child]
        and child.col_offset == node.col_offset
    )


def _whole_strings(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens; an f-string is one, as it is for Python 3.11, where 3.12 gives its parts."""
    start = getattr(tokenize, "FSTRING_START", None)
    end = getattr(tokenize, "FSTRING_END", None)
    lines = text.splitlines(keepends=True)
    opened: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if start is not None and token.type == start:
            opened.append(token)
        elif end is not None and token.type == end:
            first = opened.pop()
            if not opened:
                whole = _between(lines, first.start, token.end)
                yield tokenize.TokenInfo(tokenize.STRING, whole, first.start, token.end, "")
        elif not opened:
            yield token


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "".join([lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]])
