"""What the operators that add calls into a library share.

An idiom takes an expression and writes another of the same value that goes through a library. It
has no effects, keeps the type, and cannot fail where the expression did not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.detours import Kind, Site, detours_of
from pytest_benchmac.evolve.operators.identity import identity_matters
from pytest_benchmac.evolve.operators.imports import Names, names_of, with_import
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

#: A line is broken where it would be wider, or hold more tokens: those make it hard to read.
_WIDEST = 88
_MOST_TOKENS = 24
#: Where even broken lines are wider, the idiom is not used.
_LIMIT = 100
#: Drawn from the operator's own randomness; after that, the draws that made the place a site.
_TRIES = 6
_TOKEN = re.compile(r"\w+|\"[^\"]*\"|'[^']*'|[^\w\s]")
#: Stand for the expression until the lines are laid out: as a part of a list, as a receiver.
_HOLE = "\0"
_RECEIVER = "\1"
#: Kinds that give back the very same object; others give an equal one.
_SAME = frozenset({Kind.CONDITION, Kind.VALUE})
_CLOSE = (ast.Call, ast.Attribute, ast.Subscript, ast.Name)
_ATOMS = (cst.Call, cst.Attribute, cst.Subscript, cst.Name, cst.SimpleString)


class _NotHereError(Exception):
    """An idiom cannot be written for this expression."""


@dataclass
class Draft:
    """One replacement in the making."""

    source: Source
    libraries: Names
    site: Site
    random: Random
    #: (module, name) -> what it is called in the program.
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    #: The expression, as it is written where anything may stand but a bare tuple.
    inner: ClassVar[str] = _HOLE
    #: The same, as it is written before a dot.
    receiver: ClassVar[str] = _RECEIVER

    def use(self, module: str, name: str) -> str:
        """A name out of a library, as the program will call it."""
        local = self.libraries.local(module, name)
        if local is None:
            raise _NotHereError
        self.names[module, name] = local
        return local

    def builtin(self, name: str) -> str:
        """A builtin that the program does not hide."""
        self.need(self.source.is_builtin(name))
        return name

    def need(self, condition: bool) -> None:
        """Give up where a condition does not hold."""
        if not condition:
            raise _NotHereError

    @property
    def number(self) -> int:
        """The value of a literal number."""
        if not isinstance(self.site.literal, int):
            raise _NotHereError
        return self.site.literal

    @property
    def text(self) -> str:
        """The value of a literal text."""
        if not isinstance(self.site.literal, str):
            raise _NotHereError
        return self.site.literal


@dataclass(frozen=True)
class Idiom:
    """A way to write an expression of one kind.

    `write` gives the code; a line break in it says where lines may be broken, inside of brackets or
    between operands of the whole. Operands that are not literals stand inside of brackets.
    """

    kind: Kind
    write: Callable[[Draft], str]
    #: How many loops may be around it. Few where it takes more than a microsecond: a program that
    #: goes round a million times is no less patient than its tests.
    loops: int = 9


class LibraryOperator(Operator):
    """An operator that leads values through one library."""

    idioms: ClassVar[Sequence[Idiom]]

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Expressions for which one of the idioms can be written."""
        return [
            node
            for node, site in detours_of(view).sites.items()
            if any(
                self._written(view, site, idiom, _first_draw()) for idiom in self._for(view, site)
            )
        ]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The program with one expression that goes through the library."""
        known = detours_of(view).sites.get(site)
        if known is None:
            raise DoesNotApplyError("this is no expression that may go through a library")
        idioms = self._for(view, known)
        drawn = [(random.choice(idioms), random) for _ in range(_TRIES)] if idioms else []
        for idiom, source in [*drawn, *((idiom, _first_draw()) for idiom in idioms)]:
            written = self._written(view, known, idiom, source)
            if written is not None:
                return view.program.with_main(written.into(known))
        raise DoesNotApplyError(f"no idiom of {self.name} can be written here")

    def _for(self, view: View, site: Site) -> list[Idiom]:
        kinds = site.kinds & _SAME if identity_matters(view) else site.kinds
        return [idiom for idiom in self.idioms if idiom.kind in kinds and site.loops <= idiom.loops]

    def _written(self, view: View, site: Site, idiom: Idiom, random: Random) -> _Written | None:
        draft = Draft(source_of(view), names_of(view), site, random)
        try:
            code = idiom.write(draft)
        except _NotHereError:
            return None
        lines = _laid_out(site, code)
        return None if lines is None else _Written(lines, draft.names)


@dataclass(frozen=True)
class _Written:
    code: str
    names: Mapping[tuple[str, str], str]

    def into(self, site: Site) -> str:
        """The text of the program with a site replaced."""
        text = site.above + site.before + self.code + site.behind + site.below
        for (module, name), local in self.names.items():
            text = with_import(text, module, name, local)
        return text


def _first_draw() -> Random:
    """The draw by which a place is a site."""
    return Random(0)  # noqa: S311 - nothing secret


def _laid_out(site: Site, code: str) -> str | None:
    """The code of a replacement, broken into lines where it needs to be; None if too wide."""
    node, inner = site.node, site.code
    if isinstance(node, (cst.Tuple, cst.Lambda, cst.IfExp)) and not node.lpar:
        inner = f"({inner})"
    receiver = inner if isinstance(node, _ATOMS) or node.lpar else f"({inner})"
    code = code.replace(_RECEIVER, receiver)
    flat = code.replace("\n", " ").replace("( ", "(").replace(" )", ")")
    parenthesized = (
        bool(site.kinds & {Kind.NUMBER, Kind.COUNTER})
        and site.is_part
        and not isinstance(ast.parse(flat.replace(_HOLE, "x"), mode="eval").body, _CLOSE)
    )
    if parenthesized:
        flat = f"({flat})"
    line = site.before + flat.replace(_HOLE, inner) + site.behind
    if "\n" not in inner and len(line) <= _WIDEST and len(_TOKEN.findall(line)) <= _MOST_TOKENS:
        return flat.replace(_HOLE, inner)
    if "\n" not in code:
        return flat.replace(_HOLE, inner) if len(line) <= _LIMIT else None
    if parenthesized or _breaks_outside(code):
        code = f"(\n{code}\n)"
    indent = " " * (len(site.before) - len(site.before.lstrip(" ")))
    broken = _broken(code, indent).replace(_HOLE, inner)
    whole = (site.before + broken + site.behind).split("\n")
    return broken if all(len(line) <= _LIMIT for line in whole) else None


def _breaks_outside(code: str) -> bool:
    depth = 0
    for character in code:
        depth += (character in "([{") - (character in ")]}")
        if character == "\n" and depth == 0:
            return True
    return False


def _broken(code: str, indent: str) -> str:
    lines: list[str] = []
    depth = 0
    for piece in code.split("\n"):
        closing = len(piece) - len(piece.lstrip(")]}"))
        lines.append("    " * (depth - closing) + piece.strip())
        depth += sum((character in "([{") - (character in ")]}") for character in piece)
    return f"\n{indent}".join(lines)
