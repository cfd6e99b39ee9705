"""Who may call whom in a program: which functions recurse, which run while an exception is handled.

Functions are joined by the names that their text mentions, so that a call that happens is never
missed: an attribute of a function's name counts, any code stands for every method behind operators,
and a call of something unknown for every function that is passed around as a value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.places import is_remark
from pytest_benchmac.evolve.operators.scopes import Function
from pytest_benchmac.evolve.operators.source import Source, source_of

_Node = Function | ast.Lambda
#: Called by an instance's creation, not by operators.
_CREATION = frozenset({"__init__", "__new__", "__post_init__"})


class Calls:
    """The calls of a program."""

    def __init__(self, view: View) -> None:
        self._source: Source = source_of(view)
        self._nodes: list[_Node] = []
        #: Function or class name -> what a mention of it may call.
        self._named: dict[str, list[_Node]] = {}
        self._implicit: list[_Node] = []
        for node in ast.walk(self._source.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._nodes.append(node)
                self._named.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Lambda):
                self._nodes.append(node)
            elif isinstance(node, ast.ClassDef):
                self._class(node)

    def _class(self, node: ast.ClassDef) -> None:
        for part in node.body:
            if isinstance(part, Function) and part.name.startswith("__"):
                if part.name in _CREATION:
                    self._named.setdefault(node.name, []).append(part)
                else:
                    self._implicit.append(part)

    @cached_property
    def _escaping(self) -> list[_Node]:
        """Functions that are passed around: named other than to call them, decorated, lambdas."""
        called: set[int] = set()
        values: set[str] = set()
        for node in ast.walk(self._source.tree):
            if isinstance(node, ast.Call):
                called.add(id(node.func))
        for node in ast.walk(self._source.tree):
            if id(node) in called:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                values.add(node.id)
            elif isinstance(node, ast.Attribute):
                values.add(node.attr)
        if values & {"getattr", "methodcaller"} or self._calls_by_string:
            return self._nodes
        return [
            node
            for node in self._nodes
            if isinstance(node, ast.Lambda) or node.name in values or node.decorator_list
        ]

    @cached_property
    def _calls_by_string(self) -> bool:
        return any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name | ast.Attribute)
            and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
            in {"getattr", "methodcaller", "attrgetter"}
            for node in ast.walk(self._source.tree)
        )

    def _mentions(self, tops: Iterable[ast.AST]) -> list[_Node]:
        """Functions that code may call directly."""
        found: list[_Node] = list(self._implicit)
        unknown = False
        for top in tops:
            for node in ast.walk(top):
                match node:
                    case ast.Name(id=name) | ast.Attribute(attr=name):
                        found.extend(self._named.get(name, ()))
                    case ast.Lambda():
                        found.append(node)
                if isinstance(node, ast.Call):
                    unknown = unknown or self._is_unknown(node.func)
        return found + (self._escaping if unknown else [])

    def _is_unknown(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id=name):
                if self._source.is_builtin(name) or name in self._only_defined:
                    return False
        return True

    @cached_property
    def plain_functions(self) -> frozenset[str]:
        """Names that only ever mean a function at the top of the module, that runs when called."""
        tops = self._source.tree.body
        defined = [node.name for node in tops if isinstance(node, ast.FunctionDef)]
        generators = {
            node.name
            for node in tops
            if isinstance(node, ast.FunctionDef)
            and any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
        }
        once = {name for name in defined if len(self._named[name]) == 1} & self._only_defined
        return frozenset(once - generators)

    @cached_property
    def _only_defined(self) -> frozenset[str]:
        """Names that only ever mean a function, or a class, of the program."""
        kinds: dict[str, set[bool]] = {}
        for node in ast.walk(self._source.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                kinds.setdefault(node.name, set()).add(True)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                kinds.setdefault(node.id, set()).add(False)
            elif isinstance(node, ast.arg):
                kinds.setdefault(node.arg, set()).add(False)
        return frozenset(name for name, seen in kinds.items() if seen == {True})

    @cached_property
    def _edges(self) -> Mapping[_Node, frozenset[_Node]]:
        return {
            node: frozenset(self._mentions(_parts(node))) - ({node} if _halves(node) else set())
            for node in self._nodes
        }

    def _reach(self, start: Iterable[_Node]) -> set[_Node]:
        reached: set[_Node] = set()
        waiting = list(start)
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting.extend(self._edges[node])
        return reached

    @cached_property
    def _recursive(self) -> frozenset[_Node]:
        return frozenset(node for node in self._nodes if node in self._reach(self._edges[node]))

    def may_recurse(self, *code: ast.AST) -> bool:
        """Whether code may come into a function that calls itself, by whatever way."""
        if not self._recursive:
            return False
        start = [
            node
            for node in code
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        ]
        reached = self._reach([*start, *self._mentions(code)])
        return bool(reached & self._recursive)

    def may_be_deep(self, function: Function) -> bool:
        """Whether the program may come to a function from within a recursion, or by one."""
        return function in self._within_recursion

    @cached_property
    def _within_recursion(self) -> set[_Node]:
        return self._reach(self._recursive)

    @cached_property
    def _while_handling(self) -> set[_Node]:
        blocks: list[ast.AST] = []
        for node in ast.walk(self._source.tree):
            if isinstance(node, ast.ExceptHandler):
                blocks.extend(node.body)
            elif isinstance(node, (ast.Try, ast.TryStar)):
                blocks.extend(node.finalbody)
        contexts = [node for node in self._implicit if not isinstance(node, ast.Lambda)]
        return self._reach([*(self._mentions(blocks) if blocks else []), *contexts])

    def may_run_while_handling(self, function: Function) -> bool:
        """Whether the program may call a function while an exception is being handled."""
        return function in self._while_handling

    def in_loop(self, function: Function) -> bool:
        """Whether the program may call a function in a loop of its own, or once an element."""
        return function in self._repeated

    @cached_property
    def _repeated(self) -> set[_Node]:
        loops = (
            ast.For,
            ast.AsyncFor,
            ast.While,
            ast.Lambda,
            ast.ListComp,
            ast.SetComp,
            ast.DictComp,
        )
        parts = [
            node
            for node in ast.walk(self._source.tree)
            if isinstance(node, (*loops, ast.GeneratorExp))
        ]
        start = self._mentions(parts) if parts else []
        return self._reach([*start, *self._escaping, *self._recursive])


def _parts(node: _Node) -> list[ast.AST]:
    return [node.body] if isinstance(node, ast.Lambda) else [*node.body]


def _halves(node: _Node) -> bool:
    """Whether a function calls itself for the two halves of its rounds, as S11 writes it.

    It is as deep as the logarithm of its rounds: not worth being called recursive.
    """
    if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 1:
        return False
    level = node.args.args[0].arg
    half = f"{node.name}({level} - 1)"
    start = ast.parse(f"if {level} > 0:\n    return {half} and {half}").body[0]
    code = [part for part in node.body if not (isinstance(part, ast.Nonlocal) or is_remark(part))]
    others = (part for statement in code[1:] for part in ast.walk(statement))
    again = any(isinstance(part, ast.Name) and part.id == node.name for part in others)
    return bool(code) and not again and ast.dump(code[0]) == ast.dump(start)


def calls_of(view: View) -> Calls:
    """The calls of a view's program, found at the first call."""
    return view.shared(Calls)
