"""R1 to R13: how much a reader has to take in (table 2 of the paper).

Pure functions. Counts are summed over a program's files, depths and lengths are the largest.
Comments and docstrings are for readers: they count nowhere.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType, UnionType

from pytest_benchmac.evolve.metrics.source import File, FunctionNode, Loop, Source, is_elif

_COMPOUND = frozenset(
    {
        *("bytearray", "dict", "frozenset", "list", "set", "sorted", "tuple"),
        *("Counter", "OrderedDict", "defaultdict", "deque"),
    }
)
_CASTS = frozenset(
    {
        *("bool", "bytes", "complex", "float", "int", "str"),
        *("bytearray", "dict", "frozenset", "list", "set", "tuple"),
    }
)


def r1(source: Source) -> int:
    """Tokens: names, keywords, numbers, texts, operators and brackets."""
    return sum(len(file.tokens) for file in source.files)


def r2(source: Source) -> int:
    """Lines of code: lines that a token begins on."""
    return sum(len({token.line for token in file.tokens}) for file in source.files)


def r3(source: Source) -> int:
    """Primitive variables: names that are bound and not compound; see `r4`.

    A name counts once in each function, class or module that binds it by an assignment, `for`,
    `with`, `except`, a pattern or a comprehension. Parameters are none, nor are imports.
    """
    return sum(len(_variables(file)) for file in source.files) - r4(source)


def r4(source: Source) -> int:
    """Compound variables: names that are assigned a value that holds others, somewhere.

    That is a display or comprehension of a list, tuple, set or dictionary, or a call of what makes
    one: `list`, `dict`, `set`, `frozenset`, `tuple`, `bytearray`, `sorted`, `deque`,
    `defaultdict`, `Counter`, `OrderedDict`.
    """
    return sum(any(kinds) for file in source.files for kinds in _variables(file).values())


def _variables(file: File) -> Mapping[tuple[ast.AST, str], list[bool]]:
    """Where a name is bound and the name -> for each time, whether to a compound value."""
    found: dict[tuple[ast.AST, str], list[bool]] = {}
    for scope, node in _in_scopes(file.tree, file.tree):
        for name, value in _bound(node):
            found.setdefault((scope, name), []).append(value is not None and _compound(value))
    return found


def _in_scopes(node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    inner = node if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda) else scope
    for child in ast.iter_child_nodes(node):
        yield inner, child
        yield from _in_scopes(child, inner)


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names that a node binds, with the value where it is written there."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name, None
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.ExceptHandler(name=str(name)):
            yield name, None
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, None


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """`a, b = [], 0` binds each name to a value that is written there."""
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ((ast.Tuple() | ast.List()), (ast.Tuple() | ast.List())):
            if len(target.elts) == len(value.elts):
                for each, part in zip(target.elts, value.elts, strict=True):
                    yield from _pairs(each, part)


def _compound(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            return True
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in _COMPOUND
    return False


def r5(source: Source) -> int:
    """Operators: arithmetic, bitwise, of comparison and logic, and augmented assignments.

    `a and b and c` has two, as `a < b < c` has.
    """
    return sum(_operators(node) for node in source.nodes)


def _operators(node: ast.AST) -> int:
    match node:
        case ast.BinOp() | ast.UnaryOp() | ast.AugAssign():
            return 1
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.Compare():
            return len(node.ops)
    return 0


def r6(source: Source) -> int:
    """Ifs: `if` and `elif`, conditional expressions, and the `if`s of comprehensions."""
    statements = sum(isinstance(node, ast.If | ast.IfExp) for node in source.nodes)
    return statements + sum(
        len(node.ifs) for node in source.nodes if isinstance(node, ast.comprehension)
    )


def r7(source: Source) -> int:
    """Loops: `for` and `while` statements, and each `for` of a comprehension."""
    return sum(isinstance(node, Loop | ast.comprehension) for node in source.nodes)


def r8(source: Source) -> int:
    """Assignments: plain, augmented, annotated ones with a value, and `:=`."""
    kinds = ast.Assign | ast.AugAssign | ast.NamedExpr
    return sum(
        isinstance(node, kinds) or (isinstance(node, ast.AnnAssign) and node.value is not None)
        for node in source.nodes
    )


def r9(source: Source) -> int:
    """The deepest nesting of loops: a `for` or `while` in no other is 1; functions begin anew."""
    return max(_deepest(file.tree, Loop) for file in source.files)


def r10(source: Source) -> int:
    """The deepest nesting of `if` statements: one in no other is 1; functions begin anew.

    An `elif` is as deep as its `if`.
    """
    return max(_deepest(file.tree, ast.If) for file in source.files)


def _deepest(node: ast.AST, kind: type | UnionType, depth: int = 0) -> int:
    if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
        depth = 0
    depth += isinstance(node, kind)
    deepest = depth
    for child in ast.iter_child_nodes(node):
        deepest = max(deepest, _deepest(child, kind, depth - is_elif(node, child)))
    return deepest


def r11(source: Source) -> int:
    """The most tokens that begin on one line; see `r1`."""
    lines = (
        count for file in source.files for count in Counter(t.line for t in file.tokens).values()
    )
    return max(lines, default=0)


def r12(source: Source) -> int:
    """Statements with a cast in the arguments of another, such as `int(str(n))`.

    Casts are calls of the built-in types. A compound statement has what stands in its header.
    """
    return sum(
        any(_nested_cast(part) for part in _expressions(node))
        for node in source.nodes
        if isinstance(node, ast.stmt)
    )


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of statements in it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(child, ast.stmt):
                yield child
                waiting.append(child)


def _nested_cast(node: ast.AST) -> bool:
    return _is_cast(node) and any(
        _is_cast(inner) for child in ast.iter_child_nodes(node) for inner in ast.walk(child)
    )


def _is_cast(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CASTS


def r13(source: Source) -> float:
    """Entropy of the tokens in bits: the sum of -p log2 p over different ones; see `r1`."""
    counts = Counter(token.text for file in source.files for token in file.tokens)
    total = counts.total()
    return -sum(n / total * math.log2(n / total) for n in counts.values()) + 0.0


READABILITY: Mapping[str, Callable[[Source], float]] = MappingProxyType(
    {
        f"R{number}": metric
        for number, metric in enumerate(
            (r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13), start=1
        )
    }
)
