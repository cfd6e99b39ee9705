"""The tokens of an Angular template.

A template is taken as a bag of tokens that says what a page shows and does, and that stays nearly
the same when `*ngIf` becomes `@if`, or modules become standalone components:

- `<name` for every element, but for Angular's own containers, which leave no trace in the page;
- `@name` for every attribute, binding, event, two-way binding and reference, by its bare name
  (`[value]`, `(value)`, `bind-value`, `attr.value` and `value` are one), control flow left out;
- every word of two letters and more in text, attribute values and expressions, in lower case, but
  for the words of control flow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

#: Beyond this many characters a template is not read.
MAX_TEMPLATE = 1024 * 1024
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/><]*)")
_ATTRIBUTE = re.compile(r"[\s/]*+([^\s=>/\"'][^\s=>]*)(\s*+=\s*+)?")
_VALUE = re.compile(r"\"([^\"]*)\"?|'([^']*)'?|([^\s>]*)")
_WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]")
_WRAPPED = re.compile(r"^(?:\[\(|[\[(*#]|bind-|on-|bindon-|ref-)+|[\])]+$")
_CONTAINERS = frozenset({"ng-container", "ng-template", "ng-content"})
_CONTROL_FLOW = re.compile(r"ngif|ngfor|ngswitch|ngelse|rxfor|rxif|rxlet|let-")
#: The words of control flow, in both of its forms, and of what is handled by it.
_NOISE = frozenset(
    """
    as async case count default defer else empty error even event false first for if index last let
    loading ngfor ngforof ngif ngswitch ngswitchcase ngswitchdefault null odd of placeholder switch
    then this track trackby true undefined
    """.split()  # noqa: SIM905 (as prose it can be read)
)


def template_tokens(template: str) -> Counter[str]:
    """The bag of tokens of a template. Linear in its length; never fails."""
    return Counter(_tokens(template[:MAX_TEMPLATE]))


def _tokens(template: str) -> Iterator[str]:
    text = _COMMENT.sub(" ", template)
    position = 0
    while (tag := _TAG.search(text, position)) is not None:
        yield from _words(text[position : tag.start()])
        name = tag[2].lower()
        if not tag[1] and name not in _CONTAINERS:
            yield f"<{name}"
        position = tag.end()
        while (attribute := _ATTRIBUTE.match(text, position)) is not None:
            position = attribute.end()
            yield from _attribute(attribute[1])
            if attribute[2]:
                value = _VALUE.match(text, position)
                if value is not None:
                    yield from _words(value[value.lastindex or 0])
                    position = value.end()
        # What no attribute can begin with: the end of the tag, or a stray quote.
        end = text.find(">", position)
        if end < 0:
            break
        position = end + 1
    yield from _words(text[position:])


def _attribute(name: str) -> Iterator[str]:
    bare = _WRAPPED.sub("", name).removeprefix("attr.")
    if _CONTROL_FLOW.match(bare.lower()):
        return
    head, _, rest = bare.partition(".")
    if head:
        yield f"@{head.lower()}"
    if head in ("class", "style"):
        yield from _words(rest)


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if word not in _NOISE:
            yield word


def used_names(tokens: Counter[str]) -> set[str]:
    """Names of elements and attributes that a template uses, as selectors may match them."""
    return {token[1:] for token in tokens if token[0] in "<@"}
