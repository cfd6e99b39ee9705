"""A page's document without what every build and every version of the framework makes anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

VERSION_ATTRIBUTE = "ng-version"

#: Attributes of the framework's own.
_GENERATED_ATTRIBUTE = re.compile(
    r"(_ngcontent|_nghost|ng-reflect|ng-version|ng-server-context|ng-tns|ngh$|jsaction|nonce"
    r"|data-(critters|beasties)-container)"
)
#: Classes of the framework's own: states of forms, and marks of inserted elements.
_GENERATED_CLASS = re.compile(r"ng-")
#: Numbers that component libraries count up, and digests in names of built files.
_COUNTED = re.compile(r"(?<=-)\d+$")
_DIGEST = re.compile(r"[.-](?:[0-9a-f]{16,}|[A-Z0-9]{8})(?=\.)")
_LEFT_OUT = frozenset({"script", "style", "link", "meta", "noscript"})
#: Deeper elements are indented like these.
_DEEPEST = 100

#: How deep it lies, counted from the root of the document; its tag name in lower case, or `TEXT`;
#: its attributes, or its text by the empty name.
Node = tuple[int, str, Mapping[str, str]]
TEXT = "#text"


@dataclass(frozen=True)
class Dom:
    """A document, normalised.

    Comments, scripts and styles are left out, and attributes, classes and numbers that the
    framework generates; attributes and classes are sorted; white space is collapsed.
    """

    #: Lines of `<tag attribute="value">` and text, indented by depth.
    text: str
    #: The framework's version, as its root element says; None without one.
    version: str | None
    #: Has an element with the framework's mark any content?
    rendered: bool
    #: Tag name of that element; None without one.
    root: str | None = None

    @classmethod
    def of(cls, nodes: Sequence[Node], root: str) -> Dom:
        """Read the nodes of a document.

        Args:
            nodes: elements and texts, as the browser has them, in the document's order.
            root: tag name or `#id` of the root element; other selectors stand for any element.
        """
        lines: list[str] = []
        version = root_tag = None
        rendered = False
        # How deep the element is whose content is left out, and the root element, while inside.
        silent = inside = None
        for depth, tag, values in nodes:
            if silent is not None and depth > silent:
                continue
            silent = depth if tag in _LEFT_OUT else None
            if silent is not None:
                continue
            if inside is not None and depth <= inside:
                inside = None
            indent = " " * min(depth, _DEEPEST)
            if tag == TEXT:
                if text := " ".join(values.get("", "").split()):
                    rendered = rendered or inside is not None
                    lines.append(indent + text)
                continue
            if inside is not None:
                rendered = True
            elif version is None and _is_root(tag, values, root):
                version, root_tag, inside = values[VERSION_ATTRIBUTE], tag, depth
            lines.append(f"{indent}<{tag}{_attributes(values)}>")
        return cls("\n".join(lines), version, rendered, root_tag)


def _is_root(tag: str, values: Mapping[str, str], root: str) -> bool:
    if VERSION_ATTRIBUTE not in values:
        return False
    if re.fullmatch(r"[\w-]+", root):
        return tag == root.lower()
    return not root.startswith("#") or values.get("id") == root[1:]


def _attributes(values: Mapping[str, str]) -> str:
    kept = []
    for name, value in sorted(values.items()):
        if _GENERATED_ATTRIBUTE.match(name):
            continue
        if name == "class":
            classes = sorted(each for each in value.split() if not _GENERATED_CLASS.match(each))
            value = " ".join(classes)
            if not value:
                continue
        elif name in {"id", "for", "aria-describedby", "aria-labelledby", "aria-controls"}:
            value = _COUNTED.sub("N", value)
        elif name in {"src", "href"}:
            value = _DIGEST.sub("", value)
        kept.append(f' {name}="{value}"' if value else f" {name}")
    return "".join(kept)
