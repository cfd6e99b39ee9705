"""Nodes of the syntax of scripts, for the readers that run in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_benchmac.foreign.syntax import Node, text_of

FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "function_declaration", "method_definition"}
)
#: What stands around an expression and changes nothing of its value.
AROUND = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
#: What no branch is taken for.
NOTHING = frozenset({"false", "0", "null", "undefined", "''", '""'})


def with_ancestors(root: Node) -> Iterator[tuple[Node, Sequence[Node]]]:
    """Every named node with its ancestors, the parent last.

    Without recursion, since the depth is the submission's choice. The sequence of ancestors is
    good until the next step only.
    """
    cursor = root.walk()
    ancestors: list[Node] = []
    while True:
        node = cursor.node
        if node is None:
            return
        if node.is_named:
            yield node, ancestors
        if cursor.goto_first_child():
            ancestors.append(node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            ancestors.pop()


def nodes(root: Node, *, within: bool = False) -> Iterator[Node]:
    """All named nodes, in order; `within` without functions and what is never reached.

    Without recursion, whose depth is the patch's.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        children = list(node.named_children)
        if within:
            children = [each for each in _reached(node, children) if each.type not in FUNCTIONS]
        pending.extend(reversed(children))


def _reached(node: Node, children: list[Node]) -> list[Node]:
    """The children that may be run."""
    if node.type == "if_statement":
        condition = node.child_by_field_name("condition")
        if condition is not None and text_of(condition).strip("() ") in NOTHING:
            alternative = node.child_by_field_name("alternative")
            return [] if alternative is None else [alternative]
    elif node.type == "binary_expression":
        left, operator = (node.child_by_field_name(each) for each in ("left", "operator"))
        if left is not None and operator is not None and text_of(operator) == "&&":
            return [left] if text_of(left) in NOTHING else children
    elif node.type == "statement_block":
        for number, each in enumerate(children):
            if each.type == "return_statement":
                return children[: number + 1]
    return children


def ancestor(node: Node, types: frozenset[str]) -> Node | None:
    """The innermost node of these types that a node is in."""
    above = node.parent
    while above is not None and above.type not in types:
        above = above.parent
    return above


def within_other(node: Node, other: Node) -> bool:
    """Does a node lie in the other, or is it that?"""
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
