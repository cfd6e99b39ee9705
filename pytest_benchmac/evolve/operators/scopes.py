"""Which names a function, or a module's top level, binds, reads and shares with functions inside.

It works on `ast` trees: what is looked at there is changed in LibCST's (`source.py` joins the two).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_USE_UP = frozenset("all any dict frozenset list max min set sorted sum tuple".split())


def parameters(arguments: ast.arguments) -> list[str]:
    """Names of all parameters, in their order."""
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    return [argument.arg for argument in [*given, *rest]]


def bindings(node: ast.AST) -> set[str]:
    """Names that this very node binds or unbinds, those of its parts left out."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name.partition(".")[0] for alias in names}
        case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return {name}
    return set()


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node that runs in the scope of `body`.

    Bodies of functions, classes and lambdas inside are left out, and so are comprehensions but for
    their first iterable and the names that a walrus inside binds outside.
    """
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _DEFINITIONS):
            waiting.extend(_evaluated_at_definition(node))
        elif isinstance(node, ast.Lambda):
            waiting.extend(_defaults(node.args))
        elif isinstance(node, _COMPREHENSIONS):
            waiting.append(node.generators[0].iter)
            walruses = [inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)]
            waiting.extend(walrus.target for walrus in walruses)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def _evaluated_at_definition(node: ast.stmt) -> list[ast.AST]:
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if not isinstance(node, Function):
        return []
    arguments = node.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    notes = [argument.annotation for argument in [*given, *rest] if argument.annotation]
    return [
        *node.decorator_list,
        *_defaults(arguments),
        *notes,
        *([node.returns] if node.returns else []),
    ]


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(default for default in arguments.kw_defaults if default)]


def stored(body: Iterable[ast.AST]) -> set[str]:
    """Names that run-time code of this scope binds or unbinds in `body`."""
    return {name for node in own_nodes(body) for name in bindings(node)}


def mentioned(body: Iterable[ast.AST]) -> set[str]:
    """Every plain name in `body`, at any depth."""
    names: set[str] = set()
    for top in body:
        for node in ast.walk(top):
            names |= bindings(node)
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                names.update(node.names)
    return names


def read(body: Iterable[ast.AST]) -> set[str]:
    """Names whose value `body` uses, at any depth; those of augmented assignments, too."""
    names: set[str] = set()
    for top in body:
        for node in ast.walk(top):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load | ast.Del):
                names.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                names.update(node.names)
    return names


@dataclass(frozen=True)
class Scope:
    """A function, or a module's top level."""

    node: Function | ast.Module
    parameters: frozenset[str]
    #: Bound here, parameters included; what is declared global or nonlocal is not.
    locals: frozenset[str]
    #: Declared `global` or `nonlocal` here.
    declared: frozenset[str]
    #: Named by functions, lambdas and classes inside, and by generators that may run later.
    captured: frozenset[str]
    #: Rebound by functions inside (`nonlocal`; at the top level of a module, `global`).
    rebound: frozenset[str]
    #: Unbound, or bound where that is not followed: `del`, walrus, `except ... as`.
    untracked: frozenset[str]
    #: Names that are no builtins in this program.
    shadowed: frozenset[str]
    is_generator: bool
    is_async: bool

    @property
    def body(self) -> Sequence[ast.stmt]:
        """Its statements."""
        return self.node.body


def scope_of(node: Function | ast.Module, shadowed: frozenset[str]) -> Scope:
    """What is to be known of a function's names; names in `shadowed` are no builtins."""
    own = list(own_nodes(node.body))
    given = frozenset() if isinstance(node, ast.Module) else frozenset(parameters(node.args))
    declared = {
        name for part in own if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names
    }
    parts = [part for statement in node.body for part in ast.walk(statement)]
    inside = [part for part in parts if isinstance(part, (*_DEFINITIONS, ast.Lambda))]
    deferred = [*inside, *deferred_generators(parts, shadowed)]
    rebinding = ast.Global if isinstance(node, ast.Module) else ast.Nonlocal
    return Scope(
        node=node,
        parameters=given,
        locals=frozenset((stored(node.body) | given) - declared),
        declared=frozenset(declared),
        captured=frozenset(mentioned(deferred)),
        rebound=frozenset(
            name
            for part in inside
            for inner in ast.walk(part)
            if isinstance(inner, rebinding)
            for name in inner.names
        ),
        untracked=frozenset(name for part in ast.walk(node) for name in _bound_out_of_sight(part)),
        shadowed=shadowed,
        is_generator=any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own),
        is_async=isinstance(node, ast.AsyncFunctionDef),
    )


def deferred_generators(
    nodes: Sequence[ast.AST], shadowed: frozenset[str]
) -> list[ast.GeneratorExp]:
    """Generator expressions among `nodes`, but for those that are used up on the spot."""
    used_up = {
        id(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call) and len(node.args) == 1 and _uses_up(node.func, shadowed)
    }
    return [
        node for node in nodes if isinstance(node, ast.GeneratorExp) and id(node) not in used_up
    ]


def _uses_up(function: ast.expr, shadowed: frozenset[str]) -> bool:
    match function:
        case ast.Name(id=name):
            return name in _USE_UP and name not in shadowed
        case ast.Attribute(value=ast.Constant(value=str()), attr="join"):
            return True
    return False


def _bound_out_of_sight(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Del()):
            return {name}
        case ast.NamedExpr(target=ast.Name(id=name)):
            return {name}
        case ast.ExceptHandler(name=str(name)):
            return {name}
    return set()
