"""Definitions of components and directives that Angular's compiler leaves in scripts.

`e.ɵcmp=f({type:e,selectors:[["app-foo"]],...,template:function(t,a){...}` and, of a static field
for browsers without such, `c(e,"ɵcmp",f({type:e,...`; property names survive every minifier.
Without one webpack leaves `e.ɵcmp = core["ɵɵdefineComponent"]({ type: e, ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: In one script.
_MAX_DEFINITIONS = 5_000
#: How far behind the selectors the template is looked for.
_MAX_DEFINITION = 64 * 1024
_DEFINITION = re.compile(
    r"(?:\u0275|\\u0275|\\u\{0{0,9}275\})(?:cmp|dir)[\"']?\s{0,9}[=,]\s{0,9}"
    r"(?:/\*[^*]{0,99}\*/\s{0,9})?[\w$.(),\s\[\]\"'\\]{1,99}\(\s{0,9}\{\s{0,9}"
    r"[\"']?type[\"']?\s{0,9}:\s{0,9}(?P<type>[\w$.]{1,99}),\s{0,9}"
    r"[\"']?selectors[\"']?\s{0,9}:\s{0,9}(?P<selectors>\[\s{0,9}\[[^()={};]{0,2000}?\]\s{0,9}\])"
)
_PART = re.compile(r"\"([^\"\\]{0,200})\"|'([^'\\]{0,200})'|`([^`\\$]{0,200})`|(\d{1,3})|(\])")
_TOKEN = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`|//[^\n]*|/\*.*?\*/"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<template>\btemplate\s{0,9}:\s{0,9})",
    re.DOTALL,
)
#: Flag of a part of a selector: classes, and no longer attributes, follow. All odd ones negate.
_CLASSES = 8


@dataclass(frozen=True)
class Definition:
    """One definition in a script. Offsets count characters of the text."""

    #: Names that each alternative of the selector asks for, in lower case.
    selectors: tuple[frozenset[str], ...]
    #: The selector with all its alternatives, for people.
    shown: str
    #: Where the name of the class stands.
    class_offset: int
    #: Where the template function starts; None where there is none.
    template_offset: int | None


def definitions(script: str) -> Iterator[Definition]:
    """The definitions in a script."""
    for number, match in enumerate(_DEFINITION.finditer(script)):
        if number >= _MAX_DEFINITIONS:
            break
        parts = tuple(_selectors(match["selectors"]))
        yield Definition(
            selectors=tuple(names for names, _ in parts),
            shown=", ".join(shown for _, shown in parts),
            class_offset=match.start("type"),
            template_offset=_template(script, match.end()),
        )


def _selectors(text: str) -> Iterator[tuple[frozenset[str], str]]:
    """The names of each alternative, and how it is written.

    `["a","b","c",3,"d",""]` asks for an element a with the attribute b="c" and without d.
    """
    strings: list[str] = []
    flag = None
    for one, two, three, number, end in _PART.findall(text):
        if end:
            if strings:
                attributes = [name for name in strings[1::2] if name]
                names = frozenset(each.lower() for each in (strings[0], *attributes) if each)
                yield names, strings[0] + "".join(f"[{name}]" for name in attributes)
            strings, flag = [], None
        elif number:
            flag = int(number)
        elif flag is None or not (flag & 1 or flag & _CLASSES):
            strings.append(one or two or three)


def _template(script: str, start: int) -> int | None:
    """Where the value of `template` starts in the object that goes on at `start`."""
    depth = 1
    for token in _TOKEN.finditer(script, start, start + _MAX_DEFINITION):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
            if depth == 0:
                return None
        elif token["template"] and depth == 1:
            return token.end()
    return None
