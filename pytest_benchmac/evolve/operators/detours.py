"""Expressions of a program whose value may take a way through a library, and what is known of it.

Each can be replaced by an expression of the same value, type and effects. There is none where
somebody could see the difference: in f-strings, patterns, annotations, or in what runs at the depth
of a recursion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import libcst as cst
import libcst.matchers as m
from libcst.metadata import CodeRange, PositionProvider

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.calls import calls_of
from pytest_benchmac.evolve.operators.imports import head_of
from pytest_benchmac.evolve.operators.kinds import Inference, infer
from pytest_benchmac.evolve.operators.scopes import bindings, own_nodes
from pytest_benchmac.evolve.operators.source import source_of

#: Modules whose calls are left alone, with what is around them: a value takes one way at most.
_LIBRARIES = frozenset("base64 cryptography datetime dateutil http scipy sklearn time".split())
#: Their arguments are read by people and by tools, or never run.
_PLAIN_CALLS = frozenset(
    "Enum NamedTuple NewType ParamSpec TypeVar cast dataclass field isinstance issubclass"
    " namedtuple super".split()
)
#: A counter starts and steps no further than this, so that it stays below what libraries refuse.
_FAR = 1000

_BLANKS = " \t\n\r\f([{,=:;"
_TAKE_ANY = (cst.Arg, cst.Assign, cst.AnnAssign, cst.Return, cst.Index)
_TESTED = (cst.If, cst.While, cst.IfExp, cst.Assert, cst.CompIf)
_NOTHING_INSIDE = (
    cst.Annotation,
    cst.BaseAssignTargetExpression,
    cst.ConcatenatedString,
    cst.Decorator,
    cst.FormattedString,
    cst.Import,
    cst.ImportFrom,
    cst.Lambda,
    cst.MatchPattern,
    cst.TypeAlias,
)
_UNMOVED = (
    cst.Await,
    cst.BaseNumber,
    cst.BaseString,
    cst.GeneratorExp,
    cst.NamedExpr,
    cst.Yield,
)


class Kind(Enum):
    """What is known of an expression; more than one may hold."""

    #: Only its truth counts: it is tested, or its type is bool.
    CONDITION = "condition"
    #: A literal whole number.
    NUMBER = "number"
    #: A literal text.
    TEXT = "text"
    #: The counter of a loop: a whole number from 0 on, about as large as rounds went by.
    COUNTER = "counter"
    #: Its type is int, its size any.
    INTEGER = "integer"
    #: Its type is str.
    STRING = "string"
    #: Any object.
    VALUE = "value"


@dataclass(frozen=True)
class Site:
    """An expression that may be replaced."""

    node: cst.BaseExpression
    kinds: frozenset[Kind]
    #: The value of a literal.
    literal: int | str | None
    code: str
    #: What stands before it in its line, and behind it in the line where it ends.
    before: str
    behind: str
    #: The whole lines above, and below.
    above: str
    below: str
    #: Whether it is a part of an expression that binds closer than a comparison.
    is_part: bool
    #: How many loops are around it; one more where its function is called in a loop.
    loops: int


@dataclass(frozen=True)
class _Context:
    function: cst.FunctionDef | None = None
    loops: int = 0
    #: In a comprehension or a class, whose names are not the function's.
    own_scope: bool = False
    counters: frozenset[str] = frozenset()


class Detours:
    """All sites of a program, in the order of its text."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._source = source_of(view)
        self._calls = calls_of(view)
        self._positions: Mapping[cst.CSTNode, CodeRange] = view.wrapper.resolve(PositionProvider)
        self._lines = view.module.code.split("\n")
        self._inferences: dict[cst.FunctionDef | None, Inference] = {}
        self._libraries = _bound_from(self._source.tree, _LIBRARIES)
        calls = m.findall(view.module, m.Call())
        #: What a library's call is a part of: values that take a way already.
        self._led = self._around(
            call
            for call in calls
            if isinstance(call, cst.Call) and _root_name(call.func) in self._libraries
        )
        bound = m.findall(view.module, m.Await() | m.Yield() | m.NamedExpr())
        self._unmoved = self._around(bound)
        # Lines are taken apart at line feeds alone.
        odd = "\r" in view.module.code or "\f" in view.module.code
        found = self._program() if self._source.plain and not odd else ()
        #: Node -> what is known of it.
        self.sites: Mapping[cst.CSTNode, Site] = {site.node: site for site in found}

    def _around(self, nodes: Iterable[cst.CSTNode]) -> set[cst.CSTNode]:
        """Some nodes, and whatever they are parts of."""
        around: set[cst.CSTNode] = set()
        for node in nodes:
            while node not in around and not isinstance(node, cst.Module):
                around.add(node)
                node = self._view.parents[node]
        return around

    def _program(self) -> Iterator[Site]:
        skipped = head_of(self._source.tree.body)
        for line in self._view.module.body:
            trees = self._source.trees(line)
            if skipped <= 0:
                yield from self._inside(line, _Context())
            skipped -= len(trees)

    def _inside(self, node: cst.CSTNode, context: _Context) -> Iterator[Site]:
        if isinstance(node, _NOTHING_INSIDE) and not isinstance(node, cst.BaseExpression):
            return
        match node:
            case cst.Expr(value=cst.BaseString()):
                return
            case cst.Comparison(left=cst.Name(value="__name__")):
                return
            case cst.Lambda() | cst.FormattedString() | cst.ConcatenatedString():
                return
            case cst.AssignTarget() | cst.AugAssign(operator=cst.MatrixMultiplyAssign()):
                return
            case cst.Call(func=function):
                name = _root_name(function)
                if name in self._libraries or name in _PLAIN_CALLS:
                    return
        if isinstance(node, cst.BaseExpression):
            site = self._site(node, context)
            if site is not None:
                yield site
        for child, inner in self._parts(node, context):
            yield from self._inside(child, inner)

    def _parts(
        self, node: cst.CSTNode, context: _Context
    ) -> Iterator[tuple[cst.CSTNode, _Context]]:
        """Parts of a node in the order of the text, each with what holds there."""
        looped = replace(context, loops=context.loops + 1)
        match node:
            case cst.FunctionDef(params=params, body=body):
                tree = self._source.function(node)
                if not self._calls.may_be_deep(tree):
                    yield params, context
                    yield body, _Context(function=node, loops=int(self._calls.in_loop(tree)))
            case cst.ClassDef(body=body):
                yield body, replace(context, own_scope=True, counters=frozenset())
            case cst.For(target=target, iter=iterable, body=body, orelse=orelse):
                yield iterable, context
                counters = frozenset(self._counters(target, iterable))
                own = counters & self._bound_once(context)
                yield body, replace(looped, counters=context.counters | own)
                if orelse is not None:
                    yield orelse, context
            case cst.While():
                for child in node.children:
                    yield child, looped
            case cst.ListComp(for_in=for_in) | cst.SetComp(for_in=for_in):
                yield from self._comprehension([node.elt], for_in, context)
            case cst.GeneratorExp(for_in=for_in):
                yield from self._comprehension([node.elt], for_in, context)
            case cst.DictComp(for_in=for_in):
                yield from self._comprehension([node.key, node.value], for_in, context)
            case _:
                for child in node.children:
                    yield child, context

    def _comprehension(
        self, results: list[cst.BaseExpression], first: cst.CompFor, context: _Context
    ) -> Iterator[tuple[cst.CSTNode, _Context]]:
        counters: set[str] = set()
        bound: set[str] = set()
        clause: cst.CompFor | None = first
        clauses: list[cst.CompFor] = []
        while clause is not None:
            clauses.append(clause)
            bound |= _names_in(clause.target)
            counters |= self._counters(clause.target, clause.iter)
            clause = clause.inner_for_in
        twice = {
            name
            for name in bound
            if sum(name in _names_in(clause.target) for clause in clauses) > 1
        }
        inner = replace(
            context,
            loops=context.loops + len(clauses),
            own_scope=True,
            counters=frozenset((context.counters - bound) | (counters - twice)),
        )
        for result in results:
            yield result, inner
        yield first.iter, context
        for clause in clauses:
            for condition in clause.ifs:
                yield condition, inner

    def _counters(self, target: cst.CSTNode, iterable: cst.BaseExpression) -> set[str]:
        """Variables of a loop that count its rounds."""
        if not isinstance(iterable, cst.Call) or not isinstance(iterable.func, cst.Name):
            return set()
        name = iterable.func.value
        if not self._source.is_builtin(name) or any(
            arg.star or arg.keyword is not None for arg in iterable.args
        ):
            return set()
        arguments = [arg.value for arg in iterable.args]
        match name, target:
            case "range", cst.Name(value=variable):
                near = [arguments[0]] if len(arguments) > 1 else []
                near += arguments[2:]
                return {variable} if all(map(_is_near, near)) else set()
            case "enumerate", cst.Tuple(elements=[cst.Element(value=cst.Name(value=variable)), _]):
                return {variable} if all(map(_is_near, arguments[1:])) else set()
        return set()

    def _bound_once(self, context: _Context) -> frozenset[str]:
        """Names of the scope that only one piece of code binds, and nobody from elsewhere."""
        if context.own_scope:
            return frozenset()
        scope = self._source.scope(context.function)
        times: dict[str, int] = {}
        for node in own_nodes(scope.body):
            for name in bindings(node):
                times[name] = times.get(name, 0) + 1
        shared = scope.parameters | scope.rebound | scope.declared | scope.untracked
        return frozenset(name for name, count in times.items() if count == 1) - shared

    def _site(self, node: cst.BaseExpression, context: _Context) -> Site | None:
        literal: int | str | None = None
        if isinstance(node, cst.Integer):
            literal = int(node.evaluated_value)
            kinds = {Kind.NUMBER}
        elif isinstance(node, cst.SimpleString):
            value = node.evaluated_value
            literal = value if isinstance(value, str) else None
            kinds = {Kind.TEXT} if literal else set()
        else:
            kinds = self._kinds(node, context)
        if not kinds or node in self._led:
            return None
        place = self._positions[node]
        before = self._lines[place.start.line - 1][: place.start.column]
        if before and before[-1] not in _BLANKS:
            # `return"a"`: what comes instead would grow together with what stands there.
            return None
        return Site(
            node=node,
            kinds=frozenset(kinds),
            literal=literal,
            code=self._view.module.code_for_node(node).strip(),
            before=before,
            behind=self._lines[place.end.line - 1][place.end.column :],
            above="\n".join([*self._lines[: place.start.line - 1], ""]),
            below="\n".join(["", *self._lines[place.end.line :]]),
            is_part=not isinstance(self._view.parents[node], _TAKE_ANY),
            loops=context.loops,
        )

    def _kinds(self, node: cst.BaseExpression, context: _Context) -> set[Kind]:
        if isinstance(node, _UNMOVED) or m.matches(
            node, m.Name("None") | m.Name("True") | m.Name("False")
        ):
            return set()
        if node in self._unmoved:
            return set()
        kinds: set[Kind] = set()
        if self._is_tested(node):
            kinds.add(Kind.CONDITION)
        if isinstance(node, cst.Name) and node.value in context.counters and self._is_read(node):
            kinds |= {Kind.COUNTER, Kind.INTEGER}
        if self._is_value(node):
            kinds.add(Kind.VALUE)
            if not context.own_scope:
                kinds |= self._typed(node, context)
        return kinds

    def _typed(self, node: cst.BaseExpression, context: _Context) -> set[Kind]:
        function = context.function
        if function not in self._inferences:
            scope = self._source.scope(function)
            self._inferences[function] = infer(scope, self._source.is_builtin)
        inference = self._inferences[function]
        tree = ast.parse(f"({self._view.module.code_for_node(node)})", mode="eval").body
        types = ((Kind.CONDITION, "bool"), (Kind.INTEGER, "int"), (Kind.STRING, "str"))
        return {kind for kind, name in types if inference.surely(tree, frozenset({name}))}

    def _is_tested(self, node: cst.CSTNode) -> bool:
        """Whether nothing but an expression's truth counts."""
        parent = self._view.parents[node]
        match parent:
            case cst.UnaryOperation(operator=cst.Not()):
                return True
            case cst.BooleanOperation():
                return self._is_tested(parent)
        return isinstance(parent, _TESTED) and parent.test is node

    def _is_value(self, node: cst.CSTNode) -> bool:
        parent = self._view.parents[node]
        match parent:
            case cst.Assign() | cst.AnnAssign() | cst.Return():
                return parent.value is node
            case cst.Arg(star="", value=value):
                return value is node and isinstance(self._view.parents[parent], cst.Call)
        return False

    def _is_read(self, node: cst.CSTNode) -> bool:
        """Whether a name is said for its value, and nothing stands close behind it."""
        parent = self._view.parents[node]
        match parent:
            case cst.Attribute() | cst.Param() | cst.NameItem() | cst.Del() | cst.AsName():
                return False
            case cst.Arg(keyword=keyword) if keyword is node:
                return False
            case cst.AugAssign(target=target) | cst.AnnAssign(target=target) if target is node:
                return False
            case cst.Call(func=function) if function is node:
                return False
        return not isinstance(parent, (cst.NamedExpr, cst.AssignTarget, cst.Element))


def _is_near(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer) and 0 <= node.evaluated_value <= _FAR


def _names_in(target: cst.CSTNode) -> set[str]:
    names = m.findall(target, m.Name())
    return {name.value for name in names if isinstance(name, cst.Name)}


def _root_name(node: cst.BaseExpression) -> str | None:
    while isinstance(node, (cst.Attribute, cst.Call)):
        node = node.value if isinstance(node, cst.Attribute) else node.func
    return node.value if isinstance(node, cst.Name) else None


def _bound_from(tree: ast.Module, roots: frozenset[str]) -> frozenset[str]:
    """Names that imports out of some libraries bind."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in roots:
                names |= bindings(node)
            case ast.Import(names=aliases):
                names |= {
                    alias.asname or alias.name.partition(".")[0]
                    for alias in aliases
                    if alias.name.partition(".")[0] in roots
                }
    return frozenset(names)


def detours_of(view: View) -> Detours:
    """The sites of a view's program, found at the first call."""
    return view.shared(Detours)
