"""What the files of a tree say, read once for all legs. Nothing of it is run."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.integrity.languages import TARGETS, TargetLanguage
from pytest_benchmac.tracks.rewrite.integrity.lexing import Token, tokens
from pytest_benchmac.tracks.rewrite.integrity.syntax import COMMENT, TEXT

#: A larger file is no source of anybody's, and no program has more of them.
MAX_FILE_BYTES, MAX_BYTES = 2 * MIB, 16 * MIB
_NAMED = re.compile(r'([\w.]+ )?"([^"]*)"')
_MODULE = re.compile(r"[\w@./:+-]{1,100}")
_CODING = re.compile(r"[ \t\f\ufeff]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_UTF8 = frozenset(["utf-8", "utf8", "utf_8", "ascii", "us-ascii"])
_PREFIX = re.compile(r"^(?i:[rbfu]{0,3}|u8|l)(?=[\"'`#])")


@dataclass(frozen=True)
class Found:
    """Something in a source."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Source:
    """One source, as its patterns look at it."""

    path: str
    text: str
    language: Language

    def tokens(self) -> Iterator[Token]:
        """All of them, made anew: what they take is many times the text."""
        return tokens(self.text, self.language)

    @property
    def lines(self) -> int:
        """Lines that are not blank."""
        return sum(bool(line.strip()) for line in self.text.split("\n"))

    def find(self, pattern: str) -> Found | None:
        """The first place where a pattern over code matches."""
        code = self._code
        match = re.search(pattern, code.text)
        return None if match is None else Found(self.path, code.line(match.start()), match[0])

    def modules(self, language: TargetLanguage) -> list[Found]:
        """Names of modules that it imports, behind the name that the code gives them."""
        code = _joined(self.tokens(), literals=True)
        found = []
        for match in re.finditer(language.modules, code.text):
            line = code.line(match.start())
            for group in filter(None, match.groups()):
                names = _NAMED.findall(group) or [("", group)]
                found += [Found(self.path, line, f"{alias}{name}") for alias, name in names]
        return found

    @cached_property
    def literals(self) -> list[Found]:
        """Contents of its literals."""
        return [
            Found(self.path, token.line, content_of(token.text))
            for token in self.tokens()
            if token.kind == TEXT
        ]

    @cached_property
    def comments(self) -> list[Found]:
        """Its comments."""
        return [Found(self.path, t.line, t.text) for t in self.tokens() if t.kind == COMMENT]

    @cached_property
    def _code(self) -> _Code:
        return _joined(self.tokens(), literals=False)


@dataclass(frozen=True)
class _Code:
    """Words and signs apart by single blanks."""

    text: str
    #: Where each begins in the text, and its line.
    starts: list[int]
    numbers: list[int]

    def line(self, position: int) -> int:
        """The line of what stands at a position."""
        return self.numbers[bisect_right(self.starts, position) - 1]


def _joined(found: Iterator[Token], *, literals: bool) -> _Code:
    """Literals are left empty, but for those that may name a module, where that is asked."""
    parts: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    at = 0
    for token in found:
        if token.kind == COMMENT:
            continue
        text = token.text
        if token.kind == TEXT:
            inner = content_of(text)
            text = f'"{inner}"' if literals and _MODULE.fullmatch(inner) else '""'
        parts.append(text)
        starts.append(at)
        numbers.append(token.line)
        at += len(text) + 1
    return _Code(" ".join(parts) + " ", starts or [0], numbers or [1])


@dataclass(frozen=True)
class Survey:
    """A tree."""

    language: Language
    sources: tuple[Source, ...]
    #: Text of all other files that may be there, by path.
    others: Mapping[str, str]
    #: Files that are not part of a rewrite: path -> why.
    left_out: Mapping[str, str]

    @property
    def lines(self) -> int:
        """Lines of its sources that are not blank."""
        return sum(source.lines for source in self.sources)

    @property
    def kept(self) -> list[str]:
        """Paths of all that is part of it."""
        return [*(source.path for source in self.sources), *self.others]


def survey(tree: SourceTree, language: Language) -> Survey:
    """Read a tree as one of a language's: text of names that it admits, and nothing else."""
    target = TARGETS[language]
    sources: list[Source] = []
    others: dict[str, str] = {}
    left_out: dict[str, str] = {}
    left = MAX_BYTES
    for path in tree.files:
        if not target.admits(path):
            left_out[path] = "no file of the target language or its build"
            continue
        content = tree.read(path, MAX_FILE_BYTES)
        text = _text(content, language)
        left -= len(content or b"")
        if left < 0:
            left_out[path] = f"more than {MAX_BYTES} bytes in all"
        elif text is None:
            left_out[path] = "too large" if content is None else "no text"
        elif target.is_source(path):
            sources.append(Source(path, text, language))
        else:
            others[path] = text
    return Survey(language, tuple(sources), others, left_out)


def content_of(literal: str) -> str:
    """What stands between the quotes; escapes are left as they are."""
    text = _PREFIX.sub("", literal).strip("#")
    for quotes in ('"""', "'''"):
        if text.startswith(quotes):
            return text[3:].removesuffix(quotes)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] else text[1:]


def _text(content: bytes | None, language: Language) -> str | None:
    """Text that its compiler reads as UTF-8, too; None for anything else."""
    if content is None or b"\0" in content:
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if language == "python":
        # PEP 263: code that is written in escapes would be none here.
        for line in re.split(r"\r\n|\r|\n", text, maxsplit=2)[:2]:
            declared = _CODING.match(line)
            if declared is not None and declared[1].lower() not in _UTF8:
                return None
    return text
