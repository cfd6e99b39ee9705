"""S10: `a += b` becomes `a = a + b`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes, operand
from pytest_benchmac.evolve.operators.kinds import IMMUTABLE
from pytest_benchmac.evolve.operators.places import places_of
from pytest_benchmac.evolve.operators.source import source_of
from pytest_benchmac.evolve.program import Program

_OPERATORS: Mapping[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.PowerAssign: cst.Power,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
}


class TransformAugAssignment(Operator):
    """An augmented assignment becomes an assignment of an operation."""

    code = "S10"
    name = "TransformAugAssignment"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Those of a local variable that is always of a type without operators in place.

        Whatever is on the right: integers, floats, texts, tuples and the like leave `+=` to `+`.
        """
        source = source_of(view)
        if not source.plain:
            return ()
        found: list[cst.CSTNode] = []
        for place in places_of(view):
            if not isinstance(place.node, cst.SimpleStatementLine):
                continue
            types = source.types(place.around.function)
            for node, tree in zip(place.node.body, place.trees, strict=True):
                match tree:
                    case ast.AugAssign(target=ast.Name(id=name)):
                        if types.surely(ast.Name(name, ast.Load()), IMMUTABLE):
                            found.append(node)
        return found

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The right side keeps its grouping."""
        node = cst.ensure_type(site, cst.AugAssign)
        target = cst.ensure_type(node.target, cst.Name)
        operation = cst.BinaryOperation(
            left=cst.Name(target.value),
            operator=_OPERATORS[type(node.operator)](),
            right=operand(node.value),
        )
        changed = cst.Assign(
            targets=[cst.AssignTarget(target)], value=operation, semicolon=node.semicolon
        )
        return Changes({site: changed}).apply(view)
