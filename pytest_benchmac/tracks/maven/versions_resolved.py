"""Versions that a project's dependencies resolve to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_benchmac.foreign.xmlfiles import XmlError
from pytest_benchmac.tracks.maven.pom import (
    Dependency,
    MavenProject,
    Parent,
    Pom,
    parent_path,
    read_pom,
)

_MAX_ANCESTORS = 30
_MAX_INTERPOLATIONS = 50
#: `${name}`.
PLACEHOLDER = re.compile(r"\$\{([^${}]*)\}")
#: Group, artifact and version of an artifact outside the tree -> its project file, if to be had.
Lookup = Callable[[str, str, str], bytes | None]


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


class VersionResolver:
    """Resolves the versions of one tree's project files."""

    def __init__(self, project: MavenProject, lookup: Lookup) -> None:
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
        path = None if ":" in pom.path else parent_path(pom, self._project.poms)
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
        match = PLACEHOLDER.search(value)
        if match is None:
            return value or None
        if (replacement := properties.get(match[1])) is None:
            return None
        value = value[: match.start()] + replacement + value[match.end() :]
        if len(value) > 10_000:
            return None
    return None
