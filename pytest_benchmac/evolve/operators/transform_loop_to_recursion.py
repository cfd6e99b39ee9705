"""S11: a loop becomes a function that calls itself, as deep as the logarithm of its rounds."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.building import Changes, statement, statements
from pytest_benchmac.evolve.operators.calls import calls_of
from pytest_benchmac.evolve.operators.flow import Flow, scope_reads
from pytest_benchmac.evolve.operators.places import Place, goes_on, leaves, places_of
from pytest_benchmac.evolve.operators.scopes import mentioned, stored
from pytest_benchmac.evolve.operators.source import Source, Statement, source_of
from pytest_benchmac.evolve.program import Program

#: Nobody waits for more than 2 ** 63 rounds.
_LEVELS = 63


@dataclass(frozen=True)
class _Loop:
    """A loop that can be written as recursion."""

    place: Place
    tree: ast.For | ast.While
    #: Its names that the function has, too.
    nonlocals: Sequence[str]


class TransformLoopToRecursion(Operator):
    """A round is a call of level 0; a call of a level is two of the level below."""

    code = "S11"
    name = "TransformLoopToRecursion"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Outermost loops of functions, whose body neither leaves the function nor recurses.

        No `else`, `return`, `yield` or `await` in it; what its rounds bind is known to no function
        inside, and is either bound outside, too, or of no use beyond its round; what they read
        has a value.
        """
        return [loop.place.node for loop in view.shared(_loops)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The iterator is the loop's own, asked for one element at a time."""
        loop = next((loop for loop in view.shared(_loops) if loop.place.node is site), None)
        if loop is None:
            raise DoesNotApplyError("no loop that can be a recursion")
        return Changes({site: _written(source_of(view), loop)}).apply(view)


def _loops(view: View) -> Sequence[_Loop]:
    source = source_of(view)
    needed = ("range", "iter", "next", "object")
    if not source.plain or source.drops_matter or not all(map(source.is_builtin, needed)):
        return ()
    found = (_loop(view, source, place) for place in places_of(view))
    return [loop for loop in found if loop is not None]


def _loop(view: View, source: Source, place: Place) -> _Loop | None:
    tree = place.trees[0]
    function = place.around.function
    if not isinstance(tree, ast.For | ast.While) or tree.orelse or place.around.loops:
        return None
    if function is None or isinstance(getattr(place.node, "body", None), cst.SimpleStatementSuite):
        return None
    if isinstance(tree, ast.For) and not _is_plain_target(tree.target):
        return None
    parts = [*tree.body, *([tree.test] if isinstance(tree, ast.While) else [])]
    if leaves(parts) or calls_of(view).may_recurse(*parts, source.function(function)):
        return None
    names = mentioned([tree])
    bound = stored([*parts, *([tree.target] if isinstance(tree, ast.For) else [])])
    scope = source.scope(function)
    if names & (scope.untracked | {"super", "__class__"}):
        return None
    if bound & (scope.captured | scope.declared | scope.rebound):
        return None
    refused = (ast.Import, ast.ImportFrom, ast.Global, ast.ClassDef)
    if any(isinstance(part, refused) for part in ast.walk(tree)):
        return None
    outside = [part for statement in scope.body for part in _without(statement, tree)]
    nonlocals = bound & (stored(outside) | scope.parameters)
    own = bound - nonlocals
    read_outside = scope_reads(outside)
    flow = Flow(scope)
    start = stored([tree.target]) if isinstance(tree, ast.For) else set()
    if isinstance(tree, ast.While):
        flow.run([ast.Expr(tree.test)], frozenset())
    flow.run(tree.body, frozenset(start))
    if own & (read_outside | flow.exposed) or not flow.exposed <= place.bound:
        return None
    return _Loop(place, tree, sorted(nonlocals))


def _is_plain_target(target: ast.expr) -> bool:
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return all(isinstance(part, ast.Name) for part in parts)


def _without(node: ast.AST, left_out: ast.stmt) -> list[ast.AST]:
    """The largest parts of a tree that have nothing of another tree in it."""
    if node is left_out:
        return []
    if all(part is not left_out for part in ast.walk(node)):
        return [node]
    return [part for child in ast.iter_child_nodes(node) for part in _without(child, left_out)]


def _written(source: Source, loop: _Loop) -> list[Statement]:
    """The statements in the loop's place."""
    node, tree = loop.place.node, loop.tree
    step = source.fresh("advance", "proceed", "take_rounds")
    level = source.fresh("level", "rounds", "depth")
    head: list[Statement] = []
    before: list[Statement] = []
    after: list[Statement] = []
    if isinstance(node, cst.For):
        items = source.fresh("iterator", "source", "stream")
        missing = source.fresh("missing", "nothing", "finished")
        item = source.fresh("item", "element", "current")
        iterable = cst.Module([]).code_for_node(_bare(node.iter))
        target = cst.Module([]).code_for_node(node.target).strip()
        direct = isinstance(tree, ast.For) and isinstance(tree.target, ast.Name)
        if direct and not stored([tree.target]) & set(loop.nonlocals):  # type: ignore[union-attr]
            item = target
        else:
            after = statements(f"{target} = {item}\n")
        head = statements(f"{items} = iter({iterable})\n{missing} = object()\n")
        before = statements(
            f"{item} = next({items}, {missing})\nif {item} is {missing}:\n    return False\n"
        )
    rounds: Sequence[Statement] = _rounds(node)
    # Whether control comes to the end of a round.
    ends = statements("return True\n") if goes_on(tree.body) else []
    if isinstance(node, cst.While) and not _is_endless(tree):
        check = cst.ensure_type(statement("if x:\n    pass\n"), cst.If)
        body = cst.IndentedBlock([*rounds, *ends])
        rounds = [check.with_changes(test=node.test, body=body)]
        ends = statements("return False\n")
    shared = statements(f"nonlocal {', '.join(loop.nonlocals)}\n") if loop.nonlocals else []
    purpose = statements(f'"""Take 2 ** {level} rounds; tell whether more may follow."""\n')
    half = f"{step}({level} - 1)"
    halves = statements(f"if {level} > 0:\n    return {half} and {half}\n")
    function = cst.ensure_type(
        statement(f"def {step}({level}):\n    pass\n"), cst.FunctionDef
    ).with_changes(
        body=cst.IndentedBlock([*purpose, *shared, *halves, *before, *after, *rounds, *ends])
    )
    # Nothing that asks an iterator: it would take a StopIteration of the body for the end.
    run = statement(
        f"for {level} in range({_LEVELS}):\n    if not {step}({level}):\n        break\n"
    )
    first = head[0] if head else function
    rest = [*head[1:], function] if head else []
    return [first.with_changes(leading_lines=node.leading_lines), *rest, run]


def _rounds(node: cst.CSTNode) -> list[Statement]:
    """The loop's body, its `break` and `continue` made answers."""
    if not isinstance(node, (cst.For, cst.While)):
        raise DoesNotApplyError("no loop")
    body = cst.ensure_type(node.body.visit(_Leave()), cst.IndentedBlock).body
    return [part for part in body if isinstance(part, Statement)]


def _is_endless(tree: ast.For | ast.While) -> bool:
    return (
        isinstance(tree, ast.While)
        and isinstance(tree.test, ast.Constant)
        and tree.test.value is True
    )


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    # A tuple without parentheses needs them as an argument.
    if isinstance(node, cst.Tuple) and not node.lpar:
        return _in_parentheses(node)
    return node


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, (cst.Name, cst.Call, cst.Attribute, cst.Subscript)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


class _Leave(cst.CSTTransformer):
    """`continue` and `break` of the loop become answers: there is more, or there is not."""

    def visit_For(self, node: cst.For) -> bool:  # noqa: N802 - LibCST's name
        """Loops inside keep theirs."""
        return False

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:  # noqa: N802
        """The `else` of a loop inside is not of that loop."""
        return updated_node.with_changes(orelse=self._of_else(original_node.orelse))

    def visit_While(self, node: cst.While) -> bool:  # noqa: N802
        """Loops inside keep theirs."""
        return False

    def leave_While(  # noqa: N802
        self, original_node: cst.While, updated_node: cst.While
    ) -> cst.While:
        """The `else` of a loop inside is not of that loop."""
        return updated_node.with_changes(orelse=self._of_else(original_node.orelse))

    def _of_else(self, node: cst.Else | None) -> cst.Else | None:
        return None if node is None else cst.ensure_type(node.visit(self), cst.Else)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802
        """Functions inside are not of the loop."""
        return False

    def leave_Continue(  # noqa: N802
        self, original_node: cst.Continue, updated_node: cst.Continue
    ) -> cst.Return:
        """On to the next round."""
        return cst.Return(cst.Name("True"), semicolon=updated_node.semicolon)

    def leave_Break(  # noqa: N802
        self, original_node: cst.Break, updated_node: cst.Break
    ) -> cst.Return:
        """No more rounds."""
        return cst.Return(cst.Name("False"), semicolon=updated_node.semicolon)
