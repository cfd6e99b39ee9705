"""C1 to C7: how complex a program is (table 1 of the paper). Each is summed over its files.

Pure functions. What the paper leaves open is settled here, in the docstring of each.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from pytest_benchmac.evolve.metrics.source import FunctionNode, Loop, Source, is_elif
from pytest_benchmac.evolve.metrics.uses import Use

_COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
#: What runs a function at the same time as its caller.
_THREADS = frozenset(
    {
        "threading.Thread",
        "threading.Timer",
        "multiprocessing.Process",
        "multiprocessing.Pool",
        "multiprocessing.pool.ThreadPool",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor",
    }
)


def c1(source: Source) -> int:
    """Cyclomatic complexity: E - N + 2P of the control flow graphs.

    A part is a function, or what a file runs outside of functions; each has 1 and its decisions.
    These are `if`, `elif`, conditional expressions, loops, `except`, each `and` and `or`, each
    `for` and `if` of a comprehension, `assert`, and each case but one that takes everything.
    """
    parts = sum(1 + len(file.functions) for file in source.files)
    return parts + sum(_decisions(node) for node in source.nodes)


def _decisions(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp() | ast.Assert() | ast.ExceptHandler():
            return 1
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.match_case(guard=None, pattern=ast.MatchAs(pattern=None)):
            return 0
        case ast.match_case():
            return 1
    return 0


def c2(source: Source) -> int:
    """Operators that join predicates to a compound one.

    Each `and` and `or`, and each comparison of a chain after its first: `a < b < c` joins two.
    """
    boolean = (len(node.values) - 1 for node in source.nodes if isinstance(node, ast.BoolOp))
    chained = (len(node.ops) - 1 for node in source.nodes if isinstance(node, ast.Compare))
    return sum(boolean) + sum(chained)


def c3(source: Source) -> int:
    """Nested levels of loops and conditions: of each, how many of its function are around it.

    Loops are `for` and `while` statements, conditions `if` statements; an `elif` is as deep as its
    `if`.
    """
    return sum(sum(_levels(file.tree, 0)) for file in source.files)


def _levels(node: ast.AST, depth: int, *, elif_: bool = False) -> Iterator[int]:
    inner = depth
    if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
        inner = 0
    elif elif_:
        yield depth - 1
    elif isinstance(node, ast.If | Loop):
        yield depth
        inner = depth + 1
    for child in ast.iter_child_nodes(node):
        yield from _levels(child, inner, elif_=is_elif(node, child))


def c4(source: Source) -> int:
    """Advanced structures.

    Comprehensions and generator expressions, generator functions, lambdas, list displays that are
    values, threads and processes (and pools of them) that are made, functions that call themselves
    by name, decorators.
    """
    kinds = _COMPREHENSION | ast.Lambda
    count = sum(isinstance(node, kinds) for node in source.nodes)
    count += sum(
        isinstance(node, ast.List) and isinstance(node.ctx, ast.Load) for node in source.nodes
    )
    for file in source.files:
        count += sum(_yields(function) for function in file.functions)
        defined = (node for node in file.nodes if isinstance(node, FunctionNode | ast.ClassDef))
        count += sum(len(node.decorator_list) for node in defined)
        calls = [use for use in file.uses.uses if use.called]
        count += sum(use.imported and use.target in _THREADS for use in calls)
        count += len({use.function for use in calls if use.target == use.function})
    return count


def _yields(function: FunctionNode) -> bool:
    """It is a generator: it has a `yield` of its own."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def c5(source: Source) -> int:
    """Calls into imported libraries, the standard one included.

    Names are resolved: an alias counts, a variable that has a module's name does not. A method of
    what such a call returns counts where it is called at once.
    """
    return sum(
        use.called and use.imported and source.own_module(use.target) is None
        for use in _uses(source)
    )


def c6(source: Source) -> int:
    """Dependencies on the program's other files and classes.

    A unit is a class at the top of a file, or what the file has outside of classes. Each unit
    counts every other file, and every class of its own file, that it names, once.
    """
    found = set()
    for file in source.files:
        classes = {name for name in file.uses.classes if "." not in name}
        for use in file.uses.uses:
            unit = file.name, use.unit
            if use.imported:
                other = source.own_module(use.target)
                if other is not None:
                    found.add((unit, other))
            else:
                name = use.target.split(".")[0]
                if name in classes and name != use.unit:
                    found.add((unit, name))
    return len(found)


def c7(source: Source) -> int:
    """Calls of functions, methods and classes that are defined in the same file.

    Names are resolved: methods where they are called on `self`, on `cls` or on their class.
    """
    return sum(
        use.called
        and not use.imported
        and (use.target in file.uses.functions or use.target in file.uses.classes)
        for file in source.files
        for use in file.uses.uses
    )


def _uses(source: Source) -> Iterator[Use]:
    for file in source.files:
        yield from file.uses.uses


COMPLEXITY: Mapping[str, Callable[[Source], int]] = MappingProxyType(
    {"C1": c1, "C2": c2, "C3": c3, "C4": c4, "C5": c5, "C6": c6, "C7": c7}
)
