"""Types with their arguments, as `Member.generic` and `Type.generic` have them."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\[\]|[<>,;&()]|[^<>,;&()\[]+")
_DEEPER = {"<": 1, ">": -1}
_VARIABLES = ("#", "%")
#: Of classes; primitives and variables have none of these.
_CLASS = re.compile(r"[\w$]+(?:\.[\w$]+)+")
_BOUND = re.compile(r"\? (?:extends|super) ")


def divided(generic: str) -> tuple[str, list[str]]:
    """The type variables of a type, and what it inherits from."""
    depth = 0
    for at, letter in enumerate(generic if generic.startswith("<") else ""):
        depth += _DEEPER.get(letter, 0)
        if not depth:
            return generic[: at + 1], generic[at + 1 :].split(";")
    return "", generic.split(";")


def adds_arguments(before: str, after: str) -> bool:
    """Are types the same, but for arguments where there were none, and for wildcards?

    A variable may stand in the place of a class: descriptors have to be the same.
    """
    old, new = (_TOKEN.findall(_BOUND.sub("", each)) for each in (before, after))
    at = depth = added = 0
    for part in new:
        there = old[at] if at < len(old) else ""
        if added or (part == "<" and there != "<"):
            added += _DEEPER.get(part, 0)
            continue
        variable = not depth and part.startswith(_VARIABLES) and bool(_CLASS.fullmatch(there))
        if part != there and not variable:
            return False
        depth += _DEEPER.get(part, 0)
        at += 1
    return at == len(old)
