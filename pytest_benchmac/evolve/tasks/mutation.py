"""Faults for programs: five mutation operators, at statements that two versions share.

A place is an expression of a simple statement, or of the head of a compound one, whose text stands
exactly once in each version. So the same fault can be put into both, however much evolution wrote
around it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

#: The most faults at a time.
MAX_ORDER = 3

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_TYPES = ("int", "float", "str", "list", "set")
_HEADS = (ast.If, ast.While, ast.For)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.Assert)

Mutate: TypeAlias = Callable[[ast.expr], Iterator[ast.expr]]


@dataclass(frozen=True)
class Fault:
    """One change of one expression."""

    #: Of `OPERATORS`.
    operator: str
    #: Text of the statement or head, in which its expressions are counted.
    statement: str
    #: Which of its expressions, in the order of `ast.walk`.
    expression: int
    #: The text that takes its place.
    text: str


def arithmetic(node: ast.expr) -> Iterator[ast.expr]:
    """Another operation on two numbers."""
    if isinstance(node, ast.BinOp) and (other := _ARITHMETIC.get(type(node.op))):
        yield ast.BinOp(node.left, other(), node.right)


def comparison(node: ast.expr) -> Iterator[ast.expr]:
    """A bound moved by one, or a comparison turned round."""
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            if other := _COMPARISON.get(type(old)):
                changed = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield ast.Compare(node.left, changed, node.comparators)


def logic(node: ast.expr) -> Iterator[ast.expr]:
    """`and` for `or`, and the other way round."""
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def reversed_boolean(node: ast.expr) -> Iterator[ast.expr]:
    """`True` for `False`, and the other way round; a `not` taken away."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def variable_type(node: ast.expr) -> Iterator[ast.expr]:
    """A variable converted to another type, or an integer written as a float or a text."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for name in _TYPES:
            yield ast.Call(ast.Name(name, ast.Load()), [node], [])
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(float(node.value))
        yield ast.Constant(str(node.value))


#: The paper's five, by name.
OPERATORS: dict[str, Mutate] = {
    "arithmetic": arithmetic,
    "comparison": comparison,
    "logic": logic,
    "reversed boolean": reversed_boolean,
    "variable type": variable_type,
}


def shared_faults(one: str, other: str) -> list[Fault]:
    """Every single fault that can be put into both versions of a program, by operator and place."""
    both = _once(one) & _once(other)
    found: dict[Fault, None] = {}
    for statement, root in _statements(ast.parse(one)):
        if statement not in both:
            continue
        called = {id(node.func) for node in ast.walk(root) if isinstance(node, ast.Call)}
        for number, node in enumerate(_expressions(root)):
            if id(node) in called:
                continue
            for name, mutate in OPERATORS.items():
                for changed in mutate(node):
                    text = ast.unparse(ast.fix_missing_locations(changed))
                    found.setdefault(Fault(name, statement, number, text))
    return list(found)


def draw(faults: Sequence[Fault], random: Random, count: int) -> list[tuple[Fault, ...]]:
    """So many mutants as sets of one to three faults in different statements; fewer if few are.

    Each operator has the same chance, however many places it has.
    """
    by_operator: dict[str, list[Fault]] = {}
    for fault in faults:
        by_operator.setdefault(fault.operator, []).append(fault)
    drawn: dict[frozenset[Fault], tuple[Fault, ...]] = {}
    for _ in range(count * 4):
        if len(drawn) == count or not by_operator:
            break
        order = random.randint(1, MAX_ORDER)
        chosen: dict[str, Fault] = {}
        for _ in range(order):
            fault = random.choice(by_operator[random.choice(list(by_operator))])
            chosen.setdefault(fault.statement, fault)
        drawn.setdefault(frozenset(chosen.values()), tuple(chosen.values()))
    return list(drawn.values())


def mutated(text: str, faults: Sequence[Fault]) -> str:
    """A version with faults in it, its other text as it is.

    Raises:
        ValueError: a fault's statement is not there exactly once.
    """
    edits = []
    for fault in faults:
        roots = [root for name, root in _statements(ast.parse(text)) if name == fault.statement]
        if len(roots) != 1:
            raise ValueError(f"{len(roots)} statements are {fault.statement!r}")
        nodes = list(_expressions(roots[0]))
        node = nodes[fault.expression]
        inner = any(
            node is child
            for parent in ast.walk(roots[0])
            if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp)
            for child in ast.iter_child_nodes(parent)
        )
        bare = isinstance(node, ast.Name | ast.Constant)
        edits.append((_span(text, node), f"({fault.text})" if inner and not bare else fault.text))
    content = text.encode()
    for (start, end), new in sorted(edits, reverse=True):
        content = content[:start] + new.encode() + content[end:]
    return content.decode()


def _once(text: str) -> set[str]:
    counts = Counter(name for name, _ in _statements(ast.parse(text)))
    return {name for name, count in counts.items() if count == 1}


def _statements(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Simple statements, and heads of compound ones, with a text that stands for each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While):
            yield f"{type(node).__name__} {ast.unparse(node.test)}", node.test
        elif isinstance(node, ast.For):
            yield f"For {ast.unparse(node.target)} in {ast.unparse(node.iter)}", node.iter
        elif isinstance(node, _SIMPLE) and not _is_documentation(node):
            yield ast.unparse(node), node


def _is_documentation(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _expressions(root: ast.AST) -> Iterator[ast.expr]:
    """Its expressions, but for those in annotations and in f-strings, whose places are inexact."""
    left_out: set[int] = set()
    for node in ast.walk(root):
        hidden: list[ast.AST] = []
        if isinstance(node, ast.JoinedStr):
            hidden = [node]
        elif isinstance(node, ast.AnnAssign):
            hidden = [node.annotation]
        for each in hidden:
            left_out |= {id(inside) for inside in ast.walk(each)}
        if isinstance(node, ast.expr) and id(node) not in left_out:
            yield node


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    """Where an expression stands, in bytes."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end_column
