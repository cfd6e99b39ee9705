"""S2: a statement under a condition that always holds."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.building import Changes, wrapped
from pytest_benchmac.evolve.operators.kinds import Inference
from pytest_benchmac.evolve.operators.places import Place, goes_on, places_of, wrappable
from pytest_benchmac.evolve.operators.scopes import mentioned, read, stored
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

#: True of every value of a type; nothing here raises, nor runs anybody else's code, nor takes more
#: than constant time (for integers, than a product of the value with itself).
_CONDITIONS: Mapping[str, Sequence[str]] = {
    "int": (
        "{0} * ({0} + 1) % 2 == 0",
        "{0} < 0 or {0} + 1 > 0",
        "{0} % 3 < 3 and {0} % 2 >= 0",
        "{0} % 2 == 0 or {0} % 2 == 1",
    ),
    "str": ("{0}.startswith({0}[:2])", "not {0} or {0}[0] == {0}[:1]", "{0} == '' or len({0}) > 0"),
    "list": ("not {0} or len({0}) > 0", "len({0}) >= len({0}[:1])", "{0} == [] or {0}"),
    "dict": ("not {0} or len({0}) > 0", "len({0}) >= 0 or not {0}"),
    "tuple": ("not {0} or len({0}) > 0", "len({0}) >= len({0}[:1])"),
    "set": ("not {0} or len({0}) > 0",),
    "bool": ("{0} or not {0}", "not ({0} and not {0})"),
    # Nothing but what a value is tells anything of one of an unknown type.
    "": (
        "{0} is None or id({0}) != id(None)",
        "{0} is not None or not callable({0})",
        "not (callable({0}) and {0} is None)",
        "callable({0}) or not callable({0}) or {0} is None",
    ),
}
_TWO = ("{0} is {1} or id({0}) != id({1})", "id({0}) == id({1}) or {0} is not {1}")


class AddNestedIf(Operator):
    """A statement comes under a condition that is always true, made of values at hand."""

    code = "S2"
    name = "AddNestedIf"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Statements with a local variable that has a value for certain.

        Where the variable's type is certain, the condition is of that type; elsewhere it uses
        nothing but `is`, `id` and `callable`.
        """
        return [place.node for place in _places(view)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The condition names what the statement names, where it can."""
        place = next(place for place in _places(view) if place.node is site)
        condition = random.choice(_conditions(view, place, random))
        return Changes({site: wrapped(f"if {condition}:", place.node)}).apply(view)


def _places(view: View) -> Sequence[Place]:
    return view.shared(_find)


def _find(view: View) -> Sequence[Place]:
    source = source_of(view)
    if not source.plain or not all(map(source.is_builtin, ("id", "callable", "len"))):
        return ()
    return [
        place
        for place in places_of(view)
        if wrappable(place) and goes_on(place.trees) and _at_hand(source, place)
        if not _needed_later(source, place)
    ]


def _at_hand(source: Source, place: Place) -> list[str]:
    scope = source.scope(place.around.function)
    own = scope.locals - scope.declared
    return sorted(place.bound & own - {"self", "cls", "_"})


def _needed_later(source: Source, place: Place) -> bool:
    """Whether a reader, or PyLint, would say that a name may have no value later.

    It always has; but names that get their first value here would look as if they had none.
    """
    first = stored(place.trees) - place.bound
    if not first:
        return False
    scope = source.scope(place.around.function)
    inside = {id(node) for tree in place.trees for node in ast.walk(tree)}
    elsewhere = [
        node
        for statement in scope.body
        for node in ast.walk(statement)
        if id(node) not in inside and isinstance(node, (ast.Name, ast.Global, ast.Nonlocal))
    ]
    return bool(first & read(elsewhere)) or place.around.function is None


def _conditions(view: View, place: Place, random: Random) -> list[str]:
    source = source_of(view)
    inference = source.types(place.around.function)
    names = _at_hand(source, place)
    if not names:
        raise DoesNotApplyError("no variable has a value here")
    near = [name for name in names if name in mentioned(place.trees)]
    name = random.choice(near or names)
    found = [text.format(name) for text in _CONDITIONS[_kind(inference, name)]]
    others = [other for other in names if other != name]
    if others and not near:
        found.extend(text.format(name, random.choice(others)) for text in _TWO)
    return found


def _kind(inference: Inference, name: str) -> str:
    kinds = inference.names.get(name)
    only = next(iter(kinds)) if kinds and len(kinds) == 1 else ""
    return only if only in _CONDITIONS else ""
