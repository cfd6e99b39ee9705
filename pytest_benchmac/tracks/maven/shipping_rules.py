"""What is shipped is found by its name, and comes with the modules of the project that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.pom import MavenProject, child, children, text
from pytest_benchmac.tracks.maven.version_order import is_lower, numbers
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

#: Scopes of what whoever uses a module gets with it.
_SHIPPED = frozenset({"", "compile", "runtime"})
#: Names that say for which Java something is.
_FOR_JAVA = re.compile(r"(?<![a-z])(?:java|jdk|jre|j)[-_.]?\d+(?:\.\d+)*")
_ANY = "*"
#: Groups of interfaces that containers have.
_OF_CONTAINERS = re.compile(r"(javax|jakarta)\b|org\.(apache\.tomcat|eclipse\.jetty|osgi)\b")
#: Groups of libraries that only tests need.
_OF_TESTS = re.compile(
    r"(junit|com\.google\.truth|io\.rest-assured|org\.(assertj|easymock|hamcrest|jmock|junit"
    r"|mockito|powermock|testcontainers|testng|wiremock))(\..*)?"
)
#: Ways from module to module that are followed.
_MOST = 20_000
Key = tuple[str, str]


@dataclass(frozen=True)
class _Use:
    """How a module uses another one of the project."""

    shipped: bool
    #: `group` and `artifact` of what is left out of what comes with it.
    without: frozenset[Key]
    #: Is it for tests only?
    tests: bool = False


class _Shipped:
    """Modules of one tree, by the folder of their project file, and what comes with each."""

    def __init__(self, project: MavenProject) -> None:
        self._resolver = VersionResolver(project, lambda *_: None)
        self.names = {path: self._name(path) for path in project.reactor}
        self.paths = {name: path for path, name in self.names.items()}
        self.versions = {path: self._version(path) for path in project.reactor}
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

    def _version(self, path: str) -> str:
        """Empty where no project file says it."""
        return interpolate("${project.version}", self._resolver.properties(path)) or ""

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
        _check_version(findings, path, before.versions[path], after.versions[path])
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


def _check_version(findings: Findings, path: str, before: str, after: str) -> None:
    # What a version tells of Java may be others, or gone.
    old, new = (_FOR_JAVA.sub("", each.lower()) for each in (before, after))
    if before and after and is_lower(new, old):
        # A release may go on as its own snapshot, and what a snapshot will be called may change.
        parts = 1 if "snapshot" in old else None
        older, newer = (numbers(each).split(".")[:parts] for each in (old, new))
        below = is_lower(".".join(newer), ".".join(older))
        (findings.fatal if below else findings.warning)(
            "coordinates-changed",
            "What is built counts as older than what users have.",
            file=path,
            expected=f"{before}, or later",
            seen=after,
        )


def given_to_users(base: MavenProject, patched: MavenProject) -> Iterator[tuple[str, str, bool]]:
    """Libraries that users of a module get now, and that were for tests, or are made for them.

    Yields:
        The module's project file, the library's place in a repository, and whether no migration
        ships it.
    """
    before, after = _Shipped(base), _Shipped(patched)
    for path, entries in after.entries.items():
        had = before.entries.get(path)
        if had is None:
            continue
        for key, use in entries.items():
            of_tests, known = bool(_OF_TESTS.fullmatch(key[0])), had.get(key)
            if (
                use.shipped
                and key not in after.paths
                and (of_tests if known is None else known.tests)
            ):
                yield path, _place(key), of_tests and known is not None


def shipped_libraries(project: MavenProject) -> dict[str, frozenset[str]]:
    """Project file -> places in a repository of what it names itself, and users get with it."""
    shipped = _Shipped(project)
    return {
        path: frozenset(_place(key) for key, use in entries.items() if use.shipped)
        for path, entries in shipped.entries.items()
    }


def _place(key: Key) -> str:
    group, artifact = key
    return f"{group.replace('.', '/')}/{artifact}"


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
                container = bool(_OF_CONTAINERS.match(key[0]))
                contained = container or patched.poms[path].packaging != "jar"
                yield path, _place(key), contained


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
    shipped = said("scope") in _SHIPPED and said("optional") != "true"
    return _Use(shipped, without, said("scope") == "test")


def _exclusions(dependency: Element | None, properties: Mapping[str, str]) -> Iterator[Key]:
    for each in children(child(dependency, "exclusions"), "exclusion"):
        yield _key(each, properties)


def _left_out(name: Key, without: frozenset[Key]) -> bool:
    return any(
        all(one in (_ANY, own) for one, own in zip(each, name, strict=True)) for each in without
    )
