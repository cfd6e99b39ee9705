"""S5: a statement in a `try` whose handler raises the same exception again."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes, statement, wrapped
from pytest_benchmac.evolve.operators.places import Place, places_of, wrappable
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

_CALLS = {"int": "ValueError", "float": "ValueError", "len": "TypeError", "ord": "TypeError"}


class AddTryExcept(Operator):
    """A statement gets a handler that lets pass what it catches, the very same object."""

    code = "S5"
    name = "AddTryExcept"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Statements of functions that may raise a builtin exception, by what they compute."""
        return [place.node for place in _places(view)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The handler names one or two exceptions; its variable is new."""
        source = source_of(view)
        place = next(place for place in _places(view) if place.node is site)
        errors = _errors(source, place)
        chosen = sorted(random.sample(errors, min(len(errors), random.choice((1, 1, 2)))))
        caught = chosen[0] if len(chosen) == 1 else f"({', '.join(chosen)})"
        error = source.fresh("error", "failure", "problem", "mistake")
        # Raised while it is handled itself, an exception keeps its cause and its context.
        template = statement(
            f"try:\n    pass\nexcept {caught} as {error}:\n"
            f"    raise {error}.with_traceback({error}.__traceback__)\n"
        )
        body = wrapped("if True:", place.node).body
        guarded = template.with_changes(body=body, leading_lines=place.node.leading_lines)
        return Changes({site: guarded}).apply(view)


def _places(view: View) -> Sequence[Place]:
    source = source_of(view)
    if not source.plain or source.defines("with_traceback"):
        return ()
    return [
        place
        for place in places_of(view)
        if wrappable(place) and place.around.function is not None and _errors(source, place)
    ]


def _errors(source: Source, place: Place) -> list[str]:
    """Builtin exceptions that the statement's own expressions can raise."""
    found: set[str] = set()
    for tree in place.trees:
        if isinstance(tree, ast.Raise):
            return []
        for node in ast.walk(tree):
            match node:
                case ast.Subscript():
                    found |= {"IndexError", "KeyError"}
                case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod()):
                    found |= {"ZeroDivisionError", "TypeError"}
                case ast.BinOp() | ast.AugAssign():
                    found |= {"TypeError", "OverflowError"}
                case ast.Call(func=ast.Name(id=name)):
                    found |= {"TypeError", _CALLS.get(name, "ValueError")}
                case ast.Call(func=ast.Attribute()):
                    found |= {"AttributeError", "ValueError"}
    return sorted(name for name in found if source.is_builtin(name))
