"""S12: a variable of a primitive type is kept in a list or a dictionary."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes
from pytest_benchmac.evolve.operators.places import Place, places_of
from pytest_benchmac.evolve.operators.scopes import mentioned, stored
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

_PRIMITIVE = frozenset({"int", "float", "str", "bool"})


class TransformPrimToCompound(Operator):
    """A local variable becomes the one item of a list, or of a dictionary."""

    code = "S12"
    name = "TransformPrimToCompound"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Assignments that make a variable which is nobody else's.

        The assignment stands in the function's own block, above everything else that names the
        variable, and its value is primitive. All others bind it by `=` or `+=` alone. No function
        inside, comprehension's variable or f-string with `=` names it.
        """
        source = source_of(view)
        if not source.plain:
            return ()
        return [place.node for place in places_of(view) if _variable(source, place)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The variable keeps its name."""
        source = source_of(view)
        place = next(place for place in places_of(view) if place.node is site)
        name = _variable(source, place)
        function = cst.ensure_type(place.around.function, cst.FunctionDef)
        quoted = _in_text(source.function(function), name)
        index = "0" if quoted or random.random() < 0.5 else '"value"'
        changed = function.body.visit(_Subscribe(name, index))
        return Changes({function.body: cst.ensure_type(changed, cst.IndentedBlock)}).apply(view)


class _Subscribe(cst.CSTTransformer):
    """Each mention of a variable becomes its item; the first assignment makes the container."""

    def __init__(self, name: str, index: str) -> None:
        super().__init__()
        self._name = name
        self._index = index
        self._made = False

    def leave_Assign(  # noqa: N802 - LibCST's name
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.Assign:
        """The first one."""
        match original_node.targets:
            case [cst.AssignTarget(target=cst.Name(value=name))] if (
                name == self._name and not self._made
            ):
                self._made = True
                value = updated_node.value
                made: cst.BaseExpression = cst.List([cst.Element(value)])
                if self._index != "0":
                    key = cst.SimpleString(self._index)
                    made = cst.Dict([cst.DictElement(key, value)])
                return original_node.with_changes(value=made)
        return updated_node

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        """The attribute's name stays."""
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:  # noqa: N802
        """The keyword stays."""
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_MatchKeywordElement(  # noqa: N802
        self, original_node: cst.MatchKeywordElement, updated_node: cst.MatchKeywordElement
    ) -> cst.MatchKeywordElement:
        """The keyword of a pattern stays."""
        return updated_node.with_changes(key=original_node.key)

    def visit_Import(self, node: cst.Import) -> bool:  # noqa: N802
        """Modules keep their names."""
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: N802
        """Modules keep their names."""
        return False

    def leave_Name(  # noqa: N802
        self, original_node: cst.Name, updated_node: cst.Name
    ) -> cst.BaseExpression:
        """The variable's item."""
        if original_node.value != self._name:
            return updated_node
        return cst.parse_expression(f"{self._name}[{self._index}]").with_changes(
            lpar=updated_node.lpar, rpar=updated_node.rpar
        )


def _variable(source: Source, place: Place) -> str:
    """The name of the variable that a statement makes; empty if it is no site."""
    function = place.around.function
    if function is None or place.around.depth or len(place.trees) != 1:
        return ""
    match place.trees[0]:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case _:
            return ""
    scope = source.scope(function)
    others = scope.parameters | scope.captured | scope.declared | scope.untracked | scope.rebound
    types = source.types(function)
    if name in others or not types.surely(value, _PRIMITIVE):
        return ""
    tree = source.function(function)
    return name if _is_made_here(tree, place.trees[0], name) else ""


def _is_made_here(function: ast.AST, made: ast.stmt, name: str) -> bool:
    """Whether a variable is made by `made`, and bound by plain assignments alone."""
    plain: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            plain.update(id(target) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            plain.add(id(node.target))
        elif _shows(node, name) or name in _comprehended(node) | _in_pattern(node):
            return False
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == name:
            first = isinstance(made, ast.Assign) and node is made.targets[0]
            above = (node.lineno, node.col_offset) < (made.lineno, made.col_offset)
            inside = not first and made.lineno <= node.lineno <= (made.end_lineno or 0)
            if above or inside:
                return False
            if isinstance(node.ctx, ast.Store) and id(node) not in plain:
                return False
        elif not isinstance(node, ast.Name) and name in _named_otherwise(node):
            return False
    return True


def _comprehended(node: ast.AST) -> set[str]:
    return stored([node.target]) if isinstance(node, ast.comprehension) else set()


def _in_pattern(node: ast.AST) -> set[str]:
    """Names that a pattern reads: none can be subscribed there."""
    match node:
        case ast.MatchValue(value=read) | ast.MatchClass(cls=read):
            return mentioned([read])
        case ast.MatchMapping(keys=keys):
            return mentioned(keys)
    return set()


def _named_otherwise(node: ast.AST) -> set[str]:
    match node:
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            return {name}
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name.partition(".")[0] for alias in names}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
    return set()


def _shows(node: ast.AST, name: str) -> bool:
    """Whether an f-string may show the text of an expression: it has a part that ends in `=`."""
    if not isinstance(node, ast.JoinedStr):
        return False
    shown = any(
        isinstance(part, ast.Constant) and str(part.value).rstrip().endswith("=")
        for part in node.values
    )
    return shown and _in_text(node, name)


def _in_text(tree: ast.AST, name: str) -> bool:
    """Whether an f-string names a variable."""
    return any(
        isinstance(inner, ast.Name) and inner.id == name
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for inner in ast.walk(node)
    )
