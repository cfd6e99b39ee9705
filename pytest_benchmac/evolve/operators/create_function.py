"""S6: statements become a function of the module."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.building import Changes, statement
from pytest_benchmac.evolve.operators.calls import calls_of
from pytest_benchmac.evolve.operators.flow import bound_after, exposed
from pytest_benchmac.evolve.operators.places import (
    Place,
    goes_on,
    jumps_out,
    leaves,
    places_of,
    wrappable,
)
from pytest_benchmac.evolve.operators.scopes import (
    Scope,
    deferred_generators,
    mentioned,
    own_nodes,
    read,
    stored,
)
from pytest_benchmac.evolve.operators.source import Source, Statement, source_of
from pytest_benchmac.evolve.program import Program

_MOST_PARAMETERS = 5
_MOST_RESULTS = 3
_LONGEST = 6
#: Fewer nodes are no function of their own.
_SMALLEST = 12


@dataclass(frozen=True)
class _Part:
    """Statements of one block that can be a function."""

    places: Sequence[Place]
    inputs: Sequence[str]
    outputs: Sequence[str]
    #: Whether the function is left with what they return.
    returns: bool


class CreateFunction(Operator):
    """Statements that follow each other are moved to a new function above, and called."""

    code = "S6"
    name = "CreateFunction"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """The first of statements of a function, or method, of the module that can be moved.

        What they read has a value, what they bind that is read elsewhere has one at their end, and
        nothing that they bind is known to functions inside. They leave the function in every case,
        or in none. No loop is left, nothing is yielded or awaited, no lambda is made.
        """
        return list(dict.fromkeys(part.places[0].node for part in view.shared(_parts)))

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """How many statements are moved is left to chance."""
        parts = [part for part in view.shared(_parts) if part.places[0].node is site]
        if not parts:
            raise DoesNotApplyError("no statements that can be a function")
        return _moved(view, random.choice(parts))


def _moved(view: View, part: _Part) -> Program:
    source = source_of(view)
    first = part.places[0]
    function = cst.ensure_type(first.around.function, cst.FunctionDef)
    owner = _snake(function.name.value)
    name = source.fresh(*_names(part, owner))
    results = ", ".join(part.outputs)
    call = f"{name}({', '.join(part.inputs)})"
    if part.returns:
        text, purpose = f"return {call}\n", f"Return what {owner} comes to."
    elif results:
        text, purpose = f"{results} = {call}\n", f"Find {results} for {owner}."
    else:
        text, purpose = f"{call}\n", f"Do a part of {owner}."
    made = cst.ensure_type(
        statement(f'def {name}({", ".join(part.inputs)}):\n    """{purpose}"""\n'), cst.FunctionDef
    )
    head = cst.ensure_type(made.body, cst.IndentedBlock).body
    moved = [place.node for place in part.places]
    moved[0] = moved[0].with_changes(leading_lines=())
    tail = [statement(f"return {results}\n")] if results and not part.returns else []
    made = made.with_changes(body=cst.IndentedBlock([*head, *moved, *tail]))
    called = statement(text).with_changes(leading_lines=first.node.leading_lines)
    instead: dict[cst.CSTNode, Sequence[Statement]] = {place.node: () for place in part.places}
    instead[first.node] = [called]
    return Changes(instead, above=first.around.top, new=[made]).apply(view)


def _names(part: _Part, owner: str) -> list[str]:
    if part.returns:
        return [f"finish_{owner}", f"{owner}_result"]
    if part.outputs:
        output = _snake(part.outputs[0])
        verb = "update" if part.outputs[0] in part.inputs else "find"
        return [f"{verb}_{output}", f"{verb}_{output}_of_{owner}"]
    return [f"do_part_of_{owner}", f"{owner}_step"]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_") or "it"


def _parts(view: View) -> Sequence[_Part]:
    source = source_of(view)
    if not source.plain or source.drops_matter:
        return ()
    places = [place for place in places_of(view) if _may_move(view, source, place)]
    following = {(id(place.block), place.index): place for place in places}
    found: list[_Part] = []
    for place in places:
        run = [place]
        while len(run) <= _LONGEST:
            part = _part(source, tuple(run))
            if part is not None:
                found.append(part)
            after = following.get((id(place.block), place.index + len(run)))
            if after is None:
                break
            run.append(after)
    return found


def _may_move(view: View, source: Source, place: Place) -> bool:
    """Whether a statement may be a part of what is moved, as far as it alone decides."""
    function = place.around.function
    if function is None or place.around.functions or not wrappable(place):
        return False
    if place.around.handling or jumps_out(place.trees):
        return False
    inner = [node for tree in place.trees for node in ast.walk(tree)]
    refused = (
        *(ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.NamedExpr),
        *(ast.Delete, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom),
    )
    if any(isinstance(node, refused) for node in inner):
        return False
    if any(isinstance(node, ast.Raise) and node.exc is None for node in inner):
        return False
    if deferred_generators(inner, source.bound_anywhere) or _is_private(place, inner):
        return False
    return not calls_of(view).may_recurse(source.function(function))


def _is_private(place: Place, nodes: Sequence[ast.AST]) -> bool:
    """Whether something here means something else outside of the class, or is nobody else's."""
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    if place.around.in_class and any(name.startswith("_") for name in attributes):
        return True
    return bool(names & {"super", "__class__"}) or any(
        name.startswith("__") and place.around.in_class for name in names
    )


def _part(source: Source, places: Sequence[Place]) -> _Part | None:
    trees = [tree for place in places for tree in place.trees]
    if sum(1 for tree in trees for _ in ast.walk(tree)) < _SMALLEST:
        return None
    first = places[0]
    scope = source.scope(first.around.function)
    returns = any(isinstance(node, ast.Return) for node in own_nodes(trees))
    if returns and not _always_returns(trees):
        return None
    if _awaits(trees) or (leaves(trees) and not returns):
        return None
    bound = stored(trees)
    names = mentioned(trees)
    if bound & (scope.captured | scope.declared) or names & (scope.untracked | scope.rebound):
        return None
    return _with_names(scope, places, trees, bound, returns)


def _with_names(
    scope: Scope,
    places: Sequence[Place],
    trees: Sequence[ast.stmt],
    bound: set[str],
    returns: bool,
) -> _Part | None:
    around = places[0].around
    before = places[0].bound
    inputs = set(exposed(scope, trees))
    outputs = bound & _read_elsewhere(scope, trees)
    if around.loops:
        outputs |= bound & inputs
    if around.guarded and outputs:
        return None
    if returns:
        outputs = set()
    else:
        end = bound_after(scope, trees, before)
        alone = bound_after(scope, trees)
        if end is None or alone is None or not outputs <= end:
            return None
        inputs |= outputs - alone
    if not inputs <= before:
        return None
    if len(inputs) > _MOST_PARAMETERS or len(outputs) > _MOST_RESULTS:
        return None
    return _Part(places, sorted(inputs), sorted(outputs), returns)


def _read_elsewhere(scope: Scope, trees: Sequence[ast.stmt]) -> set[str]:
    inside = {id(node) for tree in trees for node in ast.walk(tree)}
    names: set[str] = set()
    for top in scope.body:
        for node in ast.walk(top):
            if id(node) in inside:
                continue
            if isinstance(node, ast.Name):
                names |= read([node])
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
    return names


def _always_returns(trees: Sequence[ast.stmt]) -> bool:
    """Whether these statements return, or raise, whatever happens; contexts may swallow."""
    swallowing = (ast.With, ast.AsyncWith, ast.Match)
    inner = (node for tree in trees for node in ast.walk(tree))
    return not goes_on(trees) and not any(isinstance(node, swallowing) for node in inner)


def _awaits(trees: Sequence[ast.stmt]) -> bool:
    kinds = (ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith)
    return any(isinstance(node, kinds) for tree in trees for node in ast.walk(tree))
