"""The expressions that a statement itself evaluates, as LibCST has them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.places import Place

#: Evaluated later, in another scope, or of a grammar of their own.
_OTHERS = (
    cst.BaseSuite,
    cst.Lambda,
    cst.FormattedString,
    cst.Annotation,
    cst.Decorator,
    cst.MatchCase,
    cst.FunctionDef,
    cst.ClassDef,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Else,
    cst.Finally,
    cst.Del,
    cst.Import,
    cst.ImportFrom,
)


class _Collector(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.BaseExpression] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _OTHERS):
            return False
        if isinstance(node, cst.If) and self.found:
            # An `elif`: it is no statement of its own.
            return False
        if isinstance(node, cst.BaseExpression):
            self.found.append(node)
        return not isinstance(node, (cst.BaseComp, cst.ConcatenatedString))


def own_expressions(place: Place) -> Sequence[cst.BaseExpression]:
    """Expressions of a line, or of the header of a compound statement, each before its parts.

    Comprehensions are among them, what is inside of them is not; nor what is in f-strings, whose
    text may be shown.
    """
    collector = _Collector()
    place.node.visit(collector)
    return collector.found


def tree_of(view: View, node: cst.BaseExpression) -> ast.expr:
    """An expression as `ast` has it."""
    return ast.parse(f"({view.module.code_for_node(node)}\n)", mode="eval").body
