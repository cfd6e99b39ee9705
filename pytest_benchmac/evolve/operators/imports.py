"""Names out of libraries at the top of a program: which it may use, and where their import goes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.scopes import bindings
from pytest_benchmac.evolve.operators.source import source_of

#: Of a line of imports, in columns.
_WIDEST = 88


class Names:
    """What libraries' names are called in a program; made once for a view by `names_of`."""

    def __init__(self, view: View) -> None:
        self._source = source_of(view)
        self._bindings: dict[str, list[ast.AST]] = {}
        for node in ast.walk(self._source.tree):
            bound = {node.arg} if isinstance(node, ast.arg) else bindings(node)
            if isinstance(node, ast.Global | ast.Nonlocal):
                bound = set(node.names)
            for name in bound:
                self._bindings.setdefault(name, []).append(node)

    def local(self, module: str, name: str) -> str | None:
        """What a name of a library is called, once `with_import` was there.

        None where the program's own files hide the library.
        """
        root = module.partition(".")[0]
        if root in self._source.files:
            return None
        for candidate in (name, f"{root}_{name}", f"{name}_of_{root}"):
            found = self._bindings.get(candidate, [])
            if found and all(_imports(node, module, name, candidate) for node in found):
                return candidate
            if not found and candidate not in self._source.taken:
                return candidate
        return None


def names_of(view: View) -> Names:
    """The names of a view's program, found at the first call."""
    return view.shared(Names)


def _imports(node: ast.AST, module: str, name: str, local: str) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and node.level == 0
        and node.module == module
        and all(alias.name == name for alias in node.names if (alias.asname or alias.name) == local)
    )


def head_of(body: Sequence[ast.stmt]) -> int:
    """How many statements nothing may stand above: the docstring, imports of the future."""
    count = 0
    for node in body:
        match node:
            case ast.Expr(value=ast.Constant(value=str())) if count == 0:
                count += 1
            case ast.ImportFrom(module="__future__"):
                count += 1
            case _:
                break
    return count


def with_import(text: str, module: str, name: str, local: str) -> str:
    """A program that imports a name of a library at its top, if it did not before.

    The standard library's stand above others, names of one module in one line.
    """
    body = ast.parse(text).body
    head = head_of(body)
    block: list[ast.Import | ast.ImportFrom] = []
    for node in body[head:]:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            break
        block.append(node)
    lines = text.split("\n")
    added = name if local == name else f"{name} as {local}"
    for node in block:
        if isinstance(node, ast.ImportFrom) and node.module == module and node.level == 0:
            if any((alias.asname or alias.name) == local for alias in node.names):
                return text
            line = lines[node.lineno - 1]
            names = sorted([*map(ast.unparse, node.names), added], key=str.lower)
            merged = f"from {module} import {', '.join(names)}"
            if line == ast.unparse(node) and len(merged) <= _WIDEST:
                lines[node.lineno - 1] = merged
                return "\n".join(lines)
    above = [node for node in block if _group(_root(node)) <= _group(module)]
    before: ast.stmt | None = above[-1] if above else body[head - 1] if head else None
    place = (before.end_lineno or 0) if before else _comments(lines)
    rest = lines[place:]
    blank = next((number for number, line in enumerate(rest) if line.strip()), len(rest))
    following = rest[blank:]
    gap: list[str] = []
    if not block or (above and block[-1] is above[-1]):
        least = 2 if following and following[0].startswith(("def ", "class ", "@", "async ")) else 1
        gap = [""] * max(least, blank) if following else []
    else:
        gap = [""] * blank
    start = [""] if before and not above else []
    new = f"from {module} import {added}"
    return "\n".join([*lines[:place], *start, new, *gap, *(following or [""])])


def _comments(lines: Sequence[str]) -> int:
    """Lines of remarks at the very top: an interpreter's or an encoding's stay there."""
    count = 0
    while count < len(lines) and lines[count].startswith("#"):
        count += 1
    return count


def _root(node: ast.Import | ast.ImportFrom) -> str:
    name = (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
    return "." * getattr(node, "level", 0) + name


def _group(module: str) -> int:
    return 0 if module.partition(".")[0] in sys.stdlib_module_names else 1
