"""XML that a submission wrote: parsed without document types, entities or deep nesting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, fromstring

_MAX_DEPTH = 200
#: Values of attributes may hold a >.
_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")


class XmlError(Exception):
    """The text is no XML that this package reads; says why."""


def parse_xml(content: bytes) -> Element:
    """The root element.

    Raises:
        XmlError: malformed, with a document type or entities of its own, or nested too deep.
    """
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError) as error:
        # ValueError and LookupError: an encoding that does not exist, or does not fit.
        raise XmlError(f"is not well-formed: {error}") from error
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise XmlError(f"elements are nested deeper than {_MAX_DEPTH}")
        level = [child for element in level for child in element]
    return root


def local_name(element: Element) -> str:
    """The element's name without its namespace; empty for a comment or instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


@dataclass(frozen=True)
class XmlPlace:
    """Where an element lies in a text that is to be changed without writing it anew."""

    #: Local names from the root down.
    path: tuple[str, ...]
    #: Offsets in bytes of the start tag, and of what comes after it.
    start: int
    inside: int
    #: Of the end tag; of an element that closes itself, of what follows.
    end: int

    def text(self, content: bytes) -> bytes:
        """What stands last before the end tag, after any tag or comment; not unescaped."""
        return content[self.text_start(content) : self.end]

    def text_start(self, content: bytes) -> int:
        """Where that begins."""
        return content.rfind(b">", 0, self.end) + 1


def xml_places(content: bytes) -> list[XmlPlace]:
    """Every element, in the order in which they end; comments hold none.

    Raises:
        XmlError: as `parse_xml`.
    """
    parse_xml(content)
    target = _Places(content)
    target.parser = DefusedXMLParser(target=target, forbid_dtd=True)
    target.parser.feed(content)
    target.parser.close()
    return target.found


class _Places:
    """Takes what a parser finds."""

    parser: DefusedXMLParser

    def __init__(self, content: bytes) -> None:
        self.found: list[XmlPlace] = []
        self._content = content
        self._open: list[tuple[str, int]] = []

    def start(self, tag: str, attributes: object) -> None:
        """An element begins."""
        self._open.append((tag.rpartition("}")[2], self._offset))

    def end(self, tag: str) -> None:
        """The last one ends."""
        path = tuple(name for name, _ in self._open)
        _, start = self._open.pop()
        tag_text = _TAG.match(self._content, start)
        if tag_text is None:
            raise XmlError("is in an encoding in which its tags cannot be found")
        self.found.append(XmlPlace(path, start, tag_text.end(), self._offset))

    def close(self) -> None:
        """Nothing is left to do."""

    @property
    def _offset(self) -> int:
        offset: int = self.parser.parser.CurrentByteIndex
        return offset
