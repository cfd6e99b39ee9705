"""Which types take the values of which, as a compiler sees it when it chooses a method."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_benchmac.tracks.maven.own.declared import OBJECT, Declared

#: A type in a descriptor.
TYPE = re.compile(r"\[*(?:L[^;]+;|[A-Z])")
#: Primitive -> those that take its values.
_LONGER = {"B": "SIJFD", "S": "IJFD", "C": "IJFD", "I": "JFD", "J": "FD", "F": "D"}
_BOXES = {
    "B": "Byte",
    "C": "Character",
    "D": "Double",
    "F": "Float",
    "I": "Integer",
    "J": "Long",
    "S": "Short",
    "Z": "Boolean",
}
_ABOVE_BOXES = frozenset(
    {OBJECT, "java.lang.Number", "java.lang.Comparable", "java.io.Serializable"}
)


def parameters(descriptor: str) -> list[str]:
    """Types of a method's parameters."""
    return TYPE.findall(descriptor.rpartition(")")[0])


def result(descriptor: str) -> str:
    """Type of what it returns."""
    return descriptor.rpartition(")")[2]


class Conversions:
    """Types by their descriptors, those of some projects among them."""

    def __init__(self, *projects: Declared) -> None:
        self._projects = projects

    def all_above(self, wide: str, one: str) -> bool:
        """Do the parameters of a method take all that those of another do?"""
        now, before = parameters(wide), parameters(one)
        return len(now) == len(before) and all(map(self.is_above, now, before))

    def all_take(self, one: Sequence[str], from_: Sequence[str]) -> bool:
        """Can a method with parameters of these types take calls from one with those?"""
        return len(one) == len(from_) and all(map(self.takes, one, from_))

    def takes(self, one: str, from_: str) -> bool:
        """Can a parameter of this type take calls from one of that type?"""
        if self.is_above(from_, one):
            return True
        if len(from_) == 1 and one.startswith("L"):
            name = one[1:-1].replace("/", ".")
            return name == f"java.lang.{_BOXES.get(from_)}" or name in _ABOVE_BOXES
        return len(one) == 1 and from_[1:-1] == f"java/lang/{_BOXES.get(one)}"

    def is_above(self, wide: str, one: str) -> bool:
        """Does a type take all values of another, without boxes?"""
        if wide == one:
            return True
        if len(wide) == 1 or len(one) == 1:
            return len(one) == 1 and wide in _LONGER.get(one, "")
        if wide.startswith("["):
            return one.startswith("[") and self.is_above(wide[1:], one[1:])
        name = wide[1:-1].replace("/", ".")
        if one.startswith("["):
            return name == OBJECT
        below = one[1:-1].replace("/", ".")
        return any(name in each.names_above(below) for each in self._projects)
