"""Foreign text: decoded without failing, and shown without acting on a terminal."""

from __future__ import annotations

import codecs

SHOWN_CHARACTERS = 300
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def shown(value: object, limit: int = SHOWN_CHARACTERS) -> str:
    """Foreign text on one line, fit for terminals: control characters escaped, long text cut."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) > limit:
        text = f"{text[: limit - 30]}... ({len(text)} characters)"
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode()
        for c in text
    )


def printable(text: str) -> str:
    """Text of unknown origin without what a terminal would obey; line breaks and tabs stay."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def decode(content: bytes) -> str:
    """Text as compilers read it: UTF-16 with a byte order mark, else UTF-8, never failing."""
    for mark, encoding in _ENCODINGS:
        if content.startswith(mark):
            return content.removeprefix(mark).decode(encoding, "replace")
    return content.decode("utf-8", "replace")


def line_of(text: str, position: int) -> int:
    """The line that a position in the text lies on, counted from 1."""
    return text.count("\n", 0, position) + 1
