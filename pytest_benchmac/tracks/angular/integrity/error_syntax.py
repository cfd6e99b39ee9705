"""Where a source has errors go nowhere: `python -P error_syntax.py < request`.

A function is *deaf* if nothing comes of it, whatever it is given: it calls nothing that could do
something, throws nothing and changes nothing but its own names. What it is in other files is for
`error_rules.py` to find out, by the names that are told here. Runs in a process of its own, as
`foreign/parser_process.py` says.
"""

from __future__ import annotations

import re
from typing import Any

import tree_sitter
import tree_sitter_typescript

from pytest_benchmac.foreign.parser_process import answer_request
from pytest_benchmac.foreign.syntax import Node, text_of
from pytest_benchmac.tracks.angular.integrity.syntax_nodes import (
    AROUND,
    FUNCTIONS,
    ancestor,
    nodes,
    within_other,
)

_MAX_DEPTH = 6
_HANDLER = "ErrorHandler"
_METHOD = "handleError"
_STARTS = ("bootstrapApplication", "bootstrapModule", "bootstrapModuleFactory")
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
#: What acts by being there, where it is not in a function that nobody calls.
_ACTS = frozenset({"throw_statement", "await_expression", "yield_expression"})
_CHANGES = frozenset({"assignment_expression", "augmented_assignment_expression"})
#: Calls of which nothing comes but a value.
_IDLE = re.compile(
    r"(?:noop|inject|isDevMode|String|Number|Boolean|Symbol|Promise\.resolve"
    r"|Object\.(?:entries|freeze|is|keys|values)|JSON\.\w+|Math\.\w+"
    r"|console\.(?:clear|count\w*|group\w*|time\w*))"
)
#: Values that are a promise, maybe.
_LATER = frozenset({"call_expression", "await_expression"})
#: What is put in the place of the framework's own way to tell errors, and of the console's.
_HANDLES = re.compile(r".*(?i:errorhandler).*\.\s*handleError", re.DOTALL)
_CONSOLE = re.compile(r"(?:\w+\.)?console\s*(?:\.\s*error|\[\s*['\"`]error['\"`]\s*\])")


def extract(content: bytes) -> dict[str, Any]:
    """What `error_reading.ErrorFacts` has."""
    language = tree_sitter.Language(tree_sitter_typescript.language_typescript())
    return _Reading(tree_sitter.Parser(language).parse(content).root_node).facts()


class _Reading:
    def __init__(self, root: Node) -> None:
        self._nodes = list(nodes(root))
        #: What a name of this file stands for: a function, a class or a value.
        self._named: dict[str, Node] = {}
        #: Name elsewhere of what is imported by another one.
        self._imported: dict[str, str] = {}
        self._found: list[dict[str, Any]] = []
        #: Does this function or promise start the application? By its node.
        self._starting: dict[int, bool] = {}
        for node in self._nodes:
            name = node.child_by_field_name("name")
            if node.type == "variable_declarator" and name is not None:
                value = node.child_by_field_name("value")
                if value is not None:
                    self._named.setdefault(text_of(name), value)
            elif node.type == "import_specifier" and name is not None:
                alias = node.child_by_field_name("alias") or name
                self._imported[text_of(alias)] = text_of(name)
            elif node.type in {"function_declaration"} | _CLASSES and name is not None:
                self._named.setdefault(text_of(name), node)

    def facts(self) -> dict[str, Any]:
        starts = any(self._is_start(each) for each in self._nodes)
        for node in self._nodes:
            if node.type == "object":
                self._provider(node)
            elif node.type in _CLASSES:
                self._class(node)
            elif node.type == "call_expression" and starts:
                self._handed(node)
            elif node.type == "try_statement" and starts:
                self._tried(node)
            elif node.type == "assignment_expression":
                self._assigned(node)
        deaf = {
            f"{kind}:{name}"
            for name, node in self._named.items()
            for kind, how in (
                ("function", self._function),
                ("handler", self._handler),
                ("maker", self._maker),
            )
            if how(node) == ""
        }
        return {"found": self._found, "deaf": sorted(deaf)}

    def _note(self, kind: str, node: Node, by: str | None) -> None:
        """Note what is deaf, or is so if what has this name elsewhere is."""
        if by is not None:
            line, text = node.start_point.row + 1, " ".join(text_of(node).split())[:160]
            self._found.append({"kind": kind, "line": line, "text": text, "by": by})

    # --- what is deaf: "" if it is, the name elsewhere that decides, None if it is not ----------

    def _resolved(self, node: Node, depth: int) -> tuple[Node, str]:
        """What an expression stands for, and its name if that is of another file."""
        while depth < _MAX_DEPTH:
            depth += 1
            if node.type in AROUND and node.named_children:
                node = node.named_children[0]
            elif node.type in ("identifier", "shorthand_property_identifier"):
                name = text_of(node)
                if name not in self._named:
                    return node, self._imported.get(name, name)
                node = self._named[name]
            else:
                break
        return node, ""

    def _elsewhere(self, kind: str, name: str) -> str | None:
        """What decides about a name that is imported; any other is no name of the application."""
        return f"{kind}:{name}" if name in self._imported.values() else None

    def _function(self, node: Node, depth: int = 0) -> str | None:
        if depth > _MAX_DEPTH:
            return None
        node, name = self._resolved(node, depth)
        if name:
            return "" if _IDLE.fullmatch(name) else self._elsewhere("function", name)
        body = node.child_by_field_name("body") if node.type in FUNCTIONS else None
        return "" if body is not None and self._idle(body, depth) else None

    def _handler(self, node: Node, depth: int = 0) -> str | None:
        if depth > _MAX_DEPTH:
            return None
        node, name = self._resolved(node, depth)
        if name:
            return self._elsewhere("handler", name)
        if node.type == "new_expression":
            made = node.child_by_field_name("constructor")
            return None if made is None else self._handler(made, depth + 1)
        method: Node | None = None
        body = node.child_by_field_name("body") if node.type in _CLASSES else node
        if body is not None and (body.type == "object" or node.type in _CLASSES):
            method = _member(body, _METHOD)
        return None if method is None else self._function(method, depth + 1)

    def _maker(self, node: Node, depth: int = 0) -> str | None:
        node, name = self._resolved(node, depth)
        if name:
            return self._elsewhere("maker", name)
        body = node.child_by_field_name("body") if node.type in FUNCTIONS else None
        if body is None:
            return None
        if body.type != "statement_block":
            return self._handler(body, depth + 1)
        returned = [
            each.named_children[0]
            for each in nodes(body, within=True)
            if each.type == "return_statement" and each.named_children
        ]
        answers = {self._handler(each, depth + 1) for each in returned}
        return answers.pop() if len(answers) == 1 else None

    def _idle(self, body: Node, depth: int) -> bool:
        own = {
            text_of(name)
            for each in nodes(body, within=True)
            if each.type == "variable_declarator"
            and (name := each.child_by_field_name("name")) is not None
        }
        for node in nodes(body, within=True):
            if node.type in _ACTS:
                return False
            if node.type == "new_expression" and not text_of(node).startswith("new Error"):
                return False
            if node.type in _CHANGES or node.type == "update_expression":
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                if target is None or text_of(target) not in own:
                    return False
            if node.type == "unary_expression" and text_of(node).startswith("delete"):
                return False
            if node.type == "call_expression" and not self._idle_call(node, depth):
                return False
        return True

    def _idle_call(self, call: Node, depth: int) -> bool:
        function = call.child_by_field_name("function")
        if function is None or function.type in ("super", "import"):
            return False
        called = text_of(function).replace("?.", ".")
        if _IDLE.fullmatch(called):
            return True
        if function.type == "member_expression":
            # A method of the same class.
            named = called.removeprefix("this.")
            holder = ancestor(call, _CLASSES)
            body = holder.child_by_field_name("body") if holder is not None else None
            method = _member(body, named) if body is not None and named != called else None
            return method is not None and self._function(method, depth + 1) == ""
        return self._function(function, depth + 1) == ""

    # --- where errors are handed to something ---------------------------------------------------

    def _is_token(self, node: Node) -> bool:
        node, name = self._resolved(node, 0)
        text = name or text_of(node)
        return self._imported.get(text, text).rpartition(".")[2] == _HANDLER

    def _provider(self, node: Node) -> None:
        provided = _member(node, "provide")
        if provided is None or not self._is_token(provided):
            return
        for key, how in (
            ("useValue", self._handler),
            ("useClass", self._handler),
            ("useExisting", self._handler),
            ("useFactory", self._maker),
        ):
            given = _member(node, key)
            if given is not None and not self._is_token(given):
                self._note("handler", node, how(given))

    def _class(self, node: Node) -> None:
        heritage = [each for each in node.children if each.type == "class_heritage"]
        names = [
            name
            for each in heritage
            for clause in each.named_children
            for name in clause.named_children
        ]
        if any(self._is_token(each) for each in names) and self._handler(node) == "":
            body = node.child_by_field_name("body")
            method = None if body is None else _member(body, _METHOD)
            self._note("handler", method or node, "")

    def _assigned(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        if _HANDLES.fullmatch(text_of(left)[-200:]):
            self._note("handler", node, self._function(right))
        elif _CONSOLE.fullmatch(text_of(left)[-200:]):
            self._note("console", node, self._function(right))

    def _handed(self, call: Node) -> None:
        """`.catch(...)` and `.then(_, ...)` behind what starts the application."""
        handler = _failure_handler(call)
        function = call.child_by_field_name("function")
        before = None if function is None else function.child_by_field_name("object")
        if handler is None or before is None or not self._starts(before):
            return
        if self._goes_on(call) and _uses_parameter(handler):
            return
        self._note("start", call, self._function(handler))

    @staticmethod
    def _goes_on(call: Node) -> bool:
        """Is what a handler gives back of use to somebody?"""
        node = call.parent
        while node is not None and node.type in AROUND | {"await_expression", "unary_expression"}:
            node = node.parent
        return node is not None and node.type != "expression_statement"

    def _tried(self, node: Node) -> None:
        body, handler = (node.child_by_field_name(each) for each in ("body", "handler"))
        caught = handler.child_by_field_name("body") if handler is not None else None
        if body is not None and handler is not None and caught is not None and self._starts(body):
            name = handler.child_by_field_name("parameter")
            handed_on = name is not None and any(
                one.type == "identifier" and text_of(one) == text_of(name)
                for each in nodes(caught, within=True)
                if each.type == "return_statement"
                for one in nodes(each)
            )
            if self._idle(caught, 0) and not handed_on:
                self._note("start", handler, "")

    def _is_start(self, node: Node) -> bool:
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        name = "" if called is None else text_of(called)[-80:].rpartition(".")[2]
        return self._imported.get(name, name) in _STARTS

    def _starts(self, node: Node) -> bool:
        """Does this start the application, itself or by a function of this file?

        Not where somebody within is told if that fails.
        """
        for each in nodes(node):
            if self._is_start(each) and not self._heard_within(each, node):
                return True
            named = self._named.get(text_of(each)) if each.type == "identifier" else None
            if named is None or named.type not in FUNCTIONS | _LATER or within_other(each, named):
                continue
            if named.id not in self._starting:
                # Of one that leads back to itself nothing more is to be known.
                self._starting[named.id] = False
                self._starting[named.id] = self._starts(named)
            if self._starting[named.id]:
                return True
        return False

    def _heard_within(self, start: Node, limit: Node) -> bool:
        """Is a failure of this call told before it leaves this node?"""
        node = start
        while node.id != limit.id and node.parent is not None:
            node = node.parent
            caught = node.child_by_field_name("handler") if node.type == "try_statement" else None
            body = caught.child_by_field_name("body") if caught is not None else None
            if body is not None and not within_other(start, body) and not self._idle(body, 0):
                return True
            handler = _failure_handler(node)
            if (
                handler is not None
                and not within_other(start, handler)
                and self._function(handler) is None
            ):
                return True
        return False


def _failure_handler(call: Node) -> Node | None:
    """What a call of `catch` or `then` hands failures to."""
    function, given = (call.child_by_field_name(each) for each in ("function", "arguments"))
    if function is None or given is None or function.type != "member_expression":
        return None
    name = function.child_by_field_name("property")
    place = {"catch": 0, "then": 1}.get("" if name is None else text_of(name))
    handlers = [each for each in given.named_children if each.type != "comment"]
    return handlers[place] if place is not None and place < len(handlers) else None


def _uses_parameter(function: Node) -> bool:
    """Is what a function is given named in it? A function of another place may use it."""
    if function.type not in FUNCTIONS:
        return True
    given = function.child_by_field_name("parameter") or function.child_by_field_name("parameters")
    body = function.child_by_field_name("body")
    names = (
        {text_of(each) for each in nodes(given) if each.type == "identifier"} if given else set()
    )
    return body is not None and any(text_of(each) in names for each in nodes(body))


def _member(holder: Node, name: str) -> Node | None:
    """The method, or the value of the property, of this name."""
    for each in holder.named_children:
        named = each.child_by_field_name("name") or each.child_by_field_name("key")
        if named is not None and text_of(named).strip("'\"`[]") == name:
            return each.child_by_field_name("value") or (
                each if each.child_by_field_name("body") is not None else None
            )
        if each.type == "shorthand_property_identifier" and text_of(each) == name:
            return each
    return None


if __name__ == "__main__":
    answer_request(lambda _, content: extract(content))
