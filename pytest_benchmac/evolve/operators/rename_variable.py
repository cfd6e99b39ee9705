"""N1 RenameVariable: a variable gets another name."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import libcst as cst

from pytest_benchmac.evolve.names import Role
from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.renaming import (
    Renaming,
    RenamingOperator,
    is_method,
    occurrences,
    role_of,
)
from pytest_benchmac.evolve.operators.scopes import bindings
from pytest_benchmac.evolve.operators.source import Source, source_of

_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


class RenameVariable(RenamingOperator):
    """A local variable, a comprehension's, a parameter of a helper, or one of the module."""

    code: ClassVar[str] = "N1"
    name: ClassVar[str] = "RenameVariable"

    def renamings(self, view: View) -> Mapping[cst.CSTNode, Renaming]:
        """What may have another name, by the first of its places."""
        return view.shared(_renamings)


def _renamings(view: View) -> Mapping[cst.CSTNode, Renaming]:
    source = source_of(view)
    if not source.plain:
        return {}
    found: dict[cst.CSTNode, Renaming] = {}
    for renaming in _of_module(view, source):
        found[renaming.places[0]] = renaming
    return dict(sorted(found.items(), key=lambda item: _order(view)[item[0]]))


def _order(view: View) -> Mapping[cst.CSTNode, int]:
    return view.shared(_places)


def _places(view: View) -> Mapping[cst.CSTNode, int]:
    order: dict[cst.CSTNode, int] = {}
    waiting: list[cst.CSTNode] = [view.module]
    while waiting:
        node = waiting.pop()
        order[node] = len(order)
        waiting.extend(reversed(node.children))
    return order


def _of_module(view: View, source: Source) -> Iterator[Renaming]:
    yield from _globals(view, source)
    for node in _order(view):
        if isinstance(node, cst.FunctionDef):
            yield from _locals(view, source, node)
        elif isinstance(node, _COMPREHENSIONS):
            yield from _comprehended(view, source, node)


def _globals(view: View, source: Source) -> Iterator[Renaming]:
    scope = source.scope(None)
    for name in sorted(scope.locals - view.program.kept):
        # Before a global shadows a builtin, its name means the builtin.
        if name.startswith("_") or hasattr(builtins, name):
            continue
        yield from _renaming(view, source, None, name, [view.module])


def _locals(view: View, source: Source, function: cst.FunctionDef) -> Iterator[Renaming]:
    scope = source.scope(function)
    for name in sorted(scope.locals - scope.parameters):
        if not name.startswith("_"):
            yield from _renaming(view, source, function, name, [function.body])
    if not _only_called(view, source, function):
        return
    for parameter in (*function.params.posonly_params, *function.params.params):
        name = parameter.name.value
        if not name.startswith("_") and not _is_keyword(source, name):
            code = [parameter.name, function.body]
            yield from _renaming(view, source, function, name, code, parameter)


def _comprehended(view: View, source: Source, node: cst.BaseComp) -> Iterator[Renaming]:
    clause: cst.CompFor | None = node.for_in
    first = node.for_in.iter
    code: list[cst.CSTNode] = [node.key, node.value] if isinstance(node, cst.DictComp) else []
    if isinstance(node, cst.BaseSimpleComp):
        code.append(node.elt)
    names: list[str] = []
    while clause is not None:
        parts: list[cst.CSTNode] = [clause.target, *clause.ifs]
        code.extend(parts if clause.iter is first else [*parts, clause.iter])
        tree = ast.parse(f"{view.module.code_for_node(clause.target).strip()} = 0")
        names += [name for part in ast.walk(tree) for name in sorted(bindings(part))]
        clause = clause.inner_for_in
    for name in dict.fromkeys(names):
        if name.startswith("_"):
            continue
        places = occurrences(view, code, name)
        if places:
            ordered = sorted(places, key=_order(view).__getitem__)
            role = role_of(source, source.scope(None), name, ordered, view)
            yield Renaming(name, role, ordered, node)


def _renaming(
    view: View,
    source: Source,
    function: cst.FunctionDef | None,
    name: str,
    code: Sequence[cst.CSTNode],
    parameter: cst.Param | None = None,
) -> Iterator[Renaming]:
    places = occurrences(view, code, name, own=parameter)
    if places:
        role = (
            Role.VALUE if parameter else role_of(source, source.scope(function), name, places, view)
        )
        yield Renaming(name, role, places, function or view.module)


def _only_called(view: View, source: Source, function: cst.FunctionDef) -> bool:
    """Whether every caller of a function is seen, and hands arguments over by place alone."""
    name = function.name.value
    if name in view.program.kept or function.decorators or is_method(view, function):
        return False
    definitions = 0
    called: set[int] = set()
    for node in ast.walk(source.tree):
        bound = {node.arg} if isinstance(node, ast.arg) else bindings(node)
        definitions += name in bound
        if isinstance(node, ast.Call) and all(keyword.arg for keyword in node.keywords):
            called.add(id(node.func))
    return definitions == 1 and all(
        id(node) in called
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id == name
    )


def _is_keyword(source: Source, name: str) -> bool:
    """Whether an argument of this name is handed over by name anywhere."""
    return any(isinstance(node, ast.keyword) and node.arg == name for node in ast.walk(source.tree))
