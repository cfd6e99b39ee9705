"""Whether a program asks which of two equal texts or numbers is the very same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.scopes import bindings
from pytest_benchmac.evolve.operators.source import source_of

#: Conditions of S2, which hold whatever their variables are.
_ALWAYS = re.compile(
    r"(\w+) is (\w+) or id\(\1\) != id\(\2\)|id\((\w+)\) == id\((\w+)\) or \3 is not \4"
)


def identity_matters(view: View) -> bool:
    """Whether `is`, `id` or their like tell more than None, True, False or an `object()`."""
    return view.shared(_identity_matters)


def _identity_matters(view: View) -> bool:
    trees = [source_of(view).tree, *map(ast.parse, view.program.modules.values())]
    return any(_asks([tree], _sentinels(tree)) for tree in trees)


def _sentinels(tree: ast.AST) -> frozenset[str]:
    """Names that every binding makes an `object()`."""
    bound: dict[str, int] = {}
    made: dict[str, int] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="object"), args=[], keywords=[]),
            ):
                made[name] = made.get(name, 0) + 1
        for name in {node.arg} if isinstance(node, ast.arg) else bindings(node):
            bound[name] = bound.get(name, 0) + 1
    return frozenset(name for name in made if made[name] == bound[name] and "object" not in bound)


def _asks(nodes: Iterable[ast.AST], sentinels: frozenset[str]) -> bool:
    for node in nodes:
        match node:
            case ast.Compare(ops=ops) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                sides = [node.left, *node.comparators]
                if len(sides) > 2 or not any(_is_one(side, sentinels) for side in sides):
                    return True
            case ast.Compare() if ast.unparse(node).endswith(" id(None)"):
                continue
            case ast.BoolOp() if _ALWAYS.fullmatch(ast.unparse(node)):
                continue
            case ast.Name(id="id", ctx=ast.Load()):
                return True
            case ast.Attribute(attr="is_" | "is_not") | ast.alias(name="is_" | "is_not"):
                return True
        if _asks(ast.iter_child_nodes(node), sentinels):
            return True
    return False


def _is_one(node: ast.expr, sentinels: frozenset[str]) -> bool:
    """Whether an expression is never a text or a number."""
    match node:
        case ast.Constant(value=None | True | False):
            return True
        case ast.Name(id=name):
            return name in sentinels
    return False
