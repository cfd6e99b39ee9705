"""N2 RenameFunction: a function that nobody outside knows gets another name."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import ClassVar

import libcst as cst
import libcst.matchers as m

from pytest_benchmac.evolve.names import Role
from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.renaming import (
    Renaming,
    RenamingOperator,
    is_method,
    occurrences,
)
from pytest_benchmac.evolve.operators.scopes import bindings
from pytest_benchmac.evolve.operators.source import Source, source_of

#: Builtins that call what they are given, and tell nobody its name.
_CALLERS = frozenset("filter map max min sorted".split())


class RenameFunction(RenamingOperator):
    """A function that is only called, or handed to a builtin that calls it."""

    code: ClassVar[str] = "N2"
    name: ClassVar[str] = "RenameFunction"

    def renamings(self, view: View) -> Mapping[cst.CSTNode, Renaming]:
        """What may have another name, by the first of its places."""
        return view.shared(_renamings)


def _renamings(view: View) -> Mapping[cst.CSTNode, Renaming]:
    source = source_of(view)
    if not source.plain or any(
        isinstance(node, ast.Attribute) and node.attr == "__name__"
        for node in ast.walk(source.tree)
    ):
        return {}
    found: dict[cst.CSTNode, Renaming] = {}
    for function in m.findall(view.module, m.FunctionDef(decorators=[])):
        if not isinstance(function, cst.FunctionDef):
            continue
        name = function.name.value
        if name in view.program.kept or name.startswith(("_", "test")):
            continue
        # The names of classes made in a function tell the function's.
        if m.findall(function, m.ClassDef()):
            continue
        if not is_method(view, function) and _is_only_called(source, name):
            places = occurrences(view, [view.module], name, own=function)
            if places is not None:
                found[function.name] = Renaming(name, Role.FUNCTION, places, function)
    return found


def _is_only_called(source: Source, name: str) -> bool:
    """Whether a name means one function, and nobody asks for more than its result."""
    definitions = 0
    used: set[int] = set()
    for node in ast.walk(source.tree):
        bound = {node.arg} if isinstance(node, ast.arg) else bindings(node)
        definitions += name in bound
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            used.add(id(node.func))
            if node.func.id in _CALLERS and source.is_builtin(node.func.id):
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                used.update(id(argument) for argument in given)
    return definitions == 1 and all(
        id(node) in used
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id == name
    )
