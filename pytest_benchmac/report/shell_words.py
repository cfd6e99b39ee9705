"""Simple commands in a line of shell."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from functools import cache

from pytest_benchmac.ecosystems.base import Words
from pytest_benchmac.ecosystems.registry import ecosystem_names, get_ecosystem

#: Programs that only run the command that follows their own options; ecosystems know more.
_WRAPPERS = frozenset(
    {"sudo", "env", "time", "nice", "nohup", "exec", "command", "timeout", "stdbuf", "xvfb-run"}
)
#: Options that are followed by a value of their own.
_VALUED = frozenset(
    ["--prefix", "-C", "--cwd", "-p", "--package", "-w", "--workspace", "--filter", "-c", "--call"]
)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
_SEPARATORS = frozenset({"&&", "||", ";", "|", "|&", "&", "(", ")", "\n", "{", "}", ";;"})
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]?")
_MAX_DEPTH = 3
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1(.*)\n(?:.*\n)*?\t*\2\s*(?=\n|\Z)")


@cache
def known_words() -> tuple[Words, ...]:
    """What the tools of every ecosystem are called."""
    return tuple(get_ecosystem(name).words for name in ecosystem_names())


def simple_commands(line: str, depth: int = 0) -> Iterator[str]:
    """The simple commands of a shell line, without options, wrappers and assignments.

    An approximation, good enough to tell `make all` from `echo "make all"`: text in quotes and in
    here-documents is no command, except as the argument of `sh -c`.
    """
    # A here-document's body is text; the rest of its first line is not.
    line = _HEREDOC.sub(lambda match: f"<< {match[2]}{match[3]}", line)
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    lexer.commenters = "#"
    try:
        words = list(lexer)
    except ValueError:  # An unbalanced quote: the shell would not have run it either.
        return
    current: list[str] = []
    for word in [*words, "\n"]:
        if word in _SEPARATORS or set(word) == {"\n"}:
            yield from _unwrap(current, depth)
            current = []
        else:
            current.append(word)


def _unwrap(words: list[str], depth: int) -> Iterator[str]:
    words = _program_first(words)
    if not words:
        return
    name = _program(words[0])
    if name in _SHELLS:
        scripts = [
            argument
            for option, argument in itertools.pairwise(words)
            if option.startswith("-") and option.endswith("c")
        ]
        if scripts and depth < _MAX_DEPTH:
            yield from simple_commands(scripts[0], depth + 1)
            return
    arguments = _without_options(words[1:])
    runners = (words.runners.get(name, ()) for words in known_words())
    if arguments and any(arguments[0] in each for each in runners):
        yield from _unwrap(arguments[1:], depth)
        return
    yield " ".join([name, *arguments])


def _program_first(words: list[str]) -> list[str]:
    """The words from the first one that names a program of its own."""
    rest = list(words)
    while rest:
        word = rest[0]
        if word in _VALUED:
            del rest[:2]
        elif (
            word in _WRAPPERS
            or any(word in each.wrappers for each in known_words())
            or word in _KEYWORDS
            or word.startswith("-")
            or _ASSIGNMENT.match(word)
            or _DURATION.fullmatch(word)
        ):
            del rest[0]
        else:
            break
    return rest


def _without_options(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUED
        else:
            kept.append(word)
    return kept


def _program(word: str) -> str:
    """`tool` for `folder/bin/tool`, `bin/tool.js`, and for the package that brings it."""
    for each in known_words():
        for pattern, program in each.aliases.items():
            if re.fullmatch(pattern, word):
                return program
    return re.sub(r"\.[cm]?js$|@[\w.^~-]+$", "", word.rsplit("/", 1)[-1])
