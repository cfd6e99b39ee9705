"""Reads TypeScript sources, in a process of its own: `python -P typescript.py < request`.

See `foreign/parser_process.py` for the request and the answer.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from typing import Any

import tree_sitter
import tree_sitter_typescript

from pytest_benchmac.foreign.parser_process import answer_request
from pytest_benchmac.foreign.syntax import Node, text_of
from pytest_benchmac.tracks.angular.integrity.syntax_nodes import with_ancestors

_MAX_STRING_DEPTH = 64
_FRAMEWORK = "@angular/core"
_KINDS = frozenset({"Component", "Directive", "Pipe", "Injectable", "NgModule"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
#: Lists of a decorator that name classes without using them.
_MENTIONS = frozenset({"declarations", "exports", "imports", "entryComponents"})
_LISTS = frozenset(
    {"array", "import_specifier", "named_imports", "import_clause", "export_specifier"}
)
#: With the blanks and line ends that TypeScript knows; it reads the first one in any case.
_SILENCER = re.compile(
    r"(?:^|[\r\n\u2028\u2029])(?:[^\S\r\n\u2028\u2029]|[\ufeff/*])*+@(?:(?i:ts-(nocheck))|ts-(ignore|expect-error))"
)
#: What makes elements of a text, or has the framework trust one without looking at it.
_MARKUP = frozenset(
    {
        "bypassSecurityTrustHtml",
        "bypassSecurityTrustResourceUrl",
        "bypassSecurityTrustScript",
        "bypassSecurityTrustStyle",
        "bypassSecurityTrustUrl",
        "createContextualFragment",
        "document.write",
        "document.writeln",
        "innerHTML",
        "insertAdjacentHTML",
        "outerHTML",
        "parseHTMLUnsafe",
        "setHTMLUnsafe",
        "srcdoc",
    }
)
_NAMES_OF_PROPERTIES = frozenset(
    {
        "property_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
    }
)
_ROUTE_KEYS = frozenset({"component", "loadChildren", "loadComponent", "redirectTo", "children"})


def extract(content: bytes) -> dict[str, Any]:
    """What the rules and the inventory need to know of one source file. See `sources.py`."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.startswith(mark):
            text = content.removeprefix(mark).decode(encoding, "replace")
            content = text.encode("utf-8", "replace")
    language = tree_sitter.Language(tree_sitter_typescript.language_typescript())
    content = content.removeprefix(codecs.BOM_UTF8)
    tree = tree_sitter.Parser(language).parse(content)
    return _Extraction(tree.root_node, content).facts


class _Extraction:
    def __init__(self, root: Node, content: bytes) -> None:
        self.content = content
        self.constants: dict[str, Node] = {}
        #: Local name -> (module, name there); `*` for a namespace.
        self.names: dict[str, tuple[str, str]] = {}
        self.facts: dict[str, Any] = {
            "error": root.has_error,
            "imports": [],
            "classes": [],
            "routes": [],
            "silencers": [],
            "modules": [],
            "used": [],
            "bootstrapped": [],
            "dynamic": [],
            "markup": [],
        }
        used: set[str] = set()
        for node, _ in with_ancestors(root):
            if node.type == "import_statement":
                self._import(node)
            elif node.type == "variable_declarator":
                name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
                if name is not None and value is not None and name.type == "identifier":
                    self.constants.setdefault(text_of(name), value)
        for node, ancestors in with_ancestors(root):
            self._markup(node)
            match node.type:
                case "export_statement":
                    source = node.child_by_field_name("source")
                    if source is not None:
                        self._imported(source, [])
                case "comment":
                    self._comment(node)
                case "ambient_declaration":
                    self._ambient(node)
                case "call_expression":
                    self._call(node)
                case "new_expression":
                    constructor = node.child_by_field_name("constructor")
                    if constructor is not None and text_of(constructor) == "Function":
                        self._dynamic(node)
                case "object":
                    self._object(node)
                case kind if kind in _CLASSES:
                    self._class(node, ancestors)
                case (
                    "identifier"
                    | "type_identifier"
                    | "property_identifier"
                    | ("shorthand_property_identifier")
                ) if text_of(node)[:1].isupper() and not _only_mentioned(ancestors):
                    used.add(text_of(node))
                case _:
                    pass
        self.facts["used"] = sorted(used)

    def _imported(self, source: Node, names: list[str], *, lazy: bool = False) -> None:
        module = self._string(source)
        if module is not None:
            line = source.start_point.row + 1
            self.facts["imports"].append(
                {"module": module, "names": names, "line": line, "lazy": lazy}
            )

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        if source is None:
            return
        module = self._string(source) or ""
        names: list[str] = []
        for each, _ in with_ancestors(node):
            if each.type == "import_specifier":
                name = each.child_by_field_name("name")
                alias = each.child_by_field_name("alias") or name
                if name is not None and alias is not None:
                    names.append(text_of(name))
                    self.names[text_of(alias)] = (module, text_of(name))
            elif each.type == "namespace_import":
                for child in each.named_children:
                    self.names[text_of(child)] = (module, "*")
            elif each.type == "import_clause":
                for child in each.named_children:
                    if child.type == "identifier":
                        names.append("default")
                        self.names[text_of(child)] = (module, "default")
        self._imported(source, names)

    def _comment(self, node: Node) -> None:
        text = text_of(node)
        for match in _SILENCER.finditer(text):
            line = node.start_point.row + 1 + text.count("\n", 0, match.end())
            kind = "nocheck" if match[1] else match[2]
            self.facts["silencers"].append({"kind": kind, "line": line})

    def _ambient(self, node: Node) -> None:
        for child in node.named_children:
            name = child.child_by_field_name("name") if child.type == "module" else None
            if name is not None and name.type == "string":
                self.facts["modules"].append(
                    {"name": self._string(name) or "", "line": node.start_point.row + 1}
                )

    def _dynamic(self, node: Node) -> None:
        self.facts["dynamic"].append({"text": text_of(node)[:80], "line": node.start_point.row + 1})

    def _end_of(self, node: Node) -> str:
        """Of a long chain of calls each one's whole text would be all of the chain before it."""
        start = max(node.start_byte, node.end_byte - 60)
        return self.content[start : node.end_byte].decode("utf-8", "replace")

    def _before(self, name: Node) -> str:
        """The end of what a property is one of; empty where it is a key or a declaration."""
        whole = name.parent.child_by_field_name("object") if name.parent is not None else None
        return "" if whole is None else self._end_of(whole)

    def _markup(self, node: Node) -> None:
        """What is named by a property, a string or an index that is put together here."""
        name: str | None = None
        if node.type in _NAMES_OF_PROPERTIES:
            name = _ESCAPED.sub(lambda each: _unescaped(each[0]), text_of(node))
            if name in ("write", "writeln") and self._before(node).endswith("document"):
                name = f"document.{name}"
        elif node.type in ("string", "template_string"):
            name = self._string(node)
        elif node.type == "subscript_expression":
            index = node.child_by_field_name("index")
            if index is not None and index.type not in ("string", "template_string", "identifier"):
                name = self._string(index)
        if name in _MARKUP:
            self.facts["markup"].append({"name": name, "line": node.start_point.row + 1})

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        first = arguments.named_children[0] if arguments and arguments.named_children else None
        if function is None:
            return
        called = self._end_of(function)
        if first is not None and (function.type == "import" or called in ("require", "import")):
            self._imported(first, [], lazy=True)
        elif called in ("eval", "window.eval", "globalThis.eval", "Function"):
            self._dynamic(node)
        elif first is not None and called.endswith("createElement"):
            if (self._string(first) or "").lower() in ("script", "iframe"):
                self._dynamic(node)
        elif first is not None and called.endswith(("bootstrapApplication", "bootstrapModule")):
            self.facts["bootstrapped"].append(text_of(first)[:200])

    def _object(self, node: Node) -> None:
        keys = _pairs(node)
        children = keys.get("loadChildren")
        if children is not None:
            module, hash_, _ = (self._string(children) or "").partition("#")
            if hash_:
                line = children.start_point.row + 1
                self.facts["imports"].append(
                    {"module": module, "names": [], "line": line, "lazy": True}
                )
        path = keys.get("path")
        if path is not None and _ROUTE_KEYS & keys.keys():
            route = self._string(path)
            if route is not None:
                self.facts["routes"].append(route)

    def _class(self, node: Node, ancestors: Sequence[Node]) -> None:
        name = node.child_by_field_name("name")
        holders = [node, *(each for each in ancestors[-1:] if each.type == "export_statement")]
        for holder in holders:
            for child in holder.children:
                if child.type == "decorator":
                    self._decorated(child, text_of(name) if name is not None else "")

    def _decorated(self, decorator: Node, name: str) -> None:
        call = decorator.named_children[0] if decorator.named_children else None
        if call is None or call.type != "call_expression":
            return
        function = call.child_by_field_name("function")
        arguments = call.child_by_field_name("arguments")
        if function is None:
            return
        module, kind = self._origin(text_of(function))
        if kind not in _KINDS:
            return
        keys: dict[str, Node] = {}
        if arguments is not None and arguments.named_children:
            first: Node | None = arguments.named_children[0]
            if first is not None and first.type == "identifier":
                first = self.constants.get(text_of(first))
            keys = _pairs(first) if first is not None and first.type == "object" else {}
        jit = keys.get("jit")
        self.facts["classes"].append(
            {
                "name": name,
                "kind": kind,
                "genuine": module == _FRAMEWORK,
                "module": module,
                "line": decorator.start_point.row + 1,
                "selector": self._value(keys, "selector"),
                "pipe": self._value(keys, "name") if kind == "Pipe" else None,
                "template": self._value(keys, "template"),
                "template_url": self._value(keys, "templateUrl"),
                "styles": self._strings(keys.get("styles")),
                "jit": jit is not None and jit.type != "false",
            }
        )
        bootstrap = keys.get("bootstrap")
        if bootstrap is not None:
            self.facts["bootstrapped"] += [
                text_of(each) for each in bootstrap.named_children if each.type == "identifier"
            ]

    def _origin(self, called: str) -> tuple[str, str]:
        """The module and the name there of what a decorator calls."""
        head, dot, tail = called.partition(".")
        module, name = self.names.get(head, ("", head))
        if dot:
            return (module, tail) if name == "*" else ("", tail)
        return module, name

    def _value(self, keys: dict[str, Node], key: str) -> str | None:
        node = keys.get(key)
        return None if node is None else self._string(node)

    def _strings(self, node: Node | None) -> list[str]:
        if node is None:
            return []
        nodes = node.named_children if node.type == "array" else [node]
        return [text for each in nodes if (text := self._string(each)) is not None]

    def _string(self, node: Node, depth: int = 0) -> str | None:
        """The string that an expression is, as far as this file tells; substitutions left out."""
        if depth > _MAX_STRING_DEPTH:
            return None
        match node.type:
            case "string":
                return "".join(
                    _unescaped(text_of(each)) if each.type == "escape_sequence" else text_of(each)
                    for each in node.named_children
                )
            case "template_string":
                parts: list[str] = []
                for each in node.named_children:
                    if each.type == "template_substitution":
                        inner = each.named_children
                        parts.append((self._string(inner[0], depth + 1) or " ") if inner else " ")
                    elif each.type == "escape_sequence":
                        parts.append(_unescaped(text_of(each)))
                    else:
                        parts.append(text_of(each))
                return "".join(parts)
            case "binary_expression":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                sides = [
                    self._string(side, depth + 1) for side in (left, right) if side is not None
                ]
                return "".join(side or " " for side in sides) if any(sides) else None
            case "parenthesized_expression" | "as_expression" | "satisfies_expression":
                inner = node.named_children
                return self._string(inner[0], depth + 1) if inner else None
            case "identifier":
                value = self.constants.get(text_of(node))
                return None if value is None else self._string(value, depth + 1)
            case _:
                return None


def _pairs(node: Node) -> dict[str, Node]:
    """The values of an object literal by key."""
    pairs: dict[str, Node] = {}
    for child in node.named_children:
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and value is not None:
                pairs[text_of(key).strip("'\"`")] = value
        elif child.type == "shorthand_property_identifier":
            pairs[text_of(child)] = child
    return pairs


def _only_mentioned(ancestors: Sequence[Node]) -> bool:
    """Does a name below these stand in an import, export, declaration or a module's lists?"""
    if ancestors and ancestors[-1].type in _CLASSES:
        return True
    for each in reversed(ancestors):
        if each.type in ("import_statement", "export_clause"):
            return True
        if each.type == "pair":
            key = each.child_by_field_name("key")
            return key is not None and text_of(key) in _MENTIONS
        if each.type not in _LISTS:
            return False
    return False


_ESCAPED = re.compile(r"\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]+\})")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def _unescaped(sequence: str) -> str:
    body = sequence[1:]
    if body[:1] in ("u", "x"):
        try:
            code = int(body[1:].strip("{}"), 16)
            return chr(code)
        except (ValueError, OverflowError):
            return ""
    return "" if body[:1] in ("\n", "\r") else _ESCAPES.get(body, body)


if __name__ == "__main__":
    answer_request(lambda _, content: extract(content))
