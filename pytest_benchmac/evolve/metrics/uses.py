"""What the calls and names of a text refer to, as far as scopes and imports tell.

LibCST's metadata tell it, too, in fifty times the time; every offspring is scored.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

_LOCALS = ".<locals>."
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True)
class Use:
    """A name that is used: where, and what it refers to."""

    #: Such as `numpy.array`, `Account.deposit` or `outer.<locals>.inner`.
    target: str
    #: It comes from an import; otherwise from this file.
    imported: bool
    #: It is called.
    called: bool
    #: The innermost function or method around it, empty outside of any.
    function: str
    #: The outermost class around it, empty outside of any.
    unit: str


@dataclass(frozen=True)
class Uses:
    """Names that are resolved."""

    uses: tuple[Use, ...]
    #: Qualified names of the functions and of the classes of this file.
    functions: frozenset[str]
    classes: frozenset[str]


def uses(tree: ast.Module) -> Uses:
    """Resolve the names of a file; builtins, and names that nothing binds, are left out.

    `self.name` and `cls.name` in a method refer to what the class around it defines. Where
    branches bind a name differently, it is what the import makes it.
    """
    reader = _Reader()
    reader.visit(tree)
    resolved = (_resolve(each) for each in reader.found)
    return Uses(
        tuple(use for use in resolved if use is not None),
        frozenset(reader.functions),
        frozenset(reader.classes),
    )


@dataclass
class _Scope:
    #: How qualified names of what it binds begin.
    prefix: str = ""
    parent: _Scope | None = None
    is_class: bool = False
    is_comprehension: bool = False
    #: Name -> what an import makes it; empty for what is bound otherwise.
    bound: dict[str, str] = field(default_factory=dict)
    #: Names of the module's scope, and of functions around this one.
    of_module: set[str] = field(default_factory=set)
    of_others: set[str] = field(default_factory=set)
    #: `self` or `cls`, by whatever name, in a method; and how names of its class begin.
    own_name: str = ""
    own_class: str = ""


@dataclass(frozen=True)
class _Found:
    """A name as it stands in the text."""

    parts: Sequence[str]
    scope: _Scope
    called: bool
    function: str
    unit: str


def _resolve(found: _Found) -> Use | None:
    name, *rest = found.parts
    scope = _binding_scope(found.scope, name)
    if scope is None:
        return None
    imported = scope.bound[name]
    if imported:
        target = ".".join([imported, *rest])
    elif rest and name == scope.own_name:
        target = scope.own_class + ".".join(rest)
    else:
        target = scope.prefix + ".".join(found.parts)
    return Use(target, bool(imported), found.called, found.function, found.unit)


def _binding_scope(scope: _Scope, name: str) -> _Scope | None:
    current: _Scope | None = scope
    of_module = False
    while current is not None:
        of_module = of_module or name in current.of_module
        visible = current is scope or not current.is_class
        top = current.parent is None
        if visible and name in current.bound and (top or not of_module):
            return current
        current = current.parent
    return None


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: list[_Found] = []
        self.functions: set[str] = set()
        self.classes: set[str] = set()
        self._scope = _Scope()
        self._function = ""
        self._unit = ""
        self._called: ast.expr | None = None

    # --- scopes ---

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer, around = self._scope, self._function
        name = outer.prefix + node.name
        self._bind(node.name)
        self.functions.add(name)
        self._visit_all([*node.decorator_list, *_annotations(node.args), node.returns])
        scope = self._parameters(node.args, name)
        positional = [*node.args.posonlyargs, *node.args.args]
        if outer.is_class and positional:
            scope.own_name, scope.own_class = positional[0].arg, outer.prefix
        self._scope, self._function = scope, name
        self._visit_all(node.body)
        self._scope, self._function = outer, around

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        outer = self._scope
        self._scope = self._parameters(node.args, f"{outer.prefix}<lambda>")
        self.visit(node.body)
        self._scope = outer

    def _parameters(self, arguments: ast.arguments, name: str) -> _Scope:
        self._visit_all([*arguments.defaults, *arguments.kw_defaults])
        bound = dict.fromkeys((each.arg for each in _all(arguments)), "")
        return _Scope(name + _LOCALS, self._scope, bound=bound)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, unit = self._scope, self._unit
        name = outer.prefix + node.name
        self._bind(node.name)
        self.classes.add(name)
        # What a class is made from is a dependency of its own.
        self._unit = unit or name
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        self._scope = _Scope(f"{name}.", outer, is_class=True)
        self._visit_all(node.body)
        self._scope, self._unit = outer, unit

    def _comprehension(self, node: _Comprehension) -> None:
        outer = self._scope
        first = node.generators[0].iter
        self.visit(first)
        self._scope = _Scope(f"{outer.prefix}<comprehension>.", outer, is_comprehension=True)
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for clause in node.generators:
            own = [] if clause.iter is first else [clause.iter]
            self._visit_all([clause.target, *own, *clause.ifs])
        self._visit_all(values)
        self._scope = outer

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)

    # --- what binds a name ---

    def _bind(self, name: str, imported: str = "") -> None:
        if name not in self._scope.of_module | self._scope.of_others:
            self._scope.bound[name] = imported or self._scope.bound.get(name, "")

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self._bind(alias.asname, alias.name)
            else:
                first = alias.name.partition(".")[0]
                self._bind(first, first)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            target = f"{'.' * node.level}{node.module or ''}.{alias.name}"
            self._bind(alias.asname or alias.name, target)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.of_module.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.of_others.update(node.names)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        inner = self._scope
        while self._scope.is_comprehension and self._scope.parent is not None:
            self._scope = self._scope.parent
        self._bind(node.target.id)
        self._scope = inner

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._bind_where_named(node, node.name)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._bind_where_named(node, node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._bind_where_named(node, node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._bind_where_named(node, node.rest)

    def _bind_where_named(self, node: ast.AST, name: str | None) -> None:
        if name is not None:
            self._bind(name)
        self.generic_visit(node)

    # --- what uses one ---

    def visit_Call(self, node: ast.Call) -> None:
        self._called = node.func
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._use(node, [node.id])
        else:
            self._bind(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts = _parts(node)
        if parts is not None:
            self._use(node, parts)
        # `a.b.c` is one use; a call in it, whose result has the attribute, is another.
        if parts is None or any(isinstance(each, ast.Call) for each in ast.walk(node)):
            self.visit(node.value)

    def _use(self, node: ast.expr, parts: Sequence[str]) -> None:
        called = node is self._called
        self.found.append(_Found(parts, self._scope, called, self._function, self._unit))

    def _visit_all(self, nodes: Sequence[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)


def _parts(node: ast.expr) -> list[str] | None:
    """`a().b.c` is a, b, c; None for what begins with no name."""
    match node:
        case ast.Name(id=name):
            return [name]
        case ast.Attribute(value=value, attr=name):
            before = _parts(value)
            return None if before is None else [*before, name]
        case ast.Call(func=function):
            return _parts(function)
    return None


def _all(arguments: ast.arguments) -> list[ast.arg]:
    several = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *several]


def _annotations(arguments: ast.arguments) -> list[ast.expr | None]:
    return [each.annotation for each in _all(arguments)]
