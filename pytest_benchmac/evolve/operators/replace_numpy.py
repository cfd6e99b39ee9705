"""S9: a computation by NumPy, with Python's own values and types."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.building import Changes, as_argument
from pytest_benchmac.evolve.operators.expressions import own_expressions, tree_of
from pytest_benchmac.evolve.operators.kinds import INTEGERS, Inference
from pytest_benchmac.evolve.operators.places import places_of
from pytest_benchmac.evolve.operators.source import source_of
from pytest_benchmac.evolve.program import Program

_IMPORT = "import numpy"
#: With dtype=object, these call Python's own operators on Python's own objects.
_OPERATIONS: Mapping[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
_FUNCTIONS = {"abs": "absolute", "max": "maximum", "min": "minimum"}
_INTEGERS = "numpy.{name}({arguments}, dtype=object)"
_SUM = "numpy.add.reduce(numpy.fromiter({arguments}, dtype=object), initial=0)"
_LIST = "numpy.fromiter({arguments}, dtype=object).tolist()"


class ReplaceNumpy(Operator):
    """Arithmetic of integers, sums of integers, and lists go through arrays of Python objects."""

    code = "S9"
    name = "ReplaceNumpy"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Operations whose operands are certainly integers; lists that a statement makes.

        Floats stay: NumPy warns where Python does not. Nothing in a loop of a loop is touched, as
        a call of NumPy takes as long as a hundred operations.
        """
        source = source_of(view)
        if not source.plain or not source.can_import(_IMPORT):
            return ()
        return [
            node
            for place in places_of(view)
            if place.around.loops < 2
            for node in own_expressions(place)
            if _template(view, source.types(place.around.function), node)
        ]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """Operands keep their order and their text."""
        source = source_of(view)
        for place in places_of(view):
            for node in own_expressions(place):
                if node is site:
                    found = _template(view, source.types(place.around.function), node)
                    if found:
                        changed = cst.parse_expression(found, view.module.config_for_parsing)
                        # Nothing but its parentheses may part it from the word before.
                        changed = changed.with_changes(lpar=node.lpar, rpar=node.rpar)
                        return Changes({site: changed}, imports=[_IMPORT]).apply(view)
        raise DoesNotApplyError("no computation that NumPy does alike")


def _template(view: View, types: Inference, node: cst.BaseExpression) -> str:
    """The text of the same computation by NumPy; empty if there is none for certain."""

    def text(*parts: cst.BaseExpression) -> str:
        return ", ".join(view.module.code_for_node(as_argument(part)).strip() for part in parts)

    match node:
        case cst.ListComp():
            tree = tree_of(view, node)
            later = any(isinstance(part, ast.Await) for part in ast.walk(tree))
            return "" if later else _LIST.format(arguments=text(node))
        case cst.BinaryOperation(left=left, right=right):
            tree = tree_of(view, node)
            if isinstance(tree, ast.BinOp) and _are_integers(types, tree.left, tree.right):
                name = _OPERATIONS.get(type(tree.op), "")
                return name and _INTEGERS.format(name=name, arguments=text(left, right))
        case cst.Comparison(left=left, comparisons=[comparison]):
            tree = tree_of(view, node)
            if isinstance(tree, ast.Compare) and _are_integers(types, tree.left, *tree.comparators):
                name = _OPERATIONS.get(type(tree.ops[0]), "")
                operands = text(left, comparison.comparator)
                return name and _INTEGERS.format(name=name, arguments=operands)
        case cst.Call(func=cst.Name(value=called)) if called in ("sum", *_FUNCTIONS, "sorted"):
            tree = tree_of(view, node)
            if types.is_builtin(called) and isinstance(tree, ast.Call):
                arguments = [text(argument.value) for argument in node.args]
                return _call(types, tree, called, arguments, text(node))
    return ""


def _call(types: Inference, tree: ast.Call, name: str, arguments: Sequence[str], whole: str) -> str:
    if name == "sorted":
        return _LIST.format(arguments=whole)
    if tree.keywords or any(isinstance(argument, ast.Starred) for argument in tree.args):
        return ""
    if name == "sum":
        kinds = types.elements(tree.args[0]) if len(tree.args) == 1 else None
        return _SUM.format(arguments=arguments[0]) if kinds and kinds <= INTEGERS else ""
    if len(tree.args) != (1 if name == "abs" else 2) or not _are_integers(types, *tree.args):
        return ""
    return _INTEGERS.format(name=_FUNCTIONS[name], arguments=", ".join(arguments))


def _are_integers(types: Inference, *operands: ast.expr) -> bool:
    # Of two literals a reader knows the result.
    literal = all(isinstance(operand, ast.Constant) for operand in operands)
    return not literal and all(types.surely(operand, INTEGERS) for operand in operands)
