"""Does a program run text as code? An input to it could be code, and no value."""

from __future__ import annotations

import ast

from pytest_benchmac.evolve.program import Program

_RUNNING = frozenset({"eval", "exec", "compile"})


def runs_text(program: Program) -> bool:
    """Is `eval`, `exec` or `compile` named in one of its files?

    By whatever name stands for it: of its own, of a module or object (but `re.compile`), of an
    import, or in a text, as for `getattr`.
    """
    texts = (program.main, *program.modules.values())
    return any(_names_one(node) for text in texts for node in ast.walk(ast.parse(text)))


def _names_one(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="re"), attr="compile"):
            return False
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=name):
            return name in _RUNNING
        case ast.ImportFrom(module=module, names=names) if module != "re":
            return any(alias.name in _RUNNING for alias in names)
    return False
