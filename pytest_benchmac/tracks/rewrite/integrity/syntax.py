"""What literals, comments, names and numbers of each language look like."""

from __future__ import annotations

import re
from functools import cache

from pytest_benchmac.tracks.rewrite.benchmark import Language

#: What a token is.
WORD, TEXT, NUMBER, SIGN, COMMENT = "word", "text", "number", "sign", "comment"

_C_COMMENTS = r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
_JS_COMMENTS = rf"{_C_COMMENTS}|(?m:^)[ \t]*-->[^\n]*"
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
_JAVA_TEXT = rf'"""(?s:(?:[^\\]|\\.)*?)(?:"""|\Z)|{_QUOTED}|{_CHAR}'
_GO_TEXT = rf"`[^`]*`?|{_QUOTED}|{_CHAR}"
_C_TEXT = (
    r'(?:u8|[uUL])?R"(?P<raw>[^\s()\\"]{0,16})\((?s:.*?)(?:\)(?P=raw)"|\Z)'
    rf"|{_QUOTED}|{_CHAR}"
)
# Templates are read by `pieces`, as nested comments of Rust are.
_JS_TEXT = rf"{_QUOTED}|{_CHAR}"
_SYNTAX: dict[Language, tuple[str, str]] = {
    "c": (_C_COMMENTS, _C_TEXT),
    "c++": (_C_COMMENTS, _C_TEXT),
    "go": (_C_COMMENTS, _GO_TEXT),
    "java": (_C_COMMENTS, _JAVA_TEXT),
    "javascript": (_JS_COMMENTS, _JS_TEXT),
    "typescript": (_JS_COMMENTS, _JS_TEXT),
    "python": (r"\#[^\n]*", _PYTHON_TEXT),
    "rust": (r"//[^\n]*", _RUST_TEXT),
}
_NUMBER = r"(?<![\w.])(?:0[xXbBoO][0-9A-Fa-f_]+|[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][-+]?[0-9]+)?)\w*"
_WORD = r"[^\W\d]\w*"
_JS_ESCAPE = r"\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})"
_WORDS: dict[Language, str] = {
    "javascript": rf"(?:[^\W\d]|{_JS_ESCAPE})(?:\w|{_JS_ESCAPE})*",
    "typescript": rf"(?:[^\W\d]|{_JS_ESCAPE})(?:\w|{_JS_ESCAPE})*",
    "rust": rf"(?:r\#)?{_WORD}",
}


@cache
def pattern_of(language: Language) -> re.Pattern[str]:
    """One token of a language, without those that only a count of brackets can tell."""
    comments, texts = _SYNTAX[language]
    return re.compile(
        rf"(?P<comment>{comments})|(?P<text>{texts})|(?P<word>{_WORDS.get(language, _WORD)})"
        rf"|(?P<number>{_NUMBER})|(?P<sign>[^\s\w])"
    )


def kind_of(match: re.Match[str]) -> str:
    """The kind of a match of `pattern_of`."""
    return next(kind for kind in (COMMENT, TEXT, WORD, NUMBER, SIGN) if match[kind] is not None)
