"""What plugins are told that run nothing but their own code: with it they may do harm as well."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.pom_entries import IMPLEMENTATION, OWN_GROUP, PomEntry, entries
from pytest_benchmac.tracks.maven.versions_resolved import PLACEHOLDER, VersionResolver

_ENFORCER = f"{OWN_GROUP}:maven-enforcer-plugin"
#: Those that put archives into repositories, and what says under which name.
_PUTTING = frozenset({f"{OWN_GROUP}:maven-install-plugin", f"{OWN_GROUP}:maven-deploy-plugin"})
_NAMING = frozenset(
    {"artifactId", "classifier", "file", "files", "groupId", "packaging", "pomFile", "version"}
)
_PUTS_ANYTHING = re.compile(r"(.*:)?(sign-and-)?(deploy|install)-file(@.*)?")
#: Rules of enforcer's that run a program, or are read from elsewhere.
_RUNS_CODE = re.compile(r"beanshell|external-?rules", re.IGNORECASE)
#: Rules of enforcer's about the machine.
_ASKS_MACHINE = re.compile(r"require-?(os|environment-?variable|java-?vendor)", re.IGNORECASE)
#: Folders of the machine.
_OF_MACHINE = re.compile(
    r"\$\{(user\.(home|dir)|java\.io\.tmpdir|maven\.(home|repo\.local)|settings\.localRepository"
    r"|env\.(HOME|USERPROFILE|TE?MP|TMPDIR|PWD|(LOCAL)?APPDATA|M2_HOME|MAVEN_HOME))\}"
)
#: Folders of the project, and how deep they lie in it.
_DEPTHS = {
    "build.directory": 1,
    "build.outputDirectory": 2,
    "build.testOutputDirectory": 2,
    "build.sourceDirectory": 3,
    "build.testSourceDirectory": 3,
}
_FOLDER = (
    r"\$\{(?:(?:(?:project|pom)\.)?(basedir|baseUri|(?:parent\.|build\.)\w*(?:[dD]irectory|basedir))"
    r"|maven\.multiModuleProjectDirectory|session\.executionRootDirectory)\}"
)
_OF_PROJECT = re.compile(_FOLDER)
#: One that begins no path: what may stand before and behind it does not.
_IN_PATTERN = re.compile(
    rf"(?:(?<=[^\s,;=:\"'|@/])|(?<=(?<!file:)(?<!file:/)(?<!file://)/)){_FOLDER}"
    rf"|{_FOLDER}(?![/\\,;:\s\"'|]|$)"
)
_URL = re.compile(r"(?<![\w.+-])(?!file:)[A-Za-z][\w.+-]+://\S*")
#: Two names at least: other values begin with a slash as well.
_ABSOLUTE = re.compile(
    r"(?:^|[\s,;=:\"'|])(?:file:)?/+(?:benchmac|bin|boot|dev|etc|home|media|mnt|opt|private|proc"
    r"|root|run|sbin|srv|sys|tmp|usr|var|Users|Volumes)/\w|(?:^|[\s,;=\"'|])(?:~|[A-Za-z]:)[/\\]"
)
#: Names of what is a place of files; archives have places within.
_PLACE = re.compile(r"(?!.*(bundle|context|target|lib))(.*(dir|directory|executable|files?|folder))", re.I)  # fmt: skip # noqa: E501
_PARTS = re.compile(r"[\s,;=\"'|]+")
#: Properties may name others so many times; and what comes of it is no longer.
_STEPS, _LONGEST = 20, 2_000
_ENDLESS = "${}"


def check_plugins(findings: Findings, base: MavenProject, patched: MavenProject) -> None:
    """Report new or changed settings of plugins, with properties filled in, that reach further."""
    deepest = max((pom.path.count("/") for pom in patched.poms.values()), default=0)
    before = list(_entries(base))
    written = {(entry.path, entry.value) for entry, _ in before}
    known = {
        (entry.plugin, entry.leaf, outside(value, entry.leaf, deepest)) for entry, value in before
    }
    for entry, value in _entries(patched):
        said = f"{entry}={entry.value}"
        code, message = _does(entry, value)
        if code and (entry.path, entry.value) not in written:
            findings.fatal(code, message, file=entry.file, seen=said)
        why = outside(value, entry.leaf, deepest) if entry.configured else ""
        if why and (entry.plugin, entry.leaf, why) not in known:
            own = entry.plugin.startswith(f"{OWN_GROUP}:")
            (findings.fatal if own else findings.warning)(
                "build-asks-where",
                "A plugin is told of what is not the project's.",
                file=entry.file,
                expected="places in the project",
                seen=f"{why}: {said}",
            )


def _does(entry: PomEntry, value: str) -> tuple[str, str]:
    """What a plugin does that is told this, whatever it may do otherwise: code and message."""
    puts = entry.plugin in _PUTTING and entry.configured in _NAMING
    if puts or (entry.leaf == "goal" and _PUTS_ANYTHING.fullmatch(value)):
        return "relocation", "The build puts something into a repository under any name."
    if entry.plugin == _ENFORCER and entry.configured:
        rule = f"{entry} {value}" if entry.leaf == IMPLEMENTATION else str(entry)
        if _RUNS_CODE.search(rule):
            return "plugin-runs-anything", "A rule of enforcer's runs a program."
        if _ASKS_MACHINE.search(rule):
            return "build-asks-where", "The build fails on other machines."
    return "", ""


def outside(value: str, leaf: str, deepest: int) -> str:
    """What of a setting is not the project's, or differs with the place that it is in.

    Args:
        value: with properties filled in.
        leaf: the setting's name.
        deepest: how deep modules lie below the root; each may name what is in the tree.
    """
    if value == _ENDLESS:
        return "properties that make much of little"
    if match := _OF_MACHINE.search(value):
        return match[0]
    folder = _OF_PROJECT.search(value)
    if folder and ("[" in value or _IN_PATTERN.search(value)):
        return f"{folder[0]} in a pattern"
    value = _URL.sub("", value)
    if _ABSOLUTE.search(value) or (value.startswith("/") and _PLACE.fullmatch(leaf)):
        return "an absolute path"
    if ".." in value and any(_lowest(each) < -deepest for each in _PARTS.split(value)):
        return "a path out of the project"
    return ""


def _lowest(path: str) -> int:
    """How far a path goes down, at its lowest, from the folder that it begins in."""
    depth = lowest = 0
    start = _OF_PROJECT.match(path)
    if start:
        depth, path = _DEPTHS.get(start[1] or "", 0), path[start.end() :]
    for each in re.split(r"[/\\:]", path):
        depth += -1 if each == ".." else 1 if each.strip(".") else 0
        lowest = min(lowest, depth)
    return lowest


def _entries(project: MavenProject) -> Iterator[tuple[PomEntry, str]]:
    """What plugins are told, and its value with properties filled in."""
    resolver = VersionResolver(project, lambda *_: None)
    for path, pom in project.poms.items():
        values = _Values(resolver.properties(path))
        for entry in entries(pom):
            if entry.plugin:
                yield entry, values.filled(entry.value)


class _Values:
    """Fills in what the project files give, each property once."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._known: dict[str, str] = {}

    def filled(self, value: str, steps: int = _STEPS) -> str:
        """A value without the properties that are known; `_ENDLESS` where that has no end."""
        parts: list[str] = []
        at, left = 0, max(_LONGEST, 2 * len(value))
        for match in PLACEHOLDER.finditer(value):
            given = self._of(match, steps)
            parts += [value[at : match.start()], given]
            at = match.end()
            left -= len(given)
            if left < 0 or given == _ENDLESS:
                return _ENDLESS
        return "".join((*parts, value[at:]))

    def _of(self, match: re.Match[str], steps: int) -> str:
        name = match[1]
        if name not in self._known:
            # One that names itself stays.
            self._known[name] = match[0]
            if name in self._properties:
                given = self.filled(self._properties[name], steps - 1) if steps else _ENDLESS
                self._known[name] = given
        return self._known[name]
