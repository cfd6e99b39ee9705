"""What configuration in scripts says: `python -P config_syntax.py < request`.

Every setting of it with the names that lead there, whatever object it stands in, as far as its
value is written out in the file. Runs in a process of its own, as `foreign/parser_process.py` says.
"""

from __future__ import annotations

from typing import Any

import tree_sitter
import tree_sitter_typescript

from pytest_benchmac.foreign.parser_process import answer_request
from pytest_benchmac.foreign.syntax import Node, text_of
from pytest_benchmac.tracks.angular.integrity.syntax_nodes import AROUND, nodes

#: What a value is that is not written out, such as of a variable of the environment.
UNKNOWN = {"unknown": True}
_MAX_DEPTH = 8
_MAX_SETTINGS = 2000
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}


def extract(content: bytes) -> dict[str, Any]:
    """The settings of a file: see `config_reading.Settings`."""
    language = tree_sitter.Language(tree_sitter_typescript.language_typescript())
    root = tree_sitter.Parser(language).parse(content).root_node
    found_nodes = list(nodes(root))
    named = {
        text_of(name): value
        for node in found_nodes
        if node.type == "variable_declarator"
        and (name := node.child_by_field_name("name")) is not None
        and (value := node.child_by_field_name("value")) is not None
    }
    settings = [
        {"path": path, "value": _value(value, named), "line": node.start_point.row + 1}
        for node in found_nodes
        if (found := _setting(node)) is not None
        for value, path in [found]
    ]
    return {"settings": settings[:_MAX_SETTINGS]}


def _setting(node: Node) -> tuple[Node, list[str]] | None:
    """The value that a node gives something, and the names that lead there."""
    match node.type:
        case "pair":
            key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is not None and value is not None:
                return value, [*_above(node), text_of(key).strip("'\"`[]")]
        case "shorthand_property_identifier":
            return node, [*_above(node), text_of(node)]
        case "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None and left.type == "member_expression":
                return right, text_of(left).replace("?.", ".").split(".")[1:]
        case "call_expression":
            function = node.child_by_field_name("function")
            given = node.child_by_field_name("arguments")
            called = "" if function is None else text_of(function)[-40:]
            if given is not None and called in ("require.context", "process.exit"):
                return given, [called]
        case _:
            pass
    return None


def _above(node: Node) -> list[str]:
    """Names of the settings that a node is in; the first may be a variable's, with `$`."""
    names: list[str] = []
    above = node.parent
    while above is not None and len(names) < _MAX_DEPTH:
        if above.type == "pair":
            key = above.child_by_field_name("key")
            names.append("" if key is None else text_of(key).strip("'\"`[]"))
        elif above.type == "variable_declarator":
            name = above.child_by_field_name("name")
            names.append("" if name is None else f"${text_of(name)}")
        elif above.type == "assignment_expression":
            left = above.child_by_field_name("left")
            if left is not None and left.type == "member_expression":
                own = text_of(left).split(".")[1:]
                names += [] if own in (["exports"], ["default"]) else reversed(own)
        above = above.parent
    return names[::-1]


def _value(node: Node, named: dict[str, Node], depth: int = 0) -> Any:
    """A value as JSON; of what is not written out, `UNKNOWN`."""
    if depth > _MAX_DEPTH:
        return UNKNOWN
    if node.type in _CONSTANTS:
        return _CONSTANTS[node.type]
    match node.type:
        case "string":
            return "".join(_unescaped(each) for each in node.named_children)
        case "template_string" if not any(
            each.type == "template_substitution" for each in node.named_children
        ):
            return "".join(_unescaped(each) for each in node.named_children)
        case "number":
            return text_of(node)
        case "regex":
            pattern, flags = (node.child_by_field_name(each) for each in ("pattern", "flags"))
            said = "" if pattern is None else text_of(pattern)
            return {"regex": said, "flags": "" if flags is None else text_of(flags)}
        case "array" | "arguments":
            return [
                _value(each, named, depth + 1)
                for each in node.named_children
                if each.type != "comment"
            ][:_MAX_SETTINGS]
        case "unary_expression" if text_of(node) in ("!0", "!1"):
            return text_of(node) == "!0"
        case "identifier" | "shorthand_property_identifier" if text_of(node) in named:
            return _value(named[text_of(node)], named, depth + 1)
        case kind if kind in AROUND and node.named_children:
            return _value(node.named_children[0], named, depth + 1)
        case _:
            return UNKNOWN


def _unescaped(node: Node) -> str:
    text = text_of(node)
    return text[1:] if node.type == "escape_sequence" else text


if __name__ == "__main__":
    answer_request(lambda _, content: extract(content))
