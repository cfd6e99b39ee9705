"""XML that a submission wrote: parsed without document types, entities or deep nesting."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

_MAX_DEPTH = 200


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
