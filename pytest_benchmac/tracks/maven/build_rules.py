"""What is built is decided by the project's files, and by nothing of the machine that builds it.

Where it is not, what is judged need not be what others get.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.pom_entries import PomEntry, entries
from pytest_benchmac.tracks.maven.versions_resolved import PLACEHOLDER, VersionResolver

#: Plugins that make what is delivered.
_MAKING = frozenset(
    f"maven-{name}-plugin"
    for name in ("compiler", "deploy", "ear", "ejb", "install", "jar", "resources", "war")
)
#: What switches a profile on by itself, the JDK apart.
_ACTIVATIONS = frozenset({"file", "os", "property"})
#: Of a profile, what says when it is switched on.
_SAYS_WHEN = frozenset({"activation", "id"})
#: A release that is as late as one can be.
_LATER = 998
_RELEASE = re.compile(r"(?:1\.)?(\d{1,3})?(?:\.[\d.]*)?")
#: Values that Maven takes from the project.
_OF_PROJECT = re.compile(r"(project|pom)\..+|basedir")
#: Values that no parent elsewhere gives.
_OF_MACHINE = re.compile(
    r"(aether|env|os|session|settings|sun|user)\..+|java\.(?!version$).+|maven\.(home|repo|test)\b.*"
    r"|(file|line|path)\.separator|skip\w*"
    # Of another day.
    r"|maven\.build\.timestamp"
)


def check_places(
    findings: Findings, patched: MavenProject, new: Sequence[PomEntry], target: int
) -> None:
    """Report new entries that mean one thing where they are judged, and may mean another elsewhere.

    Args:
        findings: where to.
        patched: the patched tree's project files.
        new: entries that the base has not.
        target: the Java release that the project is judged with.
    """
    resolver = VersionResolver(patched, lambda *_: None)

    @cache
    def known_in(file: str) -> tuple[Mapping[str, str], bool]:
        """The properties of a project file, and whether no other file can give it more."""
        return resolver.properties(file), resolver.lineage(file)[-1].parent is None

    others = set(_of_other_releases(patched, target))
    closed = set(_of_this_release(new, target))
    for entry in new:
        asked, profile = "", (entry.file, entry.path[:2])
        other = profile in others or (profile in closed and not _of_runner(entry))
        if other and not _SAYS_WHEN & set(entry.path):
            asked = "jdk"
        elif "activation" in entry.path and not _ACTIVATIONS.isdisjoint(entry.path):
            asked = entry.path[-2]
        elif _decides(entry):
            properties, whole = known_in(entry.file)
            for name in _unknown(entry.value, properties):
                if whole or _OF_MACHINE.fullmatch(name):
                    asked = name
        if asked:
            findings.fatal(
                "build-asks-where",
                "What is built depends on the machine that builds it.",
                file=entry.file,
                expected="a value that the project files give",
                seen=f"{asked}: {entry}={entry.value}",
            )


def _of_other_releases(patched: MavenProject, target: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Profiles that another Java than the target's switches on: file, and where they stand."""
    for pom in patched.poms.values():
        for entry in entries(pom):
            if entry.path[2:] == ("activation", "jdk") and not holds(entry.value, target):
                yield entry.file, entry.path[:2]


def _of_this_release(new: Sequence[PomEntry], target: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """New profiles that the target's Java switches on, and a later one does not."""
    for entry in new:
        if entry.path[2:] == ("activation", "jdk") and not all(
            holds(entry.value, later) for later in (*range(target, target + 20), _LATER)
        ):
            yield entry.file, entry.path[:2]


def _of_runner(entry: PomEntry) -> bool:
    """Is it for those that run tests, which may have to open modules?"""
    return entry.plugin.endswith(("maven-surefire-plugin", "maven-failsafe-plugin"))


def holds(jdk: str, target: int) -> bool:
    """Is a profile for these releases of Java switched on by the target's?

    As Maven reads it: a release, or its negation, or a range; of a range up to 17, 17.0.1 is none.
    """
    value = jdk.strip()
    if value.startswith("!"):
        return not holds(value[1:], target)
    if not value.startswith(("[", "(")):
        return value.rstrip(".") == str(target)
    least, comma, most = value[1:-1].partition(",")
    bounds = [_RELEASE.fullmatch(each.strip()) for each in (least, most)]
    if not comma or not all(bounds) or value[-1] not in ")]":
        return False
    low, high = (int(bound[1] or 0) if bound else 0 for bound in bounds)
    return low <= target and (high > target or not most.strip())


def _decides(entry: PomEntry) -> bool:
    """Does the entry decide what is delivered?"""
    if "build" not in entry.path[:-1] or "manifestEntries" in entry.path:
        return False
    artifact = entry.plugin.rpartition(":")[2]
    return artifact in _MAKING if entry.plugin else True


def _unknown(value: str, properties: Mapping[str, str]) -> Iterator[str]:
    """The `${...}` of a value that no project file gives."""
    pending, seen = [value], set[str]()
    while pending:
        # Each once: a value may name another one many times, and that a third.
        for name in dict.fromkeys(PLACEHOLDER.findall(pending.pop())):
            if name in seen:
                continue
            seen.add(name)
            if name in properties:
                pending.append(properties[name])
            elif not _OF_PROJECT.fullmatch(name):
                yield name
