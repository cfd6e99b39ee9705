"""Where each token of a text lies: of code inside literals, too, and of comments that nest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.integrity.syntax import (
    COMMENT,
    SIGN,
    TEXT,
    WORD,
    kind_of,
    pattern_of,
)

#: Kind, start and end.
Piece = tuple[str, int, int]

_FORMATTED = re.compile(r"(?P<prefix>(?i:f|rf|fr))(?P<quote>\"\"\"|'''|\"|')")
#: What of a formatted literal is no field; but in raw ones, `\N{...}` is a letter.
_PLAIN = re.compile(r"(?:\\\\|\\N\{[^{}]*\}|\{\{|[^{])*")
_RAW_PLAIN = re.compile(r"(?:\{\{|[^{])*")
_SPECIFIED = re.compile(r"[^{}]*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\(?s:.)|\$(?!\{))*(`|\$\{)?")
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/")
_EDGE = re.compile(r"/\*|\*/")
#: After these words of JavaScript comes a value, and a slash begins a pattern.
_BEFORE_VALUES = frozenset(
    [
        "await",
        "case",
        "delete",
        "do",
        "else",
        "in",
        "instanceof",
        "new",
        "of",
        "return",
        "throw",
        "typeof",
        "void",
        "yield",
    ]
)
#: What stands before the bracket behind whose end a statement begins.
_BEFORE_STATEMENTS = frozenset(["for", "if", "while", "with"])


def pieces(text: str, language: Language) -> Iterator[Piece]:
    """Those of a text that is as `as_compiled` has it."""
    match language:
        case "python":
            return _of_python(text, 0, len(text))
        case "javascript" | "typescript":
            return _of_script(text, language)
        case "rust":
            return _of_rust(text)
    return ((kind_of(each), *each.span()) for each in pattern_of(language).finditer(text))


def _of_rust(text: str) -> Iterator[Piece]:
    pattern, at = pattern_of("rust"), 0
    while (found := pattern.search(text, at)) is not None:
        kind, start, at = kind_of(found), *found.span()
        if text.startswith("/*", start) and kind == SIGN:
            kind, depth = COMMENT, 0
            for edge in _EDGE.finditer(text, start):
                depth += 1 if edge[0] == "/*" else -1
                at = edge.end()
                if not depth:
                    break
            else:
                at = len(text)
        yield kind, start, at


def _of_python(text: str, at: int, end: int) -> Iterator[Piece]:
    pattern = pattern_of("python")
    while (found := pattern.search(text, at, end)) is not None:
        at = found.end()
        if found["text"] is not None and _FORMATTED.match(found[0]) is not None:
            yield from _formatted(text, *found.span())
        else:
            yield kind_of(found), *found.span()


def _formatted(text: str, start: int, end: int) -> Iterator[Piece]:
    """A formatted literal of Python 3.11: plain pieces, and the code of its fields.

    Inside of one its own quotes cannot stand, so that four at most lie in each other.
    """
    opened = _FORMATTED.match(text, start, end)
    if opened is None:
        return
    plain = _RAW_PLAIN if "r" in opened["prefix"].lower() else _PLAIN
    closed = text.endswith(opened["quote"], opened.end(), end)
    last = end - len(opened["quote"]) if closed else end
    pattern = pattern_of("python")
    begun, at = start, opened.end()
    #: Of each field that is open: its open brackets; None behind its colon.
    fields: list[int | None] = []
    while at < last:
        if not fields or fields[-1] is None:
            told = (_SPECIFIED if fields else plain).match(text, at, last)
            at = at if told is None else told.end()
            if at < last:
                if text[at] == "{":
                    yield TEXT, begun, at + 1
                    fields.append(0)
                else:
                    fields.pop()
                at += 1
                begun = at - 1
            continue
        found = pattern.search(text, at, last)
        if found is None:
            break
        at, told_sign, depth = found.end(), found["sign"], fields[-1]
        if told_sign is not None and told_sign in "([{":
            fields[-1] = depth + 1
        elif told_sign is not None and told_sign in ")]}" and depth:
            fields[-1] = depth - 1
        elif told_sign == "}":
            fields.pop()
            begun = found.start()
            continue
        elif told_sign == ":" and not depth:
            fields[-1] = None
            begun = found.start()
            continue
        if found["text"] is not None and _FORMATTED.match(found[0]) is not None:
            yield from _formatted(text, *found.span())
        else:
            yield kind_of(found), *found.span()
        begun = found.end()
    yield TEXT, begun, end


def _of_script(text: str, language: Language) -> Iterator[Piece]:
    """JavaScript: templates with code inside, and patterns, which a slash alone does not tell."""
    pattern, at = pattern_of(language), 0
    #: Of each template that is open: its open braces. Of each open bracket: what stood before it.
    templates: list[int] = []
    brackets: list[str] = []
    before, ended = "", ""
    # The end of a line on which a pattern has no end: looked for once, or long lines take for ever.
    failed = -1
    while (found := pattern.search(text, at)) is not None:
        kind, (start, at), sign = kind_of(found), found.span(), found["sign"]
        if kind == COMMENT:
            yield kind, start, at
            continue
        told = found[0]
        if sign == "`" or (sign == "}" and templates and not templates[-1]):
            if sign == "}":
                templates.pop()
            piece = _TEMPLATE.match(text, at)
            at = len(text) if piece is None else piece.end()
            kind = TEXT
            told = "`"
            if piece is not None and piece[1] == "${":
                templates.append(0)
                told = "("
        elif sign in ("{", "}") and templates:
            templates[-1] += 1 if sign == "{" else -1
        elif sign in ("+", "-") and before == sign and text[start - 1] == sign:
            # Behind `x++` a slash divides, and before a pattern nothing is counted up.
            told = "`"
        elif sign == "(":
            brackets.append(before)
        elif sign == ")":
            ended = brackets.pop() if brackets else ""
        elif sign == "/" and start > failed and _is_value_next(before, ended):
            regex = _REGEX.match(text, start)
            if regex is not None:
                kind, at, told = TEXT, regex.end(), "`"
            else:
                failed = _end(text, at)
        yield kind, start, at
        # A member of that name is a name like any other.
        before = "." if kind == WORD and before == "." else told


def _end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _is_value_next(before: str, ended: str) -> bool:
    """Does a value come next, no operator? `ended`: what stood before the last closed bracket."""
    if before == ")":
        return ended in _BEFORE_STATEMENTS
    if before in _BEFORE_VALUES or not before:
        return True
    return not (before[0].isalnum() or before[0] in "_$\"'`].}\\" or before.isidentifier())
