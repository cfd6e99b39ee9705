"""Maven's project files: as written, and as far resolved as dependencies' versions need.

Inheritance, interpolation and imports follow the Maven model reference (maven.apache.org,
"Introduction to the POM" and "Introduction to the Dependency Mechanism"). Versions that only a
running Maven could know (ranges, profiles' properties, the environment) stay unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pytest_benchmac.integrity import SourceTree, normal_path
from pytest_benchmac.tracks.maven_checks.xmlfiles import XmlError, local_name, parse_xml

POM = "pom.xml"
MAX_POM_BYTES = 4 * 1024 * 1024
_MAX_MODULES = 2_000
_MAX_ANCESTORS = 30
_MAX_INTERPOLATIONS = 50
_PLACEHOLDER = re.compile(r"\$\{([^${}]*)\}")

#: Group, artifact and version of an artifact outside the tree -> its project file, if to be had.
Lookup = Callable[[str, str, str], bytes | None]


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


@dataclass(frozen=True)
class Project:
    """The project files of a tree that a build of its root takes in, by path."""

    poms: Mapping[str, Pom]
    #: Modules that a build without any profile has, by the path of their file; the root first.
    reactor: tuple[str, ...]
    #: Path -> why the file could not be read.
    unread: Mapping[str, str]


def read_project(tree: SourceTree) -> Project:
    """Read the root's project file and those of all modules, in profiles too."""
    poms: dict[str, Pom] = {}
    reactor: list[str] = []
    unread: dict[str, str] = {}
    pending: list[tuple[str, bool]] = [(POM, True)]
    while pending and len(poms) < _MAX_MODULES:
        path, always = pending.pop(0)
        if path in poms or path in unread:
            continue
        content = tree.read(path, MAX_POM_BYTES)
        if content is None:
            unread[path] = "is missing or too large"
            continue
        try:
            pom = poms[path] = read_pom(path, content)
        except XmlError as error:
            unread[path] = str(error)
            continue
        if always:
            reactor.append(path)
        for names, in_build in ((pom.modules, always), (pom.profile_modules, False)):
            for name in names:
                module = normal_path(pom.folder, name)
                if module is None:
                    unread[name] = "lies outside the tree"
                elif module.endswith(".xml"):
                    pending.append((module, in_build))
                else:
                    pending.append((f"{module}/{POM}" if module else POM, in_build))
    return Project(poms, tuple(reactor), unread)


# --- resolving ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Required:
    """Something with a version that a project file asks for."""

    #: `dependency`, `managed` or `parent`.
    kind: str
    #: `group:artifact`.
    key: str
    #: None where it could not be resolved.
    version: str | None
    #: The project file that it was found in or for.
    file: str


class Resolver:
    """Resolves the versions of one tree's project files."""

    def __init__(self, project: Project, lookup: Lookup) -> None:
        self._project = project
        self._lookup = lookup
        self._external: dict[str, Pom | None] = {}

    def required(self) -> list[Required]:
        """Parents, direct dependencies and managed versions of every module, resolved.

        A managed version of an outer project file (a BOM's, an outer parent's) is not the
        project's own, and counts only where a dependency gets its version from it.
        """
        found: dict[Required, None] = {}
        for path, pom in self._project.poms.items():
            lineage = self._lineage(pom)
            properties = _properties(lineage)
            if pom.parent is not None and not self._in_tree(pom, pom.parent):
                version = interpolate(pom.parent.version, properties)
                key = f"{pom.parent.group}:{pom.parent.artifact}"
                found[Required("parent", key, version, path)] = None
            managed = self._managed(lineage, properties)
            for each in pom.managed:
                group, artifact = self._names(each, properties)
                version = interpolate(each.version, properties)
                found[Required("managed", f"{group}:{artifact}", version, path)] = None
            for each in (dependency for one in lineage for dependency in one.dependencies):
                group, artifact = self._names(each, properties)
                key = f"{group}:{artifact}"
                version = interpolate(each.version, properties) if each.version else None
                if not each.version:
                    version = self._original(group, artifact, managed.get(key))
                found[Required("dependency", key, version, path)] = None
        return list(found)

    def properties(self, path: str) -> dict[str, str]:
        """The properties that hold in a project file of the tree, inherited ones included."""
        return _properties(self._lineage(self._project.poms[path]))

    def lineage(self, path: str) -> list[Pom]:
        """A project file of the tree and its ancestors, nearest first."""
        return self._lineage(self._project.poms[path])

    def _original(self, group: str, artifact: str, version: str | None) -> str | None:
        """The version itself, or what Debian's repository means by `debian`."""
        if version != "debian":
            return version
        pom = self._outer(group, artifact, version)
        return pom.properties.get("debian.originalVersion") if pom else None

    def _names(self, each: Dependency, properties: Mapping[str, str]) -> tuple[str, str]:
        group = interpolate(each.group, properties)
        artifact = interpolate(each.artifact, properties)
        return group or each.group, artifact or each.artifact

    def _in_tree(self, pom: Pom, parent: Parent) -> Pom | None:
        """The parent's file in this tree, if it is there and is that artifact."""
        if ":" in pom.path or not parent.relative_path:
            return None
        path = normal_path(pom.folder, parent.relative_path)
        if path is not None and not path.endswith(".xml"):
            path = f"{path}/{POM}" if path else POM
        found = self._project.poms.get(path) if path else None
        same = found is not None and found.key == f"{parent.group}:{parent.artifact}"
        return found if same else None

    def _lineage(self, pom: Pom) -> list[Pom]:
        lineage = [pom]
        while (parent := lineage[-1].parent) is not None and len(lineage) < _MAX_ANCESTORS:
            found = self._in_tree(lineage[-1], parent)
            if found is None:
                version = interpolate(parent.version, _properties(lineage))
                found = self._outer(parent.group, parent.artifact, version)
            if found is None or found in lineage:
                break
            lineage.append(found)
        return lineage

    def _outer(self, group: str, artifact: str, version: str | None) -> Pom | None:
        if version is None:
            return None
        name = f"{group}:{artifact}:{version}"
        if name not in self._external:
            pom = None
            for inside in self._project.poms.values():
                if inside.key == f"{group}:{artifact}":
                    pom = inside
            content = None if pom else self._lookup(group, artifact, version)
            if content is not None:
                try:
                    pom = read_pom(name, content)
                except XmlError:
                    pom = None
            self._external[name] = pom
        return self._external[name]

    def _managed(
        self,
        lineage: Sequence[Pom],
        properties: Mapping[str, str],
        imported: set[str] | None = None,
    ) -> dict[str, str | None]:
        """`group:artifact` -> version; what is written nearer wins over what is imported.

        Each file is imported once, as the first import wins: they may import each other.
        """
        managed: dict[str, str | None] = {}
        imported = set() if imported is None else imported
        imports: list[tuple[str, str, str | None]] = []
        for each in (each for pom in lineage for each in pom.managed):
            group, artifact = self._names(each, properties)
            version = interpolate(each.version, properties)
            if each.scope == "import" and each.type == "pom":
                imports.append((group, artifact, version))
            else:
                managed.setdefault(f"{group}:{artifact}", version)
        for group, artifact, version in imports:
            bom = self._outer(group, artifact, version)
            if bom is not None and bom.path not in imported:
                imported.add(bom.path)
                inherited = self._lineage(bom)
                further = self._managed(inherited, _properties(inherited), imported)
                managed = {**further, **managed}
        return managed


def _properties(lineage: Sequence[Pom]) -> dict[str, str]:
    """What `${...}` may name in the first of a lineage."""
    properties: dict[str, str] = {}
    for pom in reversed(lineage):
        properties |= pom.properties
    first = lineage[0]
    parent = first.parent
    own = {
        "groupId": first.group or (parent.group if parent else ""),
        "artifactId": first.artifact,
        "version": first.version or (parent.version if parent else ""),
        "parent.groupId": parent.group if parent else "",
        "parent.artifactId": parent.artifact if parent else "",
        "parent.version": parent.version if parent else "",
    }
    for name, value in own.items():
        if value:
            properties |= {f"project.{name}": value, f"pom.{name}": value}
    return properties


def interpolate(value: str, properties: Mapping[str, str]) -> str | None:
    """The value with its `${...}` filled in; None when something stays unknown, or is empty."""
    for _ in range(_MAX_INTERPOLATIONS):
        match = _PLACEHOLDER.search(value)
        if match is None:
            return value or None
        if (replacement := properties.get(match[1])) is None:
            return None
        value = value[: match.start()] + replacement + value[match.end() :]
        if len(value) > 10_000:
            return None
    return None
