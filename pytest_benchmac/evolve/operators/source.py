"""A program as both of its trees: LibCST's, which is changed, and `ast`'s, which is studied."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import cast

import libcst as cst

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.flow import before_statements
from pytest_benchmac.evolve.operators.kinds import Inference, infer
from pytest_benchmac.evolve.operators.scopes import Function, Scope, bindings, mentioned, scope_of

#: A line of simple statements, or a compound statement.
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement

_BUILTINS = frozenset(dir(builtins))
#: Whoever uses these may see names, frames, lines or lifetimes that operators change.
_REVEALING_NAMES = frozenset(
    (
        "__builtins__ __dict__ __import__ __loader__ __spec__ breakpoint compile dir eval"
        " exec globals locals vars"
    ).split()
)
_REVEALING_ATTRIBUTES = frozenset(
    (
        "__annotations__ __closure__ __code__ __defaults__ __dict__ __globals__"
        " __kwdefaults__ __module__ __qualname__ __wrapped__ _getframe currentframe"
        " exc_info excepthook getrecursionlimit getrefcount modules setprofile"
        " setrecursionlimit settrace stack_size tb_frame tb_lasti tb_lineno tb_next"
    ).split()
)
_REVEALING_MODULES = frozenset(
    (
        "__main__ atexit builtins cProfile code copyreg ctypes dis doctest faulthandler"
        " gc greenlet importlib inspect linecache logging multiprocessing pdb pickle"
        " pkgutil profile runpy symtable trace traceback tracemalloc unittest warnings"
        " weakref"
    ).split()
)
#: Fields with blocks, of compound statements in both trees.
_PARTS = ("body", "orelse", "handlers", "finalbody", "cases")


class Source:
    """What operators look up in a program; made once for a view by `source_of`."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.tree = ast.parse(view.program.main)
        self._trees: dict[cst.CSTNode, tuple[ast.stmt, ...]] = {}
        self._scopes: dict[ast.AST, Scope] = {}
        self._types: dict[ast.AST, Inference] = {}
        self._before: dict[ast.AST, Mapping[ast.stmt, frozenset[str]]] = {}
        self._pair(view.module.body, self.tree.body)

    def trees(self, statement: cst.CSTNode) -> tuple[ast.stmt, ...]:
        """The statements of a line, or a compound statement, as `ast` has them."""
        return self._trees[statement]

    def function(self, node: cst.FunctionDef) -> Function:
        """A function as `ast` has it."""
        (tree,) = self._trees[node]
        return cast(Function, tree)

    def scope(self, function: cst.FunctionDef | None) -> Scope:
        """Names of a function; of the module's top level for None."""
        tree = self.tree if function is None else self.function(function)
        if tree not in self._scopes:
            self._scopes[tree] = scope_of(tree, self.bound_anywhere)
        return self._scopes[tree]

    def types(self, function: cst.FunctionDef | None) -> Inference:
        """Types of a function's local names."""
        scope = self.scope(function)
        if scope.node not in self._types:
            self._types[scope.node] = infer(scope, self.is_builtin)
        return self._types[scope.node]

    def bound_before(
        self, function: cst.FunctionDef | None, tree: ast.stmt
    ) -> frozenset[str] | None:
        """Locals that have a value before a statement; None if control never comes there."""
        scope = self.scope(function)
        if scope.node not in self._before:
            self._before[scope.node] = before_statements(scope)
        return self._before[scope.node].get(tree)

    @cached_property
    def bound_anywhere(self) -> frozenset[str]:
        """Names bound in any scope of the module."""
        names: set[str] = set()
        for node in ast.walk(self.tree):
            names |= bindings(node)
            if isinstance(node, ast.arg):
                names.add(node.arg)
        return frozenset(names)

    @cached_property
    def plain(self) -> bool:
        """Whether it only calls, reads and writes: nothing in it asks how it is written."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Name(id=name) if name in _REVEALING_NAMES:
                    return False
                case ast.Attribute(attr=name) if name in _REVEALING_ATTRIBUTES:
                    return False
                case ast.Import(names=names):
                    if any(_root(alias.name) in _REVEALING_MODULES for alias in names):
                        return False
                case ast.ImportFrom(module=module, names=names):
                    if _root(module or "") in _REVEALING_MODULES:
                        return False
                    if any(a.name == "*" or a.name in _REVEALING_ATTRIBUTES for a in names):
                        return False
                case ast.FunctionDef(name="__del__"):
                    return False
        return True

    def mentions(self, *names: str) -> bool:
        """Whether any of these names, or attributes, is said."""
        return not self._words.isdisjoint(names)

    @cached_property
    def drops_matter(self) -> bool:
        """Whether a generator may do something when it is dropped: when that is, must stay."""
        guards = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
        return any(
            isinstance(inner, ast.Yield | ast.YieldFrom)
            for node in ast.walk(self.tree)
            if isinstance(node, guards)
            for inner in ast.walk(node)
        )

    @cached_property
    def imported(self) -> frozenset[str]:
        """Modules that it imports anywhere, by their first name."""
        names: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names.update(_root(alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names.add(_root(node.module or ""))
        return frozenset(names)

    def is_builtin(self, name: str) -> bool:
        """Whether a name means the builtin wherever the program says it."""
        return name in _BUILTINS and name not in self.bound_anywhere and self.plain

    def defines(self, name: str) -> bool:
        """Whether a function, method or variable of this name is made here."""
        return name in self.bound_anywhere

    def only_stores(self, name: str) -> bool:
        """Whether a name is bound at most, by loops and assignments, and never read."""
        for node in ast.walk(self.tree):
            stores = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            if name in mentioned([node]) - mentioned(ast.iter_child_nodes(node)) and not stores:
                return False
        return name not in self.view.program.kept

    @cached_property
    def taken(self) -> frozenset[str]:
        """Words that a new name must not be: what is said here, kept or meant by Python."""
        words = self._words | self.files | self.view.program.kept | _BUILTINS
        return words.union(keyword.kwlist, keyword.softkwlist)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Any name, attribute, or word of a text; docstrings left out."""
        words = set(mentioned([self.tree]))
        remarks = {id(node.value) for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute):
                words.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                words.add(node.arg)
            elif isinstance(node, ast.alias):
                words.update(node.name.split("."))
            elif isinstance(node, ast.Constant) and id(node) not in remarks:
                words.update(re.findall(r"\w+", str(node.value)))
        return frozenset(words)

    @cached_property
    def files(self) -> frozenset[str]:
        """Names by which the program's own files are imported."""
        program = self.view.program
        return frozenset(name.removesuffix(".py") for name in (program.file, *program.modules))

    def can_import(self, line: str) -> bool:
        """Whether an import at the top of the file would mean the same names to everybody."""
        (wanted,) = ast.parse(line).body
        if isinstance(wanted, ast.ImportFrom):
            roots = {_root(wanted.module or "")}
        elif isinstance(wanted, ast.Import):
            roots = {_root(alias.name) for alias in wanted.names}
        else:
            return False
        if roots & self.files:
            return False
        names = bindings(wanted)
        found = False
        for node in ast.walk(self.tree):
            bound = {node.arg} if isinstance(node, ast.arg) else bindings(node)
            if bound & names:
                if ast.dump(node) != ast.dump(wanted):
                    return False
                found = True
        # A name that is said but never bound is an error to keep.
        return found or not names & (mentioned([self.tree]) | self.view.program.kept)

    def fresh(self, *candidates: str, avoid: Iterable[str] = ()) -> str:
        """The first name that is free in the whole program, numbered if none is."""
        taken = self.taken | set(avoid)
        for name in candidates:
            if name not in taken:
                return name
        number = 2
        while f"{candidates[-1]}_{number}" in taken:
            number += 1
        return f"{candidates[-1]}_{number}"

    def _pair(self, body: Sequence[cst.CSTNode], trees: Sequence[ast.stmt]) -> None:
        left = iter(trees)
        for node in body:
            if isinstance(node, cst.SimpleStatementLine):
                self._trees[node] = tuple(next(left) for _ in node.body)
            elif isinstance(node, cst.BaseCompoundStatement):
                tree = next(left)
                self._trees[node] = (tree,)
                self._pair_parts(node, tree)

    def _suite(self, suite: cst.BaseSuite, trees: Sequence[ast.stmt]) -> None:
        # A suite on the line of its header holds nothing that operators change.
        if isinstance(suite, cst.IndentedBlock):
            self._pair(suite.body, trees)

    def _pair_parts(self, node: cst.CSTNode, tree: ast.stmt) -> None:
        # Both trees name their parts alike.
        mine = {name: getattr(node, name, None) for name in _PARTS}
        theirs = vars(tree)
        for field in ("handlers", "cases"):
            for part, part_tree in zip(mine[field] or (), theirs.get(field, ()), strict=True):
                self._suite(part.body, part_tree.body)
        if mine["body"] is not None:
            self._suite(mine["body"], theirs["body"])
        if mine["finalbody"] is not None:
            self._suite(mine["finalbody"].body, theirs["finalbody"])
        orelse = mine["orelse"]
        if isinstance(orelse, cst.If):
            (inner,) = theirs["orelse"]
            self._trees[orelse] = (inner,)
            self._pair_parts(orelse, inner)
        elif isinstance(orelse, cst.Else):
            self._suite(orelse.body, theirs["orelse"])


def _root(module: str) -> str:
    return module.partition(".")[0]


def source_of(view: View) -> Source:
    """The source of a view, made at the first call."""
    return view.shared(Source)
