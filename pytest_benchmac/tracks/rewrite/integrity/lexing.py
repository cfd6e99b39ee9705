"""Words, literals and comments of source text, without a parser: to compare and to search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pytest_benchmac.tracks.rewrite.benchmark import Language

#: What a token is.
WORD, TEXT, NUMBER, SIGN, COMMENT = "word", "text", "number", "sign", "comment"

_C_COMMENTS = r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
_QUOTED = r'"(?:[^"\\\n]|\\(?s:.))*"?'
_CHAR = r"'(?:[^'\\\n]|\\(?s:.))*'?"
_PYTHON_TEXT = (
    r"(?i:[rbfu]{0,2})(?:\"\"\"(?s:(?:[^\\]|\\.)*?)(?:\"\"\"|\Z)|'''(?s:(?:[^\\]|\\.)*?)(?:'''|\Z)"
    rf"|{_QUOTED}|{_CHAR})"
)
_RUST_TEXT = (
    r"b?r(?P<hashes>#*)\"(?s:.*?)(?:\"(?P=hashes)|\Z)|b?\"(?:[^\"\\]|\\(?s:.))*\"?"
    r"|b?'(?:[^'\\\n]|\\[^\n]{1,10})'"
)
_JS_TEXT = rf"{_QUOTED}|{_CHAR}|`(?:[^`\\]|\\(?s:.))*`?"
_JAVA_TEXT = rf'"""(?s:(?:[^\\]|\\.)*?)(?:"""|\Z)|{_QUOTED}|{_CHAR}'
_GO_TEXT = rf"`[^`]*`?|{_QUOTED}|{_CHAR}"
_C_TEXT = rf'(?:u8|[uUL])?R"(?P<raw>\w*)\((?s:.*?)(?:\)(?P=raw)"|\Z)|{_QUOTED}|{_CHAR}'
_SYNTAX: dict[Language, tuple[str, str]] = {
    "c": (_C_COMMENTS, _C_TEXT),
    "c++": (_C_COMMENTS, _C_TEXT),
    "go": (_C_COMMENTS, _GO_TEXT),
    "java": (_C_COMMENTS, _JAVA_TEXT),
    "javascript": (_C_COMMENTS, _JS_TEXT),
    "typescript": (_C_COMMENTS, _JS_TEXT),
    "python": (r"\#[^\n]*", _PYTHON_TEXT),
    "rust": (_C_COMMENTS, _RUST_TEXT),
}
_NUMBER = r"(?<![\w.])(?:0[xXbBoO][0-9A-Fa-f_]+|[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][-+]?[0-9]+)?)\w*"


@dataclass(frozen=True)
class Token:
    """A piece of a source; `line` counts from 1."""

    kind: str
    text: str
    line: int


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    comments, texts = _SYNTAX[language]
    return re.compile(
        rf"(?P<comment>{comments})|(?P<text>{texts})|(?P<word>[^\W\d]\w*)|(?P<number>{_NUMBER})"
        r"|(?P<sign>[^\s\w])"
    )


def tokens(text: str, language: Language) -> Iterator[Token]:
    """All tokens of a text; whatever it holds, this comes to its end and raises nothing."""
    line, at = 1, 0
    for match in _pattern(language).finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield Token(_kind(match), match[0], line)


def _kind(match: re.Match[str]) -> str:
    return next(kind for kind in (COMMENT, TEXT, WORD, NUMBER, SIGN) if match[kind] is not None)
