"""What classes of the base are called in a patch."""

from __future__ import annotations

import re
from collections.abc import Mapping

_OF_CLASS = re.compile(r"L([^;]+);")


def new_name(name: str, renamed: Mapping[str, str]) -> str:
    """The name that a patch has for a class of the base.

    Args:
        name: of its class file, with dots or slashes as `renamed` has them.
        renamed: names of the base's classes to those of the patch; of a class that stands in
            another one, that of the outer one is enough.
    """
    outer, dollar, inner = name.partition("$")
    return renamed.get(name) or renamed.get(outer, outer) + dollar + inner


def with_slashes(renamed: Mapping[str, str]) -> dict[str, str]:
    """The same names as class files have them."""
    return {old.replace(".", "/"): new.replace(".", "/") for old, new in renamed.items()}


def new_descriptor(text: str, renamed: Mapping[str, str]) -> str:
    """A descriptor with the patch's names of classes; `renamed` has slashes."""
    return _OF_CLASS.sub(lambda match: f"L{new_name(match[1], renamed)};", text)
