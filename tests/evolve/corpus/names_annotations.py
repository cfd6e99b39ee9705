from __future__ import annotations

from typing import TypeVar

Item = TypeVar("Item")


class Node:
    value: int
    next: Node | None = None

    def __init__(self, value: int) -> None:
        self.value = value


def chain(values: list[int]) -> Node | None:
    head: Node | None = None
    node: Node
    for value in reversed(values):
        node = Node(value)
        node.next = head
        head = node
    return head


def to_list(values: list[int]) -> list[int]:
    node = chain(values)
    result: list[int] = []
    while node is not None:
        result.append(node.value)
        node = node.next
    return result


def annotations() -> dict[str, str]:
    return dict(chain.__annotations__), dict(Node.__annotations__)


def first(items: list[Item]) -> Item:
    return items[0]

# CALLS
# to_list([1, 2, 3])
# to_list([])
# annotations()
# first(["a"])
