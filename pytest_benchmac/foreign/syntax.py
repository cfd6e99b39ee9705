"""Trees of tree-sitter, for the readers that run in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

Node = tree_sitter.Node


def text_of(node: Node | None) -> str:
    """The source of a node; empty for none."""
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")


def walk(root: Node) -> Iterator[Node]:
    """All nodes, parents first; without recursion, since the depth is the submission's choice."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children)
