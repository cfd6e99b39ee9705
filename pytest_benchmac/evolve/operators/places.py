"""The statements of a program that operators may wrap or move, and what surrounds each."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.scopes import own_nodes
from pytest_benchmac.evolve.operators.source import Source, Statement, source_of

#: Blocks around a statement, for readers.
_DEEPEST = 6
#: Python refuses more than 20 loops, `with` and parts of `try` in each other; one may be added.
_MOST_BLOCKS = 17
#: A handler, or a `finally`, is up to three of them.
_TRY_BLOCKS = 3


@dataclass(frozen=True)
class Surroundings:
    """Where a block lies."""

    #: The function whose scope it runs in; None at the top level of the module.
    function: cst.FunctionDef | None
    #: The statement of the module's top level that it is, or is a part of.
    top: Statement | None
    #: Loops and compound statements around it, in the same function.
    loops: int = 0
    depth: int = 0
    #: Those of them that Python counts, at most.
    blocks: int = 0
    #: In a `try` or `with` of the same function, where an exception may be followed by more.
    guarded: bool = False
    #: In an `except` or a `finally` of the same function.
    handling: bool = False
    #: Whether a class is the scope, or holds the function directly.
    in_class: bool = False
    is_class_body: bool = False
    #: Functions around the function.
    functions: int = 0


@dataclass(frozen=True)
class Place:
    """A statement in a block of its own lines."""

    node: Statement
    trees: tuple[ast.stmt, ...]
    #: The block's statements, of which it is the one at `index`.
    block: Sequence[cst.CSTNode]
    index: int
    around: Surroundings
    #: Locals that have a value before it.
    bound: frozenset[str]


def places_of(view: View) -> Sequence[Place]:
    """Every statement that control reaches, in the order of the text."""
    return view.shared(_places)


def _places(view: View) -> tuple[Place, ...]:
    source = source_of(view)
    return tuple(_of_block(source, view.module.body, Surroundings(None, None)))


def _of_block(source: Source, body: Sequence[cst.CSTNode], around: Surroundings) -> Iterator[Place]:
    for index, node in enumerate(body):
        if not isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            continue
        here = replace(around, top=node) if around.top is None else around
        trees = source.trees(node)
        if not around.is_class_body:
            bound = source.bound_before(around.function, trees[0])
            if bound is not None:
                yield Place(node, trees, body, index, here, bound)
        if isinstance(node, cst.BaseCompoundStatement):
            for suite, inner in _suites(node, here):
                if isinstance(suite, cst.IndentedBlock):
                    yield from _of_block(source, suite.body, inner)


def _suites(
    node: cst.CSTNode, around: Surroundings
) -> Iterator[tuple[cst.BaseSuite, Surroundings]]:
    deeper = replace(around, depth=around.depth + 1, blocks=around.blocks + _weight(node))
    match node:
        case cst.FunctionDef(body=body):
            nested = around.functions + (around.function is not None)
            yield (
                body,
                Surroundings(node, around.top, in_class=around.is_class_body, functions=nested),
            )
        case cst.ClassDef(body=body):
            yield body, replace(around, in_class=True, is_class_body=True)
        case cst.If(body=body, orelse=orelse):
            yield body, deeper
            if isinstance(orelse, cst.If):
                yield from _suites(orelse, around)
            elif orelse is not None:
                yield orelse.body, deeper
        case cst.For(body=body, orelse=orelse) | cst.While(body=body, orelse=orelse):
            yield body, replace(deeper, loops=around.loops + 1)
            if orelse is not None:
                yield orelse.body, deeper
        case cst.Try() | cst.TryStar():
            yield node.body, replace(deeper, guarded=True)
            handling = replace(deeper, guarded=True, handling=True)
            for handler in node.handlers:
                yield handler.body, handling
            if node.orelse is not None:
                yield node.orelse.body, replace(deeper, guarded=True)
            if node.finalbody is not None:
                yield node.finalbody.body, handling
        case cst.With(body=body):
            yield body, replace(deeper, guarded=True)
        case cst.Match(cases=cases):
            for case in cases:
                yield case.body, deeper


def _weight(node: cst.CSTNode | ast.AST) -> int:
    """How many blocks Python counts for the parts of a statement, at most."""
    match node:
        case cst.Try() | cst.TryStar() | ast.Try() | ast.TryStar():
            return _TRY_BLOCKS
        case cst.For() | cst.While() | ast.For() | ast.AsyncFor() | ast.While():
            return 1
        case cst.With(items=items) | ast.With(items=items) | ast.AsyncWith(items=items):
            return len(items)
    return 0


def _blocks_in(tree: ast.AST) -> int:
    """How many blocks lie in each other in a statement, itself included."""
    return _weight(tree) + max(map(_blocks_in, ast.iter_child_nodes(tree)), default=0)


def is_remark(tree: ast.stmt) -> bool:
    """Whether a statement is a text and nothing else, such as a docstring."""
    return isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant)


_FIXED = (
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Delete,
)


def wrappable(place: Place) -> bool:
    """Whether a statement may stand in a block of its own: it does something, and not too deep."""
    if place.around.depth >= _DEEPEST:
        return False
    if place.around.blocks + max(map(_blocks_in, place.trees)) > _MOST_BLOCKS:
        return False
    for tree in place.trees:
        if isinstance(tree, _FIXED) or is_remark(tree):
            return False
        if isinstance(tree, ast.AnnAssign) and tree.value is None:
            return False
        if tree.__class__.__name__ == "TypeAlias":
            return False
    return not _is_main_guard(place.trees[0])


def _is_main_guard(tree: ast.stmt) -> bool:
    return isinstance(tree, ast.If) and "__name__" in {
        node.id for node in ast.walk(tree.test) if isinstance(node, ast.Name)
    }


def goes_on(trees: Sequence[ast.stmt]) -> bool:
    """Whether control may come to the end of these statements, as far as a reader sees."""
    return not any(_ends(tree) for tree in trees)


def _ends(tree: ast.stmt) -> bool:
    match tree:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.If(body=body, orelse=orelse):
            return bool(orelse) and not goes_on(body) and not goes_on(orelse)
        case ast.While(test=ast.Constant(value=value), body=body) if value:
            return not jumps_out(body, (ast.Break,))
        case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse) if orelse:
            return not goes_on(orelse) and not jumps_out(body, (ast.Break,))
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            if final and not goes_on(final):
                return True
            ends = not goes_on([*body, *orelse])
            return ends and all(not goes_on(handler.body) for handler in handlers)
        case ast.With(body=body):
            return not goes_on(body)
        case ast.Match(cases=cases):
            return False if not cases else all(not goes_on(case.body) for case in cases)
    return False


def jumps_out(
    trees: Iterable[ast.AST], kinds: tuple[type[ast.stmt], ...] = (ast.Break, ast.Continue)
) -> bool:
    """Whether a `break` or `continue` in here is one of a loop around."""
    for tree in trees:
        if isinstance(tree, kinds):
            return True
        if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(tree, (ast.For, ast.AsyncFor, ast.While)):
            inner: Iterable[ast.AST] = tree.orelse
        else:
            inner = ast.iter_child_nodes(tree)
        if jumps_out(inner, kinds):
            return True
    return False


def leaves(trees: Iterable[ast.AST]) -> bool:
    """Whether a `return`, `yield` or `await` in here is the function's."""
    kinds = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
    own = list(own_nodes(trees))
    asynchronous = any(
        isinstance(node, ast.comprehension) and node.is_async
        for tree in own
        for node in ast.walk(tree)
    )
    return asynchronous or any(isinstance(node, kinds) for node in own)
