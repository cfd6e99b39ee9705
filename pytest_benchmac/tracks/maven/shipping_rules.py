"""What is shipped is found by its name, and comes with the modules of the project that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.pom import MavenProject, child, children, text
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

#: Scopes of what whoever uses a module gets with it.
_SHIPPED = frozenset({"", "compile", "runtime"})
#: Names that say for which Java something is.
_FOR_JAVA = re.compile(r"(?<![a-z])(?:java|jdk|jre|j)[-_.]?\d+(?:\.\d+)*")
_ANY = "*"
#: Groups of interfaces that containers have.
_OF_CONTAINERS = re.compile(r"(javax|jakarta)\b|org\.(apache\.tomcat|eclipse\.jetty|osgi)\b")
#: Ways from module to module that are followed.
_MOST = 20_000
Key = tuple[str, str]


@dataclass(frozen=True)
class _Use:
    """How a module uses another one of the project."""

    shipped: bool
    #: `group` and `artifact` of what is left out of what comes with it.
    without: frozenset[Key]


class _Shipped:
    """Modules of one tree, by the folder of their project file, and what comes with each."""

    def __init__(self, project: MavenProject) -> None:
        self._resolver = VersionResolver(project, lambda *_: None)
        self.names = {path: self._name(path) for path in project.reactor}
        self.paths = {name: path for path, name in self.names.items()}
        #: Project file -> what it depends on, and how.
        self.entries = {path: self._entries(path) for path in self.names}

    def _name(self, path: str) -> Key:
        pom = self._resolver.lineage(path)[0]
        group = pom.group or (pom.parent.group if pom.parent else "")
        properties = self._resolver.properties(path)
        artifact = pom.artifact
        return interpolate(group, properties) or group, interpolate(
            artifact, properties
        ) or artifact

    def _entries(self, path: str) -> dict[Key, _Use]:
        """A module's own and its parents' entries, the nearest of each."""
        properties = self._resolver.properties(path)
        found: dict[Key, _Use] = {}
        poms = [pom.root for pom in self._resolver.lineage(path)]
        managed: dict[tuple[Key, Key], Element] = {}
        for root in poms:
            for each in _dependencies(child(root, "dependencyManagement")):
                managed.setdefault((_key(each, properties), _kind(each)), each)
        for root in poms:
            for each in _dependencies(root):
                key = _key(each, properties)
                if text(each, "type") in ("", "jar", "war"):
                    own = managed.get((key, _kind(each)))
                    found.setdefault(key, _use(each, own, properties))
        return found

    def uses(self, path: str) -> dict[str, _Use]:
        """The modules of the project that a module depends on, and how."""
        entries = self.entries.get(path, {})
        return {self.paths[key]: use for key, use in entries.items() if key in self.paths}

    def reached(self, path: str) -> set[str]:
        """The modules that whoever uses a module gets with it."""
        found: set[str] = set()
        seen: set[tuple[str, frozenset[Key]]] = set()
        pending: list[tuple[str, frozenset[Key]]] = [(path, frozenset())]
        while pending:
            each = pending.pop()
            if each in seen or len(seen) > _MOST:
                continue
            seen.add(each)
            at, without = each
            for other, use in self.uses(at).items():
                if use.shipped and not _left_out(self.names[other], without):
                    found.add(other)
                    pending.append((other, without | use.without))
        return found


def check_shipping(findings: Findings, base: MavenProject, patched: MavenProject) -> None:
    """Report modules that nobody finds by their name, or that come without others any more."""
    before, after = _Shipped(base), _Shipped(patched)
    for path, name in before.names.items():
        now = after.names.get(path)
        if now is None:
            continue
        if now != name:
            report = findings.warning if _plain(now) == _plain(name) else findings.fatal
            report(
                "coordinates-changed",
                "What a module is built to has another name, under which nobody asks for it.",
                file=path,
                expected=":".join(name),
                seen=":".join(now),
            )
        reached = after.reached(path)
        for other in sorted(before.reached(path) - reached):
            if other not in after.names:
                continue
            # One that is not named any more is not needed.
            users = [after.uses(each) for each in (path, *reached)]
            named = any(other in each for each in users)
            report = findings.fatal if named else findings.warning
            report(
                "not-shipped",
                "A module comes without another one that it came with.",
                file=path,
                seen=":".join(after.names[other]),
            )


def left_to_users(base: MavenProject, patched: MavenProject) -> Iterator[tuple[str, str, bool]]:
    """Libraries that came with a module, and that its users have to have now.

    Yields:
        The module's project file, the library's place in a repository, and whether a container is
        expected to have it.
    """
    before, after = _Shipped(base), _Shipped(patched)
    for path, had in before.entries.items():
        for key, use in after.entries.get(path, {}).items():
            if key in had and had[key].shipped and not use.shipped and key not in after.paths:
                group, artifact = key
                container = bool(_OF_CONTAINERS.match(group))
                contained = container or patched.poms[path].packaging != "jar"
                yield path, f"{group.replace('.', '/')}/{artifact}", contained


def _plain(name: Key) -> list[str]:
    return [_FOR_JAVA.sub("java", each.lower()) for each in name]


def _dependencies(of: Element | None) -> Iterator[Element]:
    return children(child(of, "dependencies"), "dependency")


def _key(dependency: Element, properties: Mapping[str, str]) -> Key:
    group, artifact = (
        interpolate(text(dependency, each), properties) or "" for each in ("groupId", "artifactId")
    )
    return group, artifact


def _kind(dependency: Element) -> Key:
    """Type and classifier: what is managed is so for one of these."""
    return text(dependency, "type") or "jar", text(dependency, "classifier")


def _use(own: Element, managed: Element | None, properties: Mapping[str, str]) -> _Use:
    """What is said of a dependency, or managed where it says nothing."""

    def said(name: str) -> str:
        value = text(own, name) or text(managed, name)
        return (interpolate(value, properties) or value).strip().lower()

    without = frozenset(
        key for each in (own, managed) for key in _exclusions(each, properties)
    )  # fmt: skip
    return _Use(said("scope") in _SHIPPED and said("optional") != "true", without)


def _exclusions(dependency: Element | None, properties: Mapping[str, str]) -> Iterator[Key]:
    for each in children(child(dependency, "exclusions"), "exclusion"):
        yield _key(each, properties)


def _left_out(name: Key, without: frozenset[Key]) -> bool:
    return any(
        all(one in (_ANY, own) for one, own in zip(each, name, strict=True)) for each in without
    )
