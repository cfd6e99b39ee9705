"""The entry page: what it loads and runs by itself.

Read with a tokenizer of the harness's own rather than a lenient parser: what looks like a script
or a frame to a browser has to look so here, and the other way round costs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))|<([A-Za-z][^\s/>]*)", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z][^\s/>]*)")
#: Elements in which a browser knows no comments: what looks like one there hides nothing.
_RAW = frozenset({"title", "textarea", "style", "xmp", "noembed", "noframes", "noscript"})
_ATTRIBUTE = re.compile(
    r"[\s/]*+([^\s=>/][^\s=>/]*+)(?:\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*+)))?"
)
_SCRIPT_END = re.compile(r"</script", re.IGNORECASE)
#: Types of `<script>` that hold data.
_DATA = frozenset({"application/json", "application/ld+json", "text/template", "text/html"})
_FRAMES = frozenset({"iframe", "frame", "frameset", "object", "embed", "portal", "applet"})
#: A `<base>` that leads to a folder of the page's own host: nothing by itself.
FOLDER = "base folder"
INLINE = "inline script"
SCRIPT = "script"
_MAX_PAGE = 1024 * 1024
_MAX_FOUND = 1000


@dataclass(frozen=True)
class Active:
    """One thing on a page that runs code or shows another page."""

    #: SCRIPT, INLINE, `frame`, `handler`, `refresh`, `base` or FOLDER.
    kind: str
    #: The address it loads, or the code itself, without blanks at its ends.
    content: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same thing on another page."""
        return self.kind, self.content


@dataclass(frozen=True)
class Element:
    """The start tag of an element, as a browser reads it."""

    #: In lower case, as the names of attributes.
    name: str
    attributes: Mapping[str, str]
    #: What stands in a script, a style sheet or their like, which have no elements within.
    body: str
    line: int


def elements(page: str) -> Iterator[Element]:
    """All elements of a page or template, in order, without those in comments. Never fails."""
    position = raw_until = counted = 0
    line = 1
    while (tag := (_TAG if position < raw_until else _TOKEN).search(page, position)) is not None:
        position = tag.end()
        if tag[1] is None:
            continue
        name, body = tag[1].lower(), ""
        attributes: dict[str, str] = {}
        while (each := _ATTRIBUTE.match(page, position)) is not None:
            position = each.end()
            # The first of two equal attributes counts.
            attributes.setdefault(each[1].lower(), each[2] or each[3] or each[4] or "")
        closed = page.find(">", position)
        position = len(page) if closed < 0 else closed + 1
        line, counted = line + page.count("\n", counted, tag.start()), tag.start()
        if name in _RAW and position >= raw_until:
            end = re.compile(f"</{name}", re.IGNORECASE).search(page, position)
            raw_until = end.start() if end else len(page)
            body = page[position:raw_until]
        elif name == "script":
            end = _SCRIPT_END.search(page, position)
            body = page[position : end.start() if end else len(page)]
            position = end.end() if end else len(page)
        yield Element(name, attributes, body, line)


def active_content(page: str) -> list[Active]:
    """All that a page loads or runs by itself, in order. Never fails."""
    found: list[Active] = []
    for each in elements(page[:_MAX_PAGE]):
        if len(found) >= _MAX_FOUND:
            break
        name, attributes, line = each.name, each.attributes, each.line
        if name == "script":
            if attributes.get("type", "").strip().lower() in _DATA:
                continue
            source = attributes.get("src", attributes.get("href", attributes.get("xlink:href")))
            if source is not None:
                found.append(Active(SCRIPT, source.strip(), line))
            elif body := each.body.strip():
                found.append(Active(INLINE, body, line))
        elif name in _FRAMES:
            source = attributes.get("src") or attributes.get("data") or attributes.get("srcdoc", "")
            found.append(Active("frame", source.strip(), line))
        elif name == "meta" and attributes.get("http-equiv", "").strip().lower() == "refresh":
            found.append(Active("refresh", attributes.get("content", "").strip(), line))
        elif name == "base" and "href" in attributes:
            kind = "base" if "//" in attributes["href"] else FOLDER
            found.append(Active(kind, attributes["href"].strip(), line))
        found += [
            Active("handler", f"{key}={value.strip()}", line)
            for key, value in attributes.items()
            if key.startswith("on") or value.strip().lower().startswith("javascript:")
        ]
    return found


def added_content(base: Sequence[Active], patched: Sequence[Active]) -> list[Active]:
    """What the patched page has more than the baseline's."""
    left = Counter(each.key for each in base)
    added: list[Active] = []
    for each in patched:
        if left[each.key] > 0:
            left[each.key] -= 1
        else:
            added.append(each)
    return added
