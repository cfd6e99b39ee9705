"""What classes of the base are called in a patch."""

from __future__ import annotations

from collections.abc import Mapping


def new_name(name: str, renamed: Mapping[str, str]) -> str:
    """The name that a patch has for a class of the base.

    Args:
        name: of its class file, with dots or slashes as `renamed` has them.
        renamed: names of the base's classes to those of the patch; of a class that stands in
            another one, that of the outer one is enough.
    """
    outer, dollar, inner = name.partition("$")
    return renamed.get(name) or renamed.get(outer, outer) + dollar + inner
