"""Which local names have a value for certain, before each statement and after a block.

Definite assignment, as of a compiler: a set of names flows through the statements; branches meet in
what all of them bind. What cannot be followed counts as unbound.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from pytest_benchmac.evolve.operators.scopes import Scope, bindings, own_nodes, stored

#: Names with a value; None where control never comes to.
State = frozenset[str] | None


def _meet(states: Iterable[State]) -> State:
    reached = [state for state in states if state is not None]
    return frozenset.intersection(*reached) if reached else None


def scope_reads(nodes: Iterable[ast.AST]) -> set[str]:
    """Names of this scope that are read; lambdas, functions and generators count as run."""
    return {name for node in nodes for name in _reads(node)}


def _reads(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return {name}
        case ast.AugAssign(target=ast.Name(id=name)):
            return {name} | _reads(node.value)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            # Its variables are its own, but for the first iterable, which runs outside.
            first = node.generators[0].iter
            own = stored([generator.target for generator in node.generators])
            inside = scope_reads(ast.iter_child_nodes(node)) - own
            return inside | _reads(first)
    return scope_reads(ast.iter_child_nodes(node))


def runs_once_at_least(iterable: ast.expr, shadowed: frozenset[str]) -> bool:
    """Whether a loop over this literal runs: `range(1)`, `[None]`; `shadowed` are no builtins."""
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(stop))], keywords=[]):
            return stop > 0 and "range" not in shadowed
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return bool(items) and not any(isinstance(item, ast.Starred) for item in items)
        case ast.Constant(value=str(text)):
            return bool(text)
    return False


class Flow:
    """Definite assignment through a body, from a state at its start."""

    def __init__(self, scope: Scope) -> None:
        self._tracked = scope.locals - scope.untracked
        self._locals = scope.locals
        self._shadowed = scope.shadowed
        self._breaks: list[list[State]] = []
        self._continues: list[list[State]] = []
        self._before: dict[ast.stmt, frozenset[str]] = {}
        #: Locals that were read where they may have no value.
        self.exposed: set[str] = set()

    @property
    def before(self) -> Mapping[ast.stmt, frozenset[str]]:
        """Statement -> names with a value before it; statements never reached are missing."""
        return self._before

    def run(self, body: Sequence[ast.stmt], state: State) -> State:
        """The state after a body."""
        for statement in body:
            if state is None:
                return None
            self._before[statement] = state
            state = self._statement(statement, state)
        return state

    def _bind(self, nodes: Iterable[ast.AST], state: frozenset[str]) -> frozenset[str]:
        return state | (stored(nodes) & self._tracked)

    def _use(self, nodes: Iterable[ast.AST | None], state: frozenset[str]) -> None:
        present = [node for node in nodes if node is not None]
        self.exposed |= (scope_reads(present) & self._locals) - state

    def _statement(self, node: ast.stmt, state: frozenset[str]) -> State:
        match node:
            case ast.Return() | ast.Raise():
                self._use([node], state)
                return None
            case ast.Break() | ast.Continue():
                waiting = self._breaks if isinstance(node, ast.Break) else self._continues
                if waiting:
                    waiting[-1].append(state)
                return None
            case ast.AugAssign(target=ast.Name(id=name)):
                self._use([node.value, ast.Name(id=name, ctx=ast.Load())], state)
                return self._bind([node.target], state)
            case ast.AnnAssign(value=None):
                return state
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._definition(node, state)
                return state | (bindings(node) & self._tracked)
            case ast.If():
                self._use([node.test], state)
                return _meet([self.run(node.body, state), self.run(node.orelse, state)])
            case ast.For() | ast.AsyncFor():
                return self._for(node, state)
            case ast.While():
                return self._while(node, state)
            case ast.Try() | ast.TryStar():
                return self._try(node, state)
            case ast.With() | ast.AsyncWith():
                self._use([item.context_expr for item in node.items], state)
                entered = self._bind(
                    [item.optional_vars for item in node.items if item.optional_vars], state
                )
                # A context may swallow what is raised inside.
                return _meet([self.run(node.body, entered), state])
            case ast.Match():
                return self._match(node, state)
        self._use([node], state)
        return self._bind([node], state)

    def _definition(self, node: ast.stmt, state: frozenset[str]) -> None:
        if isinstance(node, ast.ClassDef):
            self._use([node], state)
        else:
            self._use([part for part in own_nodes([node]) if isinstance(part, ast.Name)], state)

    def _for(self, node: ast.For | ast.AsyncFor, state: frozenset[str]) -> State:
        self._use([node.iter], state)
        bound = self._bind([node.target], state)
        self._use([node.target], bound)
        end, broken = self._loop(node.body, bound)
        exhausted = end if runs_once_at_least(node.iter, self._shadowed) else state
        return _meet([self.run(node.orelse, exhausted), *broken])

    def _while(self, node: ast.While, state: frozenset[str]) -> State:
        self._use([node.test], state)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        _, broken = self._loop(node.body, state)
        return _meet([None if endless else self.run(node.orelse, state), *broken])

    def _loop(self, body: Sequence[ast.stmt], state: frozenset[str]) -> tuple[State, list[State]]:
        self._breaks.append([])
        self._continues.append([])
        end = self.run(body, state)
        return _meet([end, *self._continues.pop()]), self._breaks.pop()

    def _try(self, node: ast.Try | ast.TryStar, state: frozenset[str]) -> State:
        ends = [self.run(node.orelse, self.run(node.body, state))]
        for handler in node.handlers:
            self._use([handler.type], state)
            ends.append(self.run(handler.body, state))
        met = _meet(ends)
        final = self.run(node.finalbody, state)
        return None if met is None or final is None else met | final

    def _match(self, node: ast.Match, state: frozenset[str]) -> State:
        self._use([node.subject], state)
        ends: list[State] = [state]
        for case in node.cases:
            bound = self._bind([case.pattern], state)
            self._use([case.guard, case.pattern], bound)
            ends.append(self.run(case.body, bound))
        return _meet(ends)


def before_statements(scope: Scope) -> Mapping[ast.stmt, frozenset[str]]:
    """Statement of the scope -> local names that have a value before it."""
    flow = Flow(scope)
    flow.run(scope.body, scope.parameters - scope.untracked)
    return flow.before


def exposed(scope: Scope, body: Sequence[ast.stmt]) -> frozenset[str]:
    """Locals that `body` may read before it binds them itself."""
    flow = Flow(scope)
    flow.run(body, frozenset())
    return frozenset(flow.exposed)


def bound_after(
    scope: Scope, body: Sequence[ast.stmt], state: frozenset[str] = frozenset()
) -> State:
    """Names with a value once `body` has come to its end; None if it never does."""
    return Flow(scope).run(body, state)
