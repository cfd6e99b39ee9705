"""Seed changes: Java levels that project files name become the target's (appendix D)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pytest_benchmac.foreign.xmlfiles import XmlError, XmlPlace, xml_places
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.maven.pom import POM
from pytest_benchmac.tracks.maven.project_files import ProjectFiles, UnwritableError

#: What the name of a system ends in that is run without.
NO_SEED = "-no-seed"
SEED_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "--no-seed": {
        "action": "store_true",
        "default": None,
        "help": "leave the Java levels that project files name as they are at first",
    }
}

_LEVELS = r"(?:test)?(?:source|target|release)"
_COMPILER = re.compile(rf"maven\.compiler\.{_LEVELS}|{_LEVELS}", re.IGNORECASE)
#: Properties that projects have for it by custom, whether the compiler's plugin is told or not.
_BY_CUSTOM = re.compile(
    r"(?:java|jdk|jre)(?:[._-]?(?:version|level|release|source|target|compiler|platform|api))*"
    r"|(?:project\.build\.)?(?:source|target)(?:[._-]?(?:version|level))",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\s*\$\{([^}\s]+)\}\s*")
_LEVEL = re.compile(rb"(\s*)(?:1\.)?(\d\d?)(\s*)")
#: Below it, levels say with which Java a profile is built.
_CONDITION = "activation"


def seed(files: ProjectFiles, target: str) -> None:
    """Make the seed changes in a project.

    Args:
        files: of the project.
        target: the Java release to reach.

    Raises:
        SandboxError: a project file cannot be written.
    """
    poms = {path: text for path in files.named(POM) if (text := files.read(path)) is not None}
    for path, text in seed_changes(poms, target).items():
        try:
            files.write(path, text)
        except UnwritableError as error:
            raise SandboxError(f"the seed changes cannot be made: {error}") from error


def seed_changes(poms: Mapping[str, str], target: str) -> dict[str, str]:
    """The project files in which a level changes, with their new texts.

    Where no file names one, the root's gets properties of the compiler's plugin.

    Args:
        poms: path -> text.
        target: the Java release to reach.
    """
    files = {path: read for path in poms if (read := _places(poms[path])) is not None}
    names = _references(files.values())
    changed = {}
    named = False
    for path, (content, places) in files.items():
        new = content
        # From the end, so that what stands before stays where it is.
        for place in reversed(places):
            level = _level(place, content, names)
            named = named or level is not None
            if level is not None and int(level[2]) < int(target):
                start = place.text_start(content)
                raised = level[1] + target.encode() + level[3]
                new = new[:start] + raised + new[place.end :]
        if new != content:
            changed[path] = _decoded(new)
    if not named and POM in files:
        changed[POM] = _decoded(_with_levels(*files[POM], target))
    return changed


_Places = tuple[bytes, Sequence[XmlPlace]]


def _places(pom: str) -> _Places | None:
    """Bytes and elements of a project file; None where it cannot be read."""
    content = pom.encode("utf-8", "surrogateescape")
    if b"\0" in content:
        # Of two bytes a character.
        return None
    with suppress(XmlError):
        return content, xml_places(content)
    return None


def _references(files: Iterable[_Places]) -> set[str]:
    """Names of the properties that the compiler's levels refer to."""
    return {
        match[1]
        for content, places in files
        for place in places
        if _COMPILER.fullmatch(place.path[-1])
        if (match := _REFERENCE.fullmatch(place.text(content).decode("utf-8", "replace")))
    }


def _level(place: XmlPlace, content: bytes, names: Container[str]) -> re.Match[bytes] | None:
    """The level that an element names."""
    name = place.path[-1]
    if _CONDITION in place.path:
        return None
    if not (name in names or _COMPILER.fullmatch(name) or _BY_CUSTOM.fullmatch(name)):
        return None
    return _LEVEL.fullmatch(place.text(content))


def _with_levels(content: bytes, places: Sequence[XmlPlace], target: str) -> bytes:
    """The root's project file with properties of the compiler's plugin."""
    ending = "\r\n" if b"\r\n" in content else "\n"
    levels = [
        f"    <maven.compiler.{what}>{target}</maven.compiler.{what}>"
        for what in ("source", "target")
    ]
    place = next((each for each in places if each.path == ("project", "properties")), None)
    if place is not None and not content[place.start : place.inside].endswith(b"/>"):
        at = after = place.inside
        lines = ["", *levels]
    elif place is not None:
        at, after = place.start, place.inside
        lines = ["<properties>", *levels, "  </properties>"]
    else:
        # The root is the last to end.
        at = after = places[-1].end
        lines = ["  <properties>", *levels, "  </properties>", ""]
    return content[:at] + ending.join(lines).encode() + content[after:]


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
