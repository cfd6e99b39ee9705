"""S4: a call runs in a thread, and its result or exception comes back by a queue."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes, as_argument, statement
from pytest_benchmac.evolve.operators.calls import calls_of
from pytest_benchmac.evolve.operators.expressions import own_expressions, tree_of
from pytest_benchmac.evolve.operators.introduce_decorator import is_ours
from pytest_benchmac.evolve.operators.places import Place, places_of
from pytest_benchmac.evolve.operators.scopes import Function, bindings
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

_IMPORTS = ("from concurrent.futures import ThreadPoolExecutor", "import queue")
_HELPER = '''\
def {name}(function, /, *arguments, **options):
    """Call the function in a thread, and return what it returns."""
    results = queue.SimpleQueue()
    with ThreadPoolExecutor(max_workers=1) as executor:
        results.put(executor.submit(function, *arguments, **options))
    return results.get().result()
'''
_NAME = "run_in_thread"
#: What these keep is a thread's own, or asks which thread it is.
_OF_THREADS = frozenset(
    "asyncio contextvars decimal signal sqlite3 threading _thread trio anyio curio".split()
)
#: They do nothing that another thread would do otherwise, and not only make an iterator.
_FUNCTIONS = frozenset(
    "abs all any bool dict float frozenset int len list max min ord pow round set sorted str sum"
    " tuple".split()
)


class AddThread(Operator):
    """A call of a builtin, or of a function of the program, is made by a thread of its own."""

    code = "S4"
    name = "AddThread"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Calls outside of loops, in functions that the program calls outside of loops.

        Neither the function nor the call may recurse: a thread's stack is empty. None may run
        while an exception is handled: it would not become the context of the thread's. The
        program must not use what is a thread's own.
        """
        return view.shared(_find)

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The function and its arguments are evaluated as before, the call alone is moved."""
        source = source_of(view)
        call = cst.ensure_type(site, cst.Call)
        name, helper = _helper(source)
        first = cst.Arg(call.func, comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        given = [argument.with_changes(value=as_argument(argument.value)) for argument in call.args]
        arguments = [first, *given] if given else [cst.Arg(call.func)]
        changed = call.with_changes(func=cst.Name(name), args=arguments)
        made = [statement(helper)] if helper else []
        return Changes({site: changed}, new=made, imports=_IMPORTS).apply(view)


def _helper(source: Source) -> tuple[str, str]:
    """The name of the function that makes threads, and its text if it is still missing."""
    ours = ast.dump(ast.parse(_HELPER.format(name=_NAME)).body[0])
    if any(ast.dump(node) == ours for node in source.tree.body):
        return _NAME, ""
    name = source.fresh(_NAME)
    return name, _HELPER.format(name=name)


def _find(view: View) -> Sequence[cst.Call]:
    source = source_of(view)
    _, missing = _helper(source)
    foreign = _OF_THREADS | ({"concurrent", "queue"} if missing else frozenset())
    if (
        not source.plain
        or source.drops_matter
        or source.imported & foreign
        or source.mentions("errstate", "seterr", "printoptions", "set_printoptions")
        or not all(map(source.can_import, _IMPORTS))
    ):
        return ()
    return [
        node
        for place in places_of(view)
        if _may_wait(view, source, place)
        for node in own_expressions(place)
        if isinstance(node, cst.Call) and _may_move(view, source, node)
    ]


def _may_wait(view: View, source: Source, place: Place) -> bool:
    """Whether a statement runs at most once in a call, outside of handlers."""
    function = place.around.function
    if function is None or place.around.loops or place.around.handling:
        return False
    if isinstance(place.node, cst.While):
        return False
    scope = source.scope(function)
    calls = calls_of(view)
    tree = source.function(function)
    return (
        not scope.is_async
        and not scope.is_generator
        and not calls.may_run_while_handling(tree)
        and not calls.in_loop(tree)
        and not calls.may_recurse(tree)
        and tree.name not in (_NAME, "__exit__")
    )


def _may_move(view: View, source: Source, node: cst.Call) -> bool:
    if not isinstance(node.func, cst.Name):
        return False
    tree = tree_of(view, node)
    if any(isinstance(part, ast.Await | ast.Yield | ast.YieldFrom) for part in ast.walk(tree)):
        return False
    name = node.func.value
    if source.is_builtin(name):
        return name in _FUNCTIONS
    if name == _NAME or name not in calls_of(view).plain_functions:
        return False
    defined = next(part for part in source.tree.body if name in bindings(part))
    decorators = vars(defined)["decorator_list"]
    ours = {part.name for part in source.tree.body if isinstance(part, Function) and is_ours(part)}
    return all(isinstance(part, ast.Name) and part.id in ours for part in decorators)
