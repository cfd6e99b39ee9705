"""Where a name stands for one thing alone, so that another may stand there instead."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import libcst as cst

from pytest_benchmac.evolve.names import ListedNames, Names, Role, Wanted
from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.kinds import infer
from pytest_benchmac.evolve.operators.scopes import Scope
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

_ROLES: Mapping[str, Role] = {
    "int": Role.NUMBER,
    "float": Role.NUMBER,
    "complex": Role.NUMBER,
    "str": Role.TEXT,
    "list": Role.SEQUENCE,
    "tuple": Role.SEQUENCE,
    "dict": Role.MAPPING,
    "set": Role.SET,
    "frozenset": Role.SET,
    "bool": Role.FLAG,
}


@dataclass(frozen=True)
class Renaming:
    """A name that may be another one."""

    name: str
    role: Role
    #: Every place where it stands.
    places: Sequence[cst.CSTNode]
    #: What a model is shown.
    around: cst.CSTNode


class RenamingOperator(Operator):
    """Gives another name to what may have one."""

    def __init__(self, names: Names | None = None) -> None:
        """See the class.

        Args:
            names: where new ones come from; None for the lists.
        """
        self._names = names or ListedNames()

    @abstractmethod
    def renamings(self, view: View) -> Mapping[cst.CSTNode, Renaming]:
        """What may have another name, by the first of its places."""

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """The first place of each."""
        return list(self.renamings(view))

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The program with another name for one of them, wherever it stands.

        The name is the first suggested that is free in all of the program.
        """
        renaming = self.renamings(view).get(site)
        if renaming is None:
            raise DoesNotApplyError("nothing that may have another name stands here first")
        code = view.module.code_for_node(renaming.around)
        wanted = Wanted(renaming.name, renaming.role, code)
        new = source_of(view).fresh(*self._names.suggest(wanted, random))
        changed = view.module.visit(_Rename(renaming.places, new))
        if not isinstance(changed, cst.Module):
            raise TypeError("a module is replaced by no module")
        return view.program.with_main(changed.code)


def occurrences(
    view: View,
    extent: Sequence[cst.CSTNode],
    name: str,
    *,
    own: cst.Param | cst.FunctionDef | None = None,
) -> list[cst.Name] | None:
    """Places of a name in some code; None where it stands for something that others see.

    All variables of this name in the code are renamed together, those of functions inside, too:
    that changes none of them. Others see parameters and functions (but for the one that the name
    is about), attributes of classes, globals, imports, and what f-strings show.
    """
    found: list[cst.Name] = []
    for top in extent:
        for node, parent in _walk(top, view.parents.get(top, top)):
            if not isinstance(node, cst.Name) or node.value != name:
                continue
            match parent:
                case cst.Attribute(attr=attribute) if attribute is node:
                    continue
                case cst.Arg(keyword=keyword) if keyword is node:
                    continue
                case cst.MatchKeywordElement(key=key) if key is node:
                    continue
                case cst.Param() | cst.FunctionDef() if parent is not own and parent.name is node:
                    return None
                case cst.ClassDef():
                    return None
                case cst.TypeVar() | cst.TypeAlias():
                    return None
            if _is_shown(view, node):
                return None
            found.append(node)
    return found


def _walk(node: cst.CSTNode, parent: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    yield node, parent
    for child in node.children:
        yield from _walk(child, node)


def _is_shown(view: View, node: cst.CSTNode) -> bool:
    """Whether a name is the business of others: in a class's body, or said by an f-string."""
    inner = node
    while not isinstance(inner, cst.Module):
        outer = view.parents[inner]
        if isinstance(outer, cst.FormattedStringExpression) and outer.equal is not None:
            return True
        if isinstance(outer, (cst.Global, cst.Import, cst.ImportFrom)):
            return True
        if isinstance(outer, cst.ClassDef) and not _in_function(view, node, outer):
            return True
        inner = outer
    return False


def is_method(view: View, function: cst.FunctionDef) -> bool:
    """Whether a class's body makes a function."""
    outer = view.parents[function]
    while not isinstance(outer, (cst.FunctionDef, cst.ClassDef, cst.Module)):
        outer = view.parents[outer]
    return isinstance(outer, cst.ClassDef)


def _in_function(view: View, node: cst.CSTNode, around: cst.CSTNode) -> bool:
    """Whether a function lies between a node and what is around it."""
    while node is not around:
        outer = view.parents[node]
        if isinstance(outer, cst.FunctionDef) and node is outer.body:
            return True
        node = outer
    return False


def role_of(
    source: Source, scope: Scope, name: str, places: Sequence[cst.Name], view: View
) -> Role:
    """What a variable stands for, as far as it can be told."""
    kinds = infer(scope, source.is_builtin).names.get(name)
    for place in places:
        parent = view.parents[place]
        if isinstance(parent, cst.AsName) and isinstance(view.parents[parent], cst.ExceptHandler):
            return Role.ERROR
        around = parent
        while isinstance(around, (cst.Tuple, cst.Element)):
            around = view.parents[around]
        if isinstance(around, (cst.For, cst.CompFor)) and around.iter is not place:
            return Role.COUNTER if kinds == frozenset({"int"}) else Role.ELEMENT
    if kinds and len(kinds) == 1:
        return _ROLES.get(next(iter(kinds)), Role.VALUE)
    return Role.VALUE


class _Rename(cst.CSTTransformer):
    def __init__(self, places: Collection[cst.CSTNode], new: str) -> None:
        super().__init__()
        self._places = set(places)
        self._new = new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:  # noqa: N802
        """The new name at one of the places."""
        if original_node in self._places:
            return updated_node.with_changes(value=self._new)
        return updated_node
