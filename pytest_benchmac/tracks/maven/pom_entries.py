"""Entries of project files, by what names them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pytest_benchmac.foreign.xmlfiles import local_name
from pytest_benchmac.tracks.maven.pom import Pom, text

OWN_GROUP = "org.apache.maven.plugins"
#: Stands for the attribute that names the class which something is made of.
IMPLEMENTATION = "@implementation"


@dataclass(frozen=True)
class PomEntry:
    """One text in a project file."""

    file: str
    #: Names from the root down; `plugin[g:a]` and the like where there are several of a name.
    path: tuple[str, ...]
    value: str

    @property
    def leaf(self) -> str:
        """The last name."""
        return self.path[-1]

    @property
    def plugin(self) -> str:
        """`group:artifact` of the plugin that it belongs to; empty if it is no plugin's."""
        for name in reversed(self.path):
            if name.startswith("plugin["):
                return name[len("plugin[") : -1]
        return ""

    @property
    def configured(self) -> str:
        """The key right below `configuration`; empty if it is no configuration."""
        if "configuration" not in self.path[:-1]:
            return ""
        return self.path[self.path.index("configuration") + 1]

    def __str__(self) -> str:
        return "/".join(self.path)


def entries(pom: Pom) -> Iterator[PomEntry]:
    """Every text of a project file, and every element without one."""
    pending: list[tuple[Element, tuple[str, ...]]] = [(pom.root, ())]
    while pending:
        element, path = pending.pop()
        inner = [each for each in element if local_name(each)]
        if not inner and path:
            yield PomEntry(pom.path, path, (element.text or "").strip())
        if path and (given := element.get(IMPLEMENTATION[1:])):
            yield PomEntry(pom.path, (*path, IMPLEMENTATION), given)
        pending += [(each, (*path, _step(each))) for each in reversed(inner)]


def _step(element: Element) -> str:
    name = local_name(element)
    if name in ("plugin", "dependency", "exclusion", "extension", "path"):
        group = text(element, "groupId") or (OWN_GROUP if name == "plugin" else "")
        return f"{name}[{group}:{text(element, 'artifactId')}]"
    if name in ("profile", "execution", "repository", "pluginRepository"):
        return f"{name}[{text(element, 'id') or 'default'}]"
    return name
