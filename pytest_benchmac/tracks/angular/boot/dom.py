"""A page's document without what every build and every version of the framework makes anew."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

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
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "source", "track", "wbr")
)


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
    def parse(cls, html: str, root: str) -> Dom:
        """Read a document that a browser wrote out.

        Args:
            html: of the whole document.
            root: tag name or `#id` of the root element; other selectors stand for any element.
        """
        reader = _Reader(root)
        reader.feed(html)
        reader.close()
        return cls("\n".join(reader.lines), reader.version, reader.rendered, reader.root_tag)


@dataclass
class _Reader(HTMLParser):
    root: str
    lines: list[str] = field(default_factory=list)
    version: str | None = None
    rendered: bool = False
    root_tag: str | None = None
    _open: list[str] = field(default_factory=list)
    _root_depth: int | None = None
    _silent: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEFT_OUT or self._silent:
            if tag in _LEFT_OUT and tag not in {"link", "meta"}:
                self._silent += 1
            return
        values = {name: value or "" for name, value in attrs}
        if self._root_depth is not None:
            self.rendered = True
        elif self._is_root(tag, values):
            self.version, self.root_tag = values[VERSION_ATTRIBUTE], tag
            self._root_depth = len(self._open)
        self.lines.append(f"{' ' * len(self._open)}<{tag}{_attributes(values)}>")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _LEFT_OUT:
            self._silent = max(0, self._silent - 1)
            return
        if self._silent or tag not in self._open:
            return
        while self._open.pop() != tag:
            pass
        if self._root_depth is not None and len(self._open) <= self._root_depth:
            self._root_depth = None

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if text and not self._silent:
            if self._root_depth is not None:
                self.rendered = True
            self.lines.append(" " * len(self._open) + text)

    def _is_root(self, tag: str, values: dict[str, str]) -> bool:
        if self.version is not None or VERSION_ATTRIBUTE not in values:
            return False
        if re.fullmatch(r"[\w-]+", self.root):
            return tag == self.root.lower()
        return not self.root.startswith("#") or values.get("id") == self.root[1:]


def _attributes(values: dict[str, str]) -> str:
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
