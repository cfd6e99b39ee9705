"""S8: a function gets a decorator that calls it as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes, statement
from pytest_benchmac.evolve.operators.calls import calls_of
from pytest_benchmac.evolve.operators.scopes import Function
from pytest_benchmac.evolve.operators.source import Source, source_of
from pytest_benchmac.evolve.program import Program

_IMPORT = "import functools"
_DECORATORS = (
    '''\
def {name}(function):
    """Pass calls on to the function."""

    @functools.wraps(function)
    def wrapper(*arguments, **options):
        return function(*arguments, **options)

    return wrapper
''',
    '''\
def {name}(function):
    """Keep the function behind a wrapper of the same name."""

    @functools.wraps(function)
    def wrapper(*arguments, **options):
        answer = function(*arguments, **options)
        return answer

    return wrapper
''',
)
_NAMES = ("passes_on", "keeps_name")
_UNDER = frozenset({"staticmethod", "classmethod", "property"})


class IntroduceDecorator(Operator):
    """A function is decorated, nearest to it, by a wrapper that `functools.wraps` describes."""

    code = "S8"
    name = "IntroduceDecorator"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Functions of the module and methods, that neither recurse nor reach one that does.

        No generators and coroutines, which would be seen to be none, no special methods, no
        defaults, which a wrapper does not have, and no other decorators than those of methods,
        which take a wrapper for what it wraps.
        """
        source = source_of(view)
        if not source.plain or source.drops_matter or not source.can_import(_IMPORT):
            return ()
        return [node for node in _functions(view) if _may_be(view, source, node)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """A decorator that the program already has serves again."""
        source = source_of(view)
        function = cst.ensure_type(site, cst.FunctionDef)
        number = random.randrange(len(_DECORATORS))
        name, new = _NAMES[number], True
        ours = ast.parse(_DECORATORS[number].format(name=name)).body[0]
        if any(ast.dump(node) == ast.dump(ours) for node in source.tree.body):
            new = False
        else:
            name = source.fresh(name)
        if name in _named(function):
            name, new = source.fresh(name), True
        decorator = cst.Decorator(cst.Name(name))
        changed = function.with_changes(decorators=[*function.decorators, decorator])
        made = [statement(_DECORATORS[number].format(name=name))] if new else []
        return Changes({site: changed}, new=made, imports=[_IMPORT]).apply(view)


def is_ours(tree: ast.stmt) -> bool:
    """Whether a function is a decorator that this operator wrote."""
    if not isinstance(tree, ast.FunctionDef):
        return False
    texts = (text.format(name=tree.name) for text in _DECORATORS)
    return any(ast.dump(ast.parse(text).body[0]) == ast.dump(tree) for text in texts)


def _named(function: cst.FunctionDef) -> set[str]:
    names = (decorator.decorator for decorator in function.decorators)
    return {name.value for name in names if isinstance(name, cst.Name)}


def _functions(view: View) -> Iterator[cst.FunctionDef]:
    """Functions of the module, and methods of its classes."""
    for node in view.module.body:
        inside = node.body.body if isinstance(node, cst.ClassDef) else [node]
        yield from (part for part in inside if isinstance(part, cst.FunctionDef))


def _may_be(view: View, source: Source, node: cst.FunctionDef) -> bool:
    tree = source.function(node)
    scope = source.scope(node)
    ours = {part.name for part in source.tree.body if isinstance(part, Function) and is_ours(part)}
    allowed = {name for name in _UNDER if source.is_builtin(name)} | ours
    return (
        not scope.is_async
        and not scope.is_generator
        and not tree.name.startswith("__")
        and not tree.args.defaults
        and not any(tree.args.kw_defaults)
        and tree.name not in ours
        and all(isinstance(part, ast.Name) and part.id in allowed for part in tree.decorator_list)
        and not calls_of(view).may_recurse(tree)
    )
