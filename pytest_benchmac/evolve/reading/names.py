"""The names of a program that its tests use."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator

#: Modules that a program of that name would stand in the way of, beside Python's own.
_TAKEN = frozenset({
    "benchmac_inside", "conftest", "coverage", "cryptography", "dateutil", "numpy", "pytest",
    "scipy", "sklearn",
})  # fmt: skip


def parsed(text: str) -> ast.Module:
    """The tree of a text.

    Raises:
        SyntaxError: it is no Python, for whatever reason.
    """
    try:
        return ast.parse(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error


def defined_names(tree: ast.Module) -> frozenset[str]:
    """Names that are bound at the top of a module."""
    return frozenset(_bound(tree.body))


def used_names(texts: Iterable[str]) -> frozenset[str]:
    """Every name in texts: of variables, attributes, imports, keywords, and words in strings.

    Raises:
        SyntaxError: a text is no Python.
    """
    names: set[str] = set()
    for text in texts:
        for node in ast.walk(parsed(text)):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                    names.add(name)
                case ast.Constant(value=str(words)):
                    names.update(re.findall(r"\w+", words))
    return frozenset(names)


def kept_names(main: str, tests: Iterable[str]) -> frozenset[str]:
    """Those at the top of a program that its tests use; all of them where they import `*`.

    Raises:
        SyntaxError: a text is no Python.
    """
    defined = defined_names(parsed(main))
    used = used_names(tests)
    if "*" in used:
        return frozenset(name for name in defined if not name.startswith("_"))
    return defined & used


def is_taken(stem: str) -> bool:
    """Would a program of that name be another module's, or none at all?"""
    return not stem.isidentifier() or stem in _TAKEN or stem in sys.stdlib_module_names


def _bound(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        match statement:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name.partition(".")[0]
            case _:
                for node in ast.walk(statement):
                    match node:
                        case ast.Name(id=name, ctx=ast.Store()):
                            yield name
                        case (
                            ast.FunctionDef(name=name)
                            | ast.AsyncFunctionDef(name=name)
                            | ast.ClassDef(name=name)
                        ):
                            yield name
                        case ast.alias(name=name, asname=other):
                            yield other or name.partition(".")[0]
