"""Seed changes: Java levels that project files name become the target's (appendix D)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_benchmac.model.errors import SandboxError
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
_COMPILER = rf"maven\.compiler\.{_LEVELS}|{_LEVELS}"
#: Properties that projects have for it by custom, whether the compiler's plugin is told or not.
_BY_CUSTOM = (
    r"(?:java|jdk|jre)(?:[._-]?(?:version|level|release|source|target|compiler|platform|api))*"
    r"|(?:project\.build\.)?(?:source|target)(?:[._-]?(?:version|level))"
)
_REFERENCE = re.compile(rf"<(?:{_COMPILER})>\s*\$\{{([^}}\s]+)\}}\s*</", re.IGNORECASE)
_PROPERTIES = re.compile(r"^([ \t]*)<properties>[ \t]*\n", re.MULTILINE)
_PROJECT_END = re.compile(r"</project>\s*\Z")


def seed(files: ProjectFiles, target: str) -> None:
    """Make the seed changes in a project.

    Args:
        files: of the project.
        target: the Java release to reach.

    Raises:
        SandboxError: a project file cannot be written.
    """
    poms = {path: text for path in files.named("pom.xml") if (text := files.read(path)) is not None}
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
    referenced = {name for text in poms.values() for name in _REFERENCE.findall(text)}
    names = "|".join([_COMPILER, _BY_CUSTOM, *map(re.escape, sorted(referenced))])
    level = re.compile(rf"<({names})>(\s*)(1\.\d|\d\d?)(\s*)</\1>", re.IGNORECASE)
    changed = {}
    named = False
    for path, text in poms.items():
        named = named or level.search(text) is not None
        new = level.sub(lambda match: _raised(match, int(target)), text)
        if new != text:
            changed[path] = new
    if not named and "pom.xml" in poms:
        changed["pom.xml"] = _with_levels(poms["pom.xml"], target)
    return changed


def _raised(match: re.Match[str], target: int) -> str:
    name, before, written, after = match.groups()
    if int(written.removeprefix("1.")) >= target:
        return match[0]
    return f"<{name}>{before}{target}{after}</{name}>"


def _with_levels(pom: str, target: str) -> str:
    def lines(indent: str) -> str:
        return "".join(
            f"{indent}<maven.compiler.{what}>{target}</maven.compiler.{what}>\n"
            for what in ("source", "target")
        )

    if match := _PROPERTIES.search(pom):
        return pom[: match.end()] + lines(match[1] + "  ") + pom[match.end() :]
    block = f"  <properties>\n{lines('    ')}  </properties>\n"
    return _PROJECT_END.sub(lambda match: block + match[0], pom)
