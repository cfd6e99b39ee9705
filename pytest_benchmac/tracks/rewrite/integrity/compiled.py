"""A source as its compiler reads it, before it looks for words.

What stands in a comment or a literal for a lexer has to stand there for the compiler as well:
letters written as escapes, ends of lines that are none, other letters for the same name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from pytest_benchmac.tracks.rewrite.benchmark import Language


def named(word: str, language: Language) -> str:
    """A name as the compiler compares it."""
    if language == "python":
        return word if word.isascii() else unicodedata.normalize("NFKC", word)
    if language == "rust":
        return word.removeprefix("r#")
    if "\\" in word:
        return re.sub(
            r"\\u\{?([0-9a-fA-F]+)\}?", lambda found: _char(int(found[1], 16), found[0]), word
        )
    return word


def as_compiled(text: str, language: Language) -> str:
    """A text with that undone which compilers undo before they look for words."""
    undo = _UNDONE.get(language)
    return text if undo is None else undo(text)


def _of_java(text: str) -> str:
    # Of a row of backslashes, one that follows an even number begins an escape (JLS 3.3).
    text = re.sub(
        r"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})",
        lambda found: found[1] + _char(int(found[2], 16), found[0]),
        text,
    )
    return _ends(text)


def _of_c(text: str) -> str:
    # A line that goes on does so in the midst of words and comments. Numbers of lines stay.
    lines: list[str] = []
    open_: list[str] = []
    for line in text.replace("??/", "\\").replace("\r\n", "\n").split("\n"):
        bare = line.rstrip(" \t\f\v")
        if bare.endswith("\\"):
            open_.append(bare[:-1])
            continue
        lines += ["".join([*open_, line]), *([""] * len(open_))]
        open_ = []
    return "\n".join([*lines, *(["".join(open_)] if open_ else [])])


def _of_python(text: str) -> str:
    # Other low lines are one in names; none of them is a word to `re`.
    return re.sub("[\ufe33\ufe34\ufe4d-\ufe4f\uff3f]", "_", _ends(text))


def _of_script(text: str) -> str:
    return _first_line(re.sub("[\u2028\u2029]", "\n", _ends(text)))


def _first_line(text: str) -> str:
    # `#![` is an attribute of Rust.
    return re.sub(r"\A#!(?!\[)", "//", text)


def _ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _char(code: int, otherwise: str) -> str:
    return chr(code) if code <= 0x10FFFF else otherwise


_UNDONE: Mapping[Language, Callable[[str], str]] = {
    "c": _of_c,
    "c++": _of_c,
    "java": _of_java,
    "javascript": _of_script,
    "python": _of_python,
    "rust": _first_line,
    "typescript": _of_script,
}
