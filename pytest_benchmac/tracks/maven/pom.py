"""Maven's project files: as written, and as far resolved as dependencies' versions need.

Inheritance, interpolation and imports follow the Maven model reference (maven.apache.org,
"Introduction to the POM" and "Introduction to the Dependency Mechanism"). Versions that only a
running Maven could know (ranges, profiles' properties, the environment) stay unresolved.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.foreign.xmlfiles import XmlError, local_name, parse_xml

POM = "pom.xml"
MAX_POM_BYTES = 1024 * 1024
#: Of all project files: as elements they take a hundred times as much.
_MAX_BYTES = 16 * 1024 * 1024
_MAX_MODULES = 2_000


@dataclass(frozen=True)
class Dependency:
    """A dependency, or one that `dependencyManagement` speaks of, as written."""

    group: str
    artifact: str
    version: str
    scope: str
    type: str

    @property
    def key(self) -> str:
        """`group:artifact`."""
        return f"{self.group}:{self.artifact}"


@dataclass(frozen=True)
class Parent:
    """The `parent` element, as written."""

    group: str
    artifact: str
    version: str
    relative_path: str


@dataclass(frozen=True)
class Pom:
    """One project file, as written. Profiles' dependencies and modules are among the others."""

    #: Below the root of the tree; for others `group:artifact:version`.
    path: str
    root: Element = field(repr=False, compare=False)
    group: str
    artifact: str
    version: str
    packaging: str
    parent: Parent | None
    properties: Mapping[str, str]
    dependencies: tuple[Dependency, ...]
    managed: tuple[Dependency, ...]
    #: Modules that are always built, then those that only profiles have.
    modules: tuple[str, ...]
    profile_modules: tuple[str, ...]

    @property
    def folder(self) -> str:
        """Where it lies; empty for the root."""
        return self.path.rpartition("/")[0]

    @property
    def key(self) -> str:
        """`group:artifact`, as far as it is written here or in the parent element."""
        return f"{self.group or (self.parent.group if self.parent else '')}:{self.artifact}"


def read_pom(path: str, content: bytes) -> Pom:
    """Parse a project file.

    Raises:
        XmlError: it is none.
    """
    root = parse_xml(content)
    if local_name(root) != "project":
        raise XmlError(f"its root element is <{local_name(root)}>")
    parent = child(root, "parent")
    profiles = list(children(child(root, "profiles"), "profile"))
    dependencies: list[Dependency] = []
    managed: list[Dependency] = []
    for place in (root, *profiles):
        dependencies += _dependencies(child(place, "dependencies"))
        managed += _dependencies(child(child(place, "dependencyManagement"), "dependencies"))
    properties = child(root, "properties")
    return Pom(
        path=path,
        root=root,
        group=text(root, "groupId"),
        artifact=text(root, "artifactId"),
        version=text(root, "version"),
        packaging=text(root, "packaging") or "jar",
        parent=None if parent is None else _parent(parent),
        properties={
            local_name(each): (each.text or "").strip()
            for each in (() if properties is None else properties)
            if local_name(each)
        },
        dependencies=tuple(dependencies),
        managed=tuple(managed),
        modules=_modules(root),
        profile_modules=tuple(name for each in profiles for name in _modules(each)),
    )


def child(element: Element | None, name: str) -> Element | None:
    """The first child of that name."""
    return next(iter(children(element, name)), None)


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The children of that name, in whatever namespace."""
    if element is not None:
        yield from (each for each in element if local_name(each) == name)


def text(element: Element | None, name: str) -> str:
    """The text of a child; empty where there is none."""
    found = child(element, name)
    return "" if found is None else (found.text or "").strip()


def _parent(element: Element) -> Parent:
    relative = child(element, "relativePath")
    return Parent(
        text(element, "groupId"),
        text(element, "artifactId"),
        text(element, "version"),
        # An empty element says: not in this tree.
        "../pom.xml" if relative is None else (relative.text or "").strip(),
    )


def _dependencies(element: Element | None) -> list[Dependency]:
    return [
        Dependency(
            text(each, "groupId"),
            text(each, "artifactId"),
            text(each, "version"),
            text(each, "scope"),
            text(each, "type") or "jar",
        )
        for each in children(element, "dependency")
    ]


def _modules(element: Element) -> tuple[str, ...]:
    modules = (child(element, "modules"), child(element, "subprojects"))
    return tuple(
        (each.text or "").strip() for place in modules for each in (() if place is None else place)
        if local_name(each) in ("module", "subproject")
    )  # fmt: skip


def parent_path(pom: Pom, files: Container[str]) -> str | None:
    """Where the parent lies, of these files; None where it does not.

    As Maven does, by what is there: a file of whatever name, or a folder's project file.
    """
    if pom.parent is None or not pom.parent.relative_path:
        return None
    path = normal_path(pom.folder, pom.parent.relative_path)
    if path is None:
        return None
    within = f"{path}/{POM}" if path else POM
    return next((each for each in (path, within) if each in files), None)


@dataclass(frozen=True)
class MavenProject:
    """The project files of a tree that a build of its root takes in, by path."""

    poms: Mapping[str, Pom]
    #: Modules that a build without any profile has, by the path of their file; the root first.
    reactor: tuple[str, ...]
    #: Path -> why the file could not be read.
    unread: Mapping[str, str]


def read_project(tree: SourceTree) -> MavenProject:
    """Read the root's project file and those of all modules, in profiles too."""
    poms: dict[str, Pom] = {}
    reactor: list[str] = []
    unread: dict[str, str] = {}
    pending: list[tuple[str, bool]] = [(POM, True)]
    left = _MAX_BYTES
    while pending and len(poms) < _MAX_MODULES:
        path, always = pending.pop(0)
        if path in poms or path in unread:
            continue
        content = tree.read(path, min(MAX_POM_BYTES, left))
        if content is None:
            unread[path] = "is missing or too large"
            continue
        left -= len(content)
        try:
            pom = poms[path] = read_pom(path, content)
        except XmlError as error:
            unread[path] = str(error)
            continue
        if always:
            reactor.append(path)
        # A parent in the tree decides as much as the module, and need not be one itself.
        if (above := parent_path(pom, tree)) is not None:
            pending.append((above, False))
        for names, in_build in ((pom.modules, always), (pom.profile_modules, False)):
            for name in names:
                module = normal_path(pom.folder, name)
                if module is None:
                    unread[name] = "lies outside the tree"
                elif module.endswith(".xml"):
                    pending.append((module, in_build))
                else:
                    pending.append((f"{module}/{POM}" if module else POM, in_build))
    return MavenProject(poms, tuple(reactor), unread)
