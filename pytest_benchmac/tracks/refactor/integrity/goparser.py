"""Reads one Go file with tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import tree_sitter
import tree_sitter_go

from pytest_benchmac.foreign.syntax import Node, text_of, walk
from pytest_benchmac.tracks.refactor.integrity.told import facts_of, told_test

_IDENTIFIERS = frozenset("identifier field_identifier type_identifier package_identifier".split())
_TEST = re.compile(r"Test(?![a-z])")
_ASSERTION = re.compile(r"(?i:assert|require|expect|verify)")
#: Of `testing.T`: what fails a test, and what skips it.
_FAILS, _SKIPS = re.compile(r"(?:Error|Fatal|Fail)"), re.compile(r"Skip")
#: Of what is more than a constant.
_VARYING = frozenset({"identifier", "call_expression", "selector_expression"})


def read_go(path: str, content: bytes) -> dict[str, Any]:
    """What `sources.Source` says of it."""
    language = tree_sitter.Language(tree_sitter_go.language())
    root = tree_sitter.Parser(language).parse(content).root_node
    nodes = list(walk(root))
    literals = (
        text_of(node).strip('"`')
        for node in nodes
        if node.type in ("interpreted_string_literal", "raw_string_literal")
    )
    # `go test` looks at no other files.
    tests = list(_tests(root)) if path.endswith("_test.go") else []
    return facts_of(_words(nodes), "go", literals, tests, error=root.has_error)


def _words(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type in _IDENTIFIERS:
            yield text_of(node)
        elif node.type == "import_spec":
            path = text_of(node.child_by_field_name("path")).strip('"`')
            yield from ("cgo",) if path == "C" else path.split("/")
        elif node.type == "comment" and (directive := re.match(r"//go:(\w+)", text_of(node))):
            yield directive[1]


def _tests(root: Node) -> Iterator[dict[str, Any]]:
    for node in root.named_children:
        name = text_of(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        if node.type != "function_declaration" or body is None or not _TEST.match(name):
            continue
        given = {
            text_of(each.child_by_field_name("name"))
            for each in walk(node)
            if each.type == "parameter_declaration"
            and text_of(each.child_by_field_name("type")).startswith(("*testing.", "testing."))
        }
        calls = [each for each in walk(body) if each.type == "call_expression"]
        yield told_test(
            name,
            text_of(body),
            sum(_asserts(call, body, given) for call in calls),
            skipped=any(_calls(call, given, _SKIPS) for call in calls),
        )


def _calls(call: Node, operands: set[str], names: re.Pattern[str]) -> bool:
    """Is it a call of a method of one of these names, of one of these variables?"""
    called = call.child_by_field_name("function")
    if called is None or called.type != "selector_expression":
        return False
    if text_of(called.child_by_field_name("operand")) not in operands:
        return False
    return names.match(text_of(called.child_by_field_name("field"))) is not None


def _asserts(call: Node, body: Node, given: set[str]) -> bool:
    """Does it fail the test, on a condition that is more than constants?"""
    if _calls(call, given, _FAILS):
        at = call.parent
        while at is not None and at.id != body.id:
            if at.type == "if_statement":
                return _varies(at.child_by_field_name("condition"), set())
            at = at.parent
        return True
    called = text_of(call.child_by_field_name("function")).partition("(")[0]
    if not any(_ASSERTION.match(part) for part in called.split(".")):
        return False
    arguments = call.child_by_field_name("arguments")
    return any(_varies(each, given) for each in (arguments.named_children if arguments else ()))


def _varies(node: Node | None, constant: set[str]) -> bool:
    if node is None or text_of(node) in constant:
        return False
    return any(each.type in _VARYING for each in walk(node))
