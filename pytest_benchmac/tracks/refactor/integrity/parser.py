"""Reads one source file: names that evade rules, encoded literals, tests. Run as a script.

Python by its own parser, TypeScript, JavaScript, Java and Go by tree-sitter. See `sources.py`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard

import tree_sitter
import tree_sitter_java
import tree_sitter_typescript

from pytest_benchmac.foreign.parser_process import answer_request
from pytest_benchmac.foreign.syntax import Node, text_of, walk
from pytest_benchmac.tracks.refactor.integrity.goparser import read_go
from pytest_benchmac.tracks.refactor.integrity.told import facts_of, told_test

_TELLING = frozenset({"eval", "exec", "importlib", "marshal", "__import__", "__builtins__"})
#: Compile is also what makes a pattern of `re`.
_COMPILE = "compile"
_IDENTIFIERS = frozenset(
    "identifier property_identifier shorthand_property_identifier"
    " type_identifier shorthand_property_identifier_pattern"
    " private_property_identifier".split()
)
_ASSERTION = re.compile(r"(?:assert|expect|fail$|verify|should|then[A-Z]|raises|warns)")
_JAVA_TESTS = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestFactory"})
_JAVA_SKIPPED = frozenset({"Disabled", "Ignore", "DisabledIf", "EnabledIf"})
_SKIPPING = re.compile(
    r"(?:^|\.)(?:skip|skipif|skipIf|skipTest|importorskip|xfail|expectedFailure)$"
)


def extract(path: str, content: bytes) -> dict[str, Any]:
    """What `sources.Source` says of one file."""
    ending = path.rpartition(".")[2].lower()
    if ending in ("py", "pyi"):
        return _python(content)
    if ending == "java":
        return _java(content)
    if ending == "go":
        return read_go(path, content)
    language = (
        tree_sitter_typescript.language_typescript()
        if ending in ("ts", "mts", "cts")
        else tree_sitter_typescript.language_tsx()
    )
    return _typescript(content, language)


# --- Python ------------------------------------------------------------------------------------


def _python(content: bytes) -> dict[str, Any]:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = re.findall(r"[A-Za-z_]\w*", content.decode("utf-8", "replace"))
        return facts_of(words, "python", (), [], error=True)
    nodes = list(ast.walk(tree))
    literals = (
        node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )
    bodies = (
        (node.body[0].lineno, node.end_lineno or node.body[-1].lineno)
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    tests = list(_python_tests(tree))
    return facts_of(_python_words(nodes), "python", literals, tests, error=False, bodies=bodies)


def _python_words(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            of_re = isinstance(node.value, ast.Name) and node.value.id == "re"
            if not (of_re and node.attr == _COMPILE):
                yield node.attr
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if isinstance(node, ast.ImportFrom):
                yield from (node.module or "").split(".")
            for alias in node.names:
                yield from alias.name.split(".")
        elif isinstance(node, ast.Constant) and str(node.value) in _TELLING:
            # `getattr(x, "eval")`: a word that is a whole literal.
            yield str(node.value)


def _python_tests(tree: ast.Module) -> Iterator[dict[str, Any]]:
    pending: list[tuple[Sequence[ast.stmt], str, bool]] = [(tree.body, "", False)]
    while pending:
        body, prefix, skipped_outside = pending.pop()
        for node in body:
            if isinstance(node, ast.ClassDef) and not prefix.count("."):
                skipped = skipped_outside or _skips(node.decorator_list)
                pending.append((node.body, f"{prefix}{node.name}.", skipped))
            elif _is_test(node):
                skipped = skipped_outside or _skips(node.decorator_list) or _calls_skip(node)
                parts = (*node.decorator_list, *node.body)
                yield told_test(
                    f"{prefix}{node.name}",
                    "\n".join(map(ast.unparse, parts)),
                    _python_assertions(node),
                    skipped=skipped,
                )


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return node.name.startswith("test")


def _skips(decorators: Sequence[ast.expr]) -> bool:
    names = (ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in decorators)
    return any(_SKIPPING.search(name) for name in names)


def _calls_skip(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Call) and _SKIPPING.search(ast.unparse(each.func))
        for each in ast.walk(node)
    )


def _python_assertions(function: ast.AST) -> int:
    found = 0
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            found += any(isinstance(each, ast.Name | ast.Call) for each in ast.walk(node.test))
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            varying = any(
                isinstance(each, ast.Name | ast.Call)
                for argument in (*node.args, *(key.value for key in node.keywords))
                for each in ast.walk(argument)
            )
            found += bool(_ASSERTION.match(name)) and varying
    return found


# --- TypeScript, JavaScript, Java --------------------------------------------------------------


def _words(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type in _IDENTIFIERS:
            yield text_of(node)
        elif node.type in ("string_fragment", "string_literal", "template_string"):
            text = text_of(node).strip("\"'`")
            # `import "node:vm"`, `require("child_process")`, `x["eval"]`.
            yield text.removeprefix("node:")


def _literals(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type in ("string", "template_string", "string_literal"):
            yield text_of(node).strip("\"'`")


def _typescript(content: bytes, language: object) -> dict[str, Any]:
    root = tree_sitter.Parser(tree_sitter.Language(language)).parse(content).root_node
    nodes = list(walk(root))
    tests = []
    for node in nodes:
        if node.type == "call_expression":
            called = text_of(node.child_by_field_name("function"))
            head = re.split(r"[.(\s]", called, maxsplit=1)[0]
            arguments = node.child_by_field_name("arguments")
            if head in ("it", "test", "xit", "xtest", "fit") and arguments is not None:
                named = arguments.named_children
                if len(named) < 2:
                    continue
                skipped = head in ("xit", "xtest") or bool(re.search(r"\.(skip|todo)\b", called))
                skipped = skipped or bool(re.match(r"\{[^}]*\b(skip|todo)\s*:", text_of(named[1])))
                tests.append(
                    told_test(
                        text_of(named[0]),
                        text_of(named[-1]),
                        _called_assertions(named[-1]),
                        skipped=skipped or _in_skipped(node),
                    )
                )
    return facts_of(_words(nodes), "typescript", _literals(nodes), tests, error=root.has_error)


def _in_skipped(node: Node) -> bool:
    at = node.parent
    while at is not None:
        if at.type == "call_expression":
            called = text_of(at.child_by_field_name("function"))
            if re.match(r"(?:xdescribe|describe\.skip|suite\.skip|describe\.todo)\b", called):
                return True
        at = at.parent
    return False


def _called_assertions(body: Node) -> int:
    """Calls of something that asserts, with an argument that is more than a constant."""
    found = 0
    for node in walk(body):
        if node.type == "call_expression":
            called = text_of(node.child_by_field_name("function"))
            arguments = node.child_by_field_name("arguments")
        elif node.type == "method_invocation":
            called = text_of(node.child_by_field_name("name"))
            arguments = node.child_by_field_name("arguments")
        else:
            continue
        head = called.partition("(")[0]
        if arguments is None or not any(_ASSERTION.match(part) for part in head.split(".")):
            continue
        found += any(
            each.type in ("identifier", "call_expression", "method_invocation", "member_expression")
            for each in walk(arguments)
        )
    return found


def _java(content: bytes) -> dict[str, Any]:
    language = tree_sitter.Language(tree_sitter_java.language())
    root = tree_sitter.Parser(language).parse(content).root_node
    nodes = list(walk(root))
    tests = []
    for node in nodes:
        if node.type == "method_declaration":
            marks = set(_annotations(node))
            if marks & _JAVA_TESTS:
                outer = set(_outer_annotations(node))
                body = node.child_by_field_name("body")
                tests.append(
                    told_test(
                        text_of(node.child_by_field_name("name")),
                        f"{sorted(marks)}{text_of(body)}",
                        _called_assertions(body) if body is not None else 0,
                        skipped=bool((marks | outer) & _JAVA_SKIPPED),
                    )
                )
    return facts_of(_words(nodes), "java", _literals(nodes), tests, error=root.has_error)


def _annotations(node: Node) -> Iterator[str]:
    for child in node.children:
        if child.type == "modifiers":
            for each in child.children:
                if each.type in ("annotation", "marker_annotation"):
                    yield text_of(each.child_by_field_name("name")).rpartition(".")[2]


def _outer_annotations(node: Node) -> Iterator[str]:
    at = node.parent
    while at is not None:
        yield from _annotations(at)
        at = at.parent


if __name__ == "__main__":
    answer_request(extract)
