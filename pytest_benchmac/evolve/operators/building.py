"""Making LibCST trees: statements out of text, put in the place of others."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.source import Statement
from pytest_benchmac.evolve.program import Program

_Bodies = cst.SimpleStatementLine | cst.BaseCompoundStatement
Instead = cst.CSTNode | Sequence[Statement]


def statements(text: str) -> list[Statement]:
    """Statements out of text, indented by four blanks."""
    return [node for node in cst.parse_module(text).body if isinstance(node, _Bodies)]


def statement(text: str) -> Statement:
    """One statement out of text."""
    (only,) = statements(text)
    return only


def wrapped(
    header: str, node: Statement, *behind: Statement, before: Sequence[Statement] = ()
) -> Statement:
    """A compound statement `header` around a statement, others before and behind it in the block.

    Comments above the statement come to stand above the whole.
    """
    compound = statement(f"{header}\n    pass\n")
    inner = node.with_changes(leading_lines=())
    return compound.with_changes(
        body=cst.IndentedBlock(body=[*before, inner, *behind]), leading_lines=node.leading_lines
    )


def apart(node: Statement, lines: int = 2) -> Statement:
    """A statement with blank lines above it."""
    return node.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * lines)


@dataclass
class Changes:
    """What becomes of a module's nodes."""

    #: Node -> what stands in its place: an expression, or statements.
    instead: Mapping[cst.CSTNode, Instead] = field(default_factory=dict)
    #: Statements new at the top level, above this node of it; without one, below the imports.
    above: cst.CSTNode | None = None
    new: Sequence[Statement] = ()
    #: Lines such as `import numpy` that the program needs at its top.
    imports: Sequence[str] = ()
    #: Modules whose imports those lines stand below.
    below: Collection[str] = ()

    def apply(self, view: View) -> Program:
        """The view's program, changed."""
        instead = dict(self.instead)
        above = self.above
        module = view.module.visit(_Replace(instead, above, self.new))
        if not isinstance(module, cst.Module):
            raise TypeError("a module is replaced by no module")
        if self.new and above is None:
            place = _after_imports(module.body)
            following = module.body[place:]
            if following and isinstance(following[0], _Bodies):
                spaced = _at_least(following[0], 2)
                following = [spaced, *following[1:]]
            module = module.with_changes(
                body=[*module.body[:place], *map(apart, self.new), *following]
            )
        for line in self.imports:
            module = _with_import(module, line, self.below)
        return view.program.with_main(module.code)


def _at_least(node: Statement, lines: int) -> Statement:
    blank = 0
    for line in node.leading_lines:
        if line.comment is not None:
            break
        blank += 1
    missing = [cst.EmptyLine(indent=False)] * max(lines - blank, 0)
    return node.with_changes(leading_lines=[*missing, *node.leading_lines])


class _Replace(cst.CSTTransformer):
    def __init__(
        self,
        instead: Mapping[cst.CSTNode, Instead],
        above: cst.CSTNode | None,
        new: Sequence[Statement],
    ) -> None:
        super().__init__()
        self._instead = instead
        self._above = above
        self._new = new

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[cst.CSTNode]:
        """What stands in the place of a node."""
        given = self._instead.get(original_node, updated_node)
        nodes = [given] if isinstance(given, cst.CSTNode) else [*given]
        if original_node is self._above:
            first, *rest = nodes
            if not isinstance(first, _Bodies):
                raise TypeError("new functions stand above statements")
            nodes = [*map(apart, self._new), _at_least(first, 2), *rest]
        return nodes[0] if len(nodes) == 1 else cst.FlattenSentinel(nodes)


def _text_of(node: cst.CSTNode) -> str:
    bare = node.with_changes(leading_lines=()) if isinstance(node, _Bodies) else node
    return cst.Module(body=[]).code_for_node(bare).partition("#")[0].strip()


def _is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and all(
        isinstance(part, (cst.Import, cst.ImportFrom)) for part in node.body
    )


def _is_head(node: cst.CSTNode) -> bool:
    """Whether nothing may stand above: the module's docstring, imports of the future."""
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    match node.body[0]:
        case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()):
            return True
        case cst.ImportFrom(module=cst.Name(value="__future__")):
            return True
    return False


def _after_head(body: Sequence[cst.CSTNode]) -> int:
    place = 0
    while place < len(body) and _is_head(body[place]):
        place += 1
    return place


def _after_imports(body: Sequence[cst.CSTNode]) -> int:
    place = _after_head(body)
    while place < len(body) and _is_import(body[place]):
        place += 1
    return place


def _module_of(line: str) -> str:
    (node,) = ast.parse(line).body
    name = node.module if isinstance(node, ast.ImportFrom) else vars(node)["names"][0].name
    return str(name).partition(".")[0]


def _imports_any(node: cst.CSTNode, modules: Collection[str]) -> bool:
    return any(
        name.partition(".")[0] in modules
        for part in ast.parse(_text_of(node)).body
        for name in (
            [part.module or ""]
            if isinstance(part, ast.ImportFrom)
            else [alias.name for alias in vars(part)["names"]]
        )
    )


def _with_import(module: cst.Module, line: str, below: Collection[str]) -> cst.Module:
    body = list(module.body)
    start, end = _after_head(body), _after_imports(body)
    if any(_text_of(node) == line for node in body[start:end]):
        return module
    place = start
    if _module_of(line) not in sys.stdlib_module_names:
        # Below the standard library's, above what lies beside the program.
        while place < end and _module_of(_text_of(body[place])) in sys.stdlib_module_names:
            place += 1
    for number in range(place, end):
        if _imports_any(body[number], below):
            place = number + 1
    new = statement(line)
    body.insert(place, apart(new, 1) if place == start > 0 else new)
    following = body[place + 1] if place + 1 < len(body) else new
    if isinstance(following, cst.SimpleStatementLine) and _is_import(following):
        remarks = [line for line in following.leading_lines if line.comment is not None]
        body[place + 1] = following.with_changes(leading_lines=remarks)
    elif isinstance(following, _Bodies):
        body[place + 1] = _at_least(following, 2)
    return module.with_changes(body=body)


def operand(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that may stand beside any operator: in parentheses, unless it needs none."""
    atoms = (cst.Name, cst.Integer, cst.Float, cst.Attribute, cst.Subscript, cst.Call)
    texts = (cst.SimpleString, cst.FormattedString, cst.List, cst.Dict, cst.ListComp)
    if node.lpar or isinstance(node, (*atoms, *texts)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def as_argument(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that may be one of several arguments: a generator in parentheses."""
    if isinstance(node, cst.GeneratorExp) and not node.lpar:
        return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return node
