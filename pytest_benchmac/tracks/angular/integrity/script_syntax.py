"""What scripts of a page say, however they are laid out: `python -P script_syntax.py < request`.

Comments, blanks, the kind of quotes, semicolons where a statement ends anyway, and a comma behind
the last of a list say nothing. All else does, the tree of the syntax above all: a line break that
ends a statement makes another tree. Runs in a process of its own, as
`foreign/parser_process.py` says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import tree_sitter
import tree_sitter_typescript

from pytest_benchmac.foreign.parser_process import answer_request

Node = tree_sitter.Node
_COMMENTS = frozenset({"comment", "html_comment"})
#: What is compared as it is written.
_WHOLE = frozenset({"regex", "template_string"})
_BODIES = frozenset({"program", "statement_block"})
#: Values by themselves, and what is made of values alone.
_VALUES = frozenset({"string", "number", "true", "false", "null", "undefined"})
_MADE_OF_VALUES = frozenset({"array", "object", "pair"})
_NAMES_OF_PAIRS = frozenset({"property_identifier"})
#: What runs something, or may.
_RUNS = frozenset(
    {
        "call_expression",
        "new_expression",
        "import",
        "import_statement",
        "export_statement",
        "template_string",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "arrow_function",
        "method_definition",
        "class",
        "class_declaration",
        "await_expression",
        "yield_expression",
    }
)
#: For browsers these begin a comment, which the parser does not know of.
_HTML_COMMENTS = (b"<!--", b"-->")


def extract(content: bytes) -> dict[str, Any]:
    """Digests of what a script says: see `script_reading.Syntax`."""
    language = tree_sitter.Language(tree_sitter_typescript.language_typescript())
    root = tree_sitter.Parser(language).parse(content).root_node
    if root.has_error or any(mark in content for mark in _HTML_COMMENTS):
        return {}
    nodes = list(_nodes(root))
    runs = any(each.type in _RUNS for each in nodes)
    without_values = None if runs else _digest(root, _values(nodes))
    return {"syntax": _digest(root, frozenset()), "without_values": without_values}


def _nodes(root: Node) -> Iterator[Node]:
    """All nodes, each after the ones that it is in."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.children)


def _values(nodes: Sequence[Node]) -> frozenset[int]:
    """Identifiers of the nodes that are values, written out."""
    found: set[int] = set()
    for node in reversed(nodes):
        of_values = node.type in _MADE_OF_VALUES and all(
            each.id in found or each.type in _NAMES_OF_PAIRS or each.type in _COMMENTS
            for each in node.children
            if each.is_named
        )
        if node.type in _VALUES or of_values:
            found.add(node.id)
    return frozenset(found)


def _digest(root: Node, values: frozenset[int]) -> str:
    digest = hashlib.sha256()
    for token in _tokens(root, values):
        digest.update(len(token).to_bytes(4, "big") + token)
    return digest.hexdigest()


def _tokens(root: Node, values: frozenset[int]) -> Iterator[bytes]:
    """The tree as a row of brackets and words, and one word for any of the nodes that are values.

    Without recursion, whose depth is the patch's.
    """
    #: Kind and children of every node under way, and the next child.
    under_way: list[tuple[str, Sequence[Node], int]] = [(root.type, root.children, 0)]
    while under_way:
        kind, children, number = under_way.pop()
        if number == len(children):
            yield b")"
            continue
        under_way.append((kind, children, number + 1))
        if _says_nothing(kind, children, number):
            continue
        node = children[number]
        if node.id in values:
            yield b"(value)"
            continue
        yield b"(" + node.type.encode()
        if node.type != "string" and node.type not in _WHOLE and node.child_count:
            under_way.append((node.type, node.children, 0))
            continue
        yield _string(node) if node.type == "string" else node.text or b""
        yield b")"


def _says_nothing(kind: str, children: Sequence[Node], number: int) -> bool:
    """Of a node of this kind, says the child of this number nothing?"""
    match children[number].type:
        case ";":
            return kind != "for_statement"
        case "empty_statement":
            return kind in _BODIES
        case ",":
            last = [each.type for each in children[number + 1 : number + 2]]
            return last in (["]"], [")"], ["}"]) and children[number - 1].is_named
        case other:
            return other in _COMMENTS


def _string(node: Node) -> bytes:
    text = node.text or b""
    inner = text[1:-1]
    plain = not any(each in inner for each in (b"'", b'"', b"\\"))
    return b"'" + inner + b"'" if plain else text


if __name__ == "__main__":
    answer_request(lambda _, content: extract(content))
