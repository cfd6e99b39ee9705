"""Edits as a model writes them: blocks that say what is to be found in a file, and what instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_benchmac.foreign.tree import normal_path

_BLOCK = re.compile(
    r"^(?P<path>[^\n`<>]+)\n(?:```\w*\n)?<{5,9} SEARCH *\n"
    r"(?P<find>.*?)^={5,9} *\n(?P<instead>.*?)^>{5,9} REPLACE",
    re.DOTALL | re.MULTILINE,
)


class EditError(ValueError):
    """An answer that cannot be applied; its text tells the model why."""


@dataclass(frozen=True)
class Edit:
    """One block."""

    #: Below the project.
    path: str
    #: Whole lines; nothing but blank ones makes a new file.
    find: str
    instead: str


def read_edits(answer: str) -> tuple[Edit, ...]:
    """The blocks of an answer.

    Raises:
        EditError: there is none, or one names a place outside of the project.
    """
    edits = []
    for match in _BLOCK.finditer(answer.replace("\r\n", "\n")):
        written = match["path"].strip().strip("*").removeprefix("./")
        path = normal_path("", written)
        if not path:
            raise EditError(f"{written} is no file of the project.")
        edits.append(Edit(path, match["find"], match["instead"]))
    if not edits:
        raise EditError("There is no edit block in the answer.")
    if len(edits) != len(re.findall(r"^<{5,9} SEARCH", answer, re.MULTILINE)):
        raise EditError("An edit block is not complete, or no path stands above it.")
    return tuple(edits)


def apply_edits(
    edits: Sequence[Edit], read: Callable[[str], str | None]
) -> Mapping[str, str | None]:
    """The files that edits change.

    Args:
        edits: in their order; several may be of one file.
        read: the text of a file below the project; None where there is none.

    Returns:
        Path -> new text; None for a file that is left without any, which goes.

    Raises:
        EditError: a file or a snippet is not there, or nothing changes.
    """
    before: dict[str, str | None] = {}
    now: dict[str, str | None] = {}
    for edit in edits:
        if edit.path not in now:
            before[edit.path] = now[edit.path] = read(edit.path)
        text = now[edit.path]
        if text is None:
            if edit.find.strip():
                raise EditError(f"There is no file {edit.path}.")
            now[edit.path] = edit.instead if edit.instead.strip() else None
        else:
            now[edit.path] = _replaced(edit, text)
    changed = {path: text for path, text in now.items() if text != before[path]}
    if not changed:
        raise EditError("The edits change nothing.")
    return changed


def _replaced(edit: Edit, text: str) -> str | None:
    if not edit.find.strip():
        raise EditError(f"{edit.path} is there already: say what is to be found in it.")
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n")
    open_end = bool(lines) and not lines.endswith("\n")
    # Snippets are whole lines, and the last line of a file may have no end.
    padded = f"\n{lines}\n" if open_end else f"\n{lines}"
    count = padded.count(f"\n{edit.find}")
    if count != 1:
        where = "is not in" if not count else f"stands {count} times in"
        more = ", exactly as it is written there" if not count else ": give more lines of it"
        raise EditError(f"This snippet {where} {edit.path}{more}.\n{edit.find}")
    result = padded.replace(f"\n{edit.find}", f"\n{edit.instead}")[1:]
    if open_end:
        result = result.removesuffix("\n")
    return result.replace("\n", ending) if result.strip() else None
