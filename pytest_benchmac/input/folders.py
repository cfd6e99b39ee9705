"""Folders of patches."""

from __future__ import annotations


def is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
