"""Reads Java sources, in a process of its own: `python -P javasource.py < request`.

See `foreign/parser_process.py` for the request and the answer.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

import tree_sitter
import tree_sitter_java

from pytest_benchmac.foreign.parser_process import answer_request
from pytest_benchmac.foreign.syntax import Node, text_of, walk

_TYPES = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)
#: What an expression must hold to be more than a constant.
_VARYING = frozenset(
    {
        "class_literal",
        "field_access",
        "identifier",
        "lambda_expression",
        "method_invocation",
        "method_reference",
        "object_creation_expression",
        "this",
    }
)
_ASSERTION = re.compile(r"assert|fail$|verify|expect|andExpect|then[A-Z]|should")
_ASSUMPTION = re.compile(r"assum(e|ing)")
_ENDING = frozenset({"exit", "halt"})
_ESCAPE = re.compile(r"(\\+)u+([0-9a-fA-F]{4})")
#: What one file may hold; more of it would keep the checks busy.
_MAX_IMPORTS, _MAX_MEMBERS = 5_000, 50_000
#: Catching one of these catches what a failed assertion throws.
_BROAD = frozenset({"Throwable", "Error", "AssertionError", "AssertionFailedError"})


def extract(content: bytes) -> dict[str, Any]:
    """What the checks need to know of one source file. See `javatests.py`."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.startswith(mark):
            content = content.removeprefix(mark).decode(encoding, "replace").encode()
    content = _unescaped(content.removeprefix(codecs.BOM_UTF8))
    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language())).parse(content)
    root = tree.root_node
    facts: dict[str, Any] = {
        "error": root.has_error,
        "package": "",
        "imports": [],
        "types": [],
        "names": [],
        "strings": [],
    }
    names: set[str] = set()
    strings: set[str] = set()
    for node in walk(root):
        if node.type == "package_declaration":
            facts["package"] = text_of(node.named_children[-1]) if node.named_children else ""
        elif node.type == "import_declaration":
            facts["imports"].append(text_of(node)[len("import") :].rstrip("; \n").strip())
        elif node.type in _TYPES:
            facts["types"].append(_type(node))
        elif node.type == "type_identifier":
            names.add(text_of(node))
        elif node.type in ("method_invocation", "field_access"):
            # What a name in front of a dot means, if it is written as a type's.
            before = node.child_by_field_name("object")
            if before is not None and before.type == "identifier" and text_of(before)[:1].isupper():
                names.add(text_of(before))
        elif node.type == "string_fragment":
            strings.add(text_of(node))
    facts["names"] = sorted(names)
    facts["strings"] = sorted(strings)
    return facts


def _unescaped(content: bytes) -> bytes:
    """With characters in place of their numbers, as a compiler reads it: JLS 3.3."""
    if b"\\u" not in content:
        return content

    def character(found: re.Match[str]) -> str:
        slashes = found[1]
        return slashes[1:] + chr(int(found[2], 16)) if len(slashes) % 2 else found[0]

    text = _ESCAPE.sub(character, content.decode("utf-8", "replace"))
    # Two escapes may be one character.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _type(node: Node) -> dict[str, Any]:
    superclass = node.child_by_field_name("superclass")
    interfaces = node.child_by_field_name("interfaces")
    body = node.child_by_field_name("body")
    members = list(_members(body)) if body else []
    return {
        "name": "$".join(reversed([_name(each) for each in _enclosing(node)])),
        "kind": node.type.removesuffix("_declaration"),
        "line": node.start_point.row + 1,
        "modifiers": _modifiers(node),
        "annotations": _annotations(node),
        "superclass": _type_names(superclass)[0] if superclass and _type_names(superclass) else "",
        "interfaces": _type_names(interfaces) if interfaces else [],
        "methods": [_method(each) for each in members if each.type == "method_declaration"],
        # Initializers, fields and constructors run with the tests.
        "assertions": sum(_count(each)["assertions"] for each in members),
    }


def _members(body: Node) -> Iterator[Node]:
    for child in body.named_children:
        if child.type == "enum_body_declarations":
            yield from child.named_children
        elif child.type not in _TYPES:
            yield child


def _enclosing(node: Node) -> Iterator[Node]:
    current: Node | None = node
    while current is not None:
        if current.type in _TYPES:
            yield current
        current = current.parent


def _method(node: Node) -> dict[str, Any]:
    parameters = node.child_by_field_name("parameters")
    wanted = ("formal_parameter", "spread_parameter")
    arity = sum(each.type in wanted for each in parameters.named_children) if parameters else 0
    annotations = _annotations(node)
    counts = _count(node)
    # `@Test(expected = X.class)` and TestNG's `expectedExceptions` assert that X is thrown.
    expected = [text for text in annotations.values() if re.search(r"\bexpected\w*\s*=", text)]
    counts["assertions"] += len(expected)
    return {
        "name": _name(node),
        "arity": arity,
        "line": node.start_point.row + 1,
        "modifiers": _modifiers(node),
        "annotations": annotations,
        **counts,
    }


def _count(node: Node) -> dict[str, int]:
    """Assertions in a piece of code, other calls, and what keeps assertions from being heard."""
    assertions = evasions = calls = 0
    for each in walk(node):
        if each.type == "assert_statement":
            assertions += 1
        elif each.type == "method_invocation":
            name = _name(each)
            if _ASSERTION.match(name):
                assertions += not _hollow(each)
            else:
                calls += 1
            evasions += bool(_ASSUMPTION.match(name)) or name in _ENDING
        elif each.type in ("object_creation_expression", "method_reference"):
            calls += 1
        elif each.type == "return_statement":
            # The return of a lambda or an inner class's method leaves that one only.
            evasions += _owner(each) == node
        elif each.type == "catch_type":
            evasions += any(text_of(child).rpartition(".")[2] in _BROAD for child in each.children)
        elif each.type in ("if_statement", "while_statement", "for_statement"):
            condition = each.child_by_field_name("condition")
            evasions += condition is not None and _constant(condition)
    return {"assertions": assertions, "evasions": evasions, "calls": calls}


def _owner(node: Node) -> Node | None:
    kinds = ("method_declaration", "lambda_expression", "constructor_declaration")
    current = node.parent
    while current is not None and current.type not in kinds:
        current = current.parent
    return current


def _hollow(call: Node) -> bool:
    """Does the call compare only literals, or a thing with itself, or nothing at all?"""
    arguments = call.child_by_field_name("arguments")
    values = arguments.named_children if arguments else []
    name = _name(call)
    chained = call.parent is not None and call.parent.type == "method_invocation"
    if name == "assertThat" and len(values) == 1 and not chained:
        return True
    if not values or name == "fail":
        return False
    if all(_constant(value) for value in values):
        return True
    texts = [text_of(value) for value in values]
    return name in ("assertEquals", "assertSame") and len(set(texts)) == 1 and len(texts) > 1


def _constant(condition: Node) -> bool:
    """Is the expression made of literals alone?"""
    return not any(each.type in _VARYING for each in walk(condition))


def _annotations(node: Node) -> dict[str, str]:
    """Simple name -> text of the arguments."""
    found: dict[str, str] = {}
    for child in node.children:
        if child.type == "modifiers":
            for each in child.named_children:
                if each.type in ("annotation", "marker_annotation"):
                    arguments = each.child_by_field_name("arguments")
                    name = _name(each).rpartition(".")[2]
                    found[name] = text_of(arguments)
    return found


def _modifiers(node: Node) -> list[str]:
    for child in node.children:
        if child.type == "modifiers":
            return [text_of(each) for each in child.children if not each.is_named]
    return []


def _type_names(node: Node) -> list[str]:
    """The types that a clause names, without their arguments and packages."""
    found: list[str] = []
    pending = list(reversed(node.named_children))
    while pending:
        each = pending.pop()
        if each.type == "type_identifier":
            found.append(text_of(each))
        elif each.type == "scoped_type_identifier":
            found.append(text_of(each).rpartition(".")[2])
        elif each.type == "generic_type":
            pending.append(each.named_children[0])
        elif each.type == "type_list":
            pending += reversed(each.named_children)
    return found


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name)


def answer(content: bytes) -> dict[str, Any] | None:
    """The facts of a file; None for one that holds more than is looked at."""
    facts = extract(content)
    members = len(facts["types"]) + sum(len(each["methods"]) for each in facts["types"])
    too_many = len(facts["imports"]) > _MAX_IMPORTS or members > _MAX_MEMBERS
    return None if too_many else facts


if __name__ == "__main__":
    answer_request(lambda _, content: answer(content))
