"""What comes along with an archive, or does not: libraries, by its project file and descriptor."""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.classfiles import CLASSES
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE
from pytest_benchmac.tracks.maven.own.declared import needed_by
from pytest_benchmac.tracks.maven.own.modules import DESCRIPTOR, for_compiling
from pytest_benchmac.tracks.maven.own.packaged import called_as_module
from pytest_benchmac.tracks.maven.own.units import MAIN
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.shipping_rules import (
    given_to_users,
    left_to_users,
    shipped_libraries,
)

_DESCRIPTOR_BYTES, _LIBRARY_BYTES = 1 * MIB, 64 * MIB
#: Libraries that are read to see how modules call them.
_MOST = 200
#: Of Java's own there is nothing to come along.
_OF_JAVA = re.compile(r"(java|jdk)\..*")
#: As `java.lang.module.ModuleFinder` has it: where a file's name begins to be a version.
_VERSION = re.compile(r"-(\d+(\.|$)).*")


def check_alongside(
    findings: Findings, compiled: OwnCompile, base: MavenProject, patched: MavenProject
) -> None:
    """Report libraries that users need with the code and get no more, or get and do not need.

    Args:
        findings: where to.
        compiled: the patched tree, by the harness.
        base: the base's project files.
        patched: the patched tree's.
    """
    needed = needed_by(compiled)

    def is_needed(path: str, place: str) -> bool:
        return any(f"/{place}/" in each for each in needed.get(patched.poms[path].folder, ()))

    for path, place, contained in left_to_users(base, patched):
        if is_needed(path, place):
            (findings.warning if contained else findings.fatal)(
                "not-shipped",
                "The code needs a library that came with it, and does not any more.",
                file=path,
                seen=place,
            )
    for path, place, fatal in given_to_users(base, patched):
        folder = patched.poms[path].folder
        known = folder in needed and f"{folder}:{MAIN}" not in compiled.failed
        if known and not is_needed(path, place):
            (findings.fatal if fatal else findings.warning)(
                "shipped-unneeded",
                "Users get a library that was for tests, and that the code does not need.",
                file=path,
                seen=place,
            )


def unreached(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    made: SourceTree,
    known: Container[str],
) -> dict[str, str]:
    """Libraries that new descriptors require for compiling only, though code and users need them.

    Args:
        context: of the room in which the libraries are.
        project: the patched tree's project files.
        compiled: the patched tree, by the harness.
        made: what Maven made.
        known: folders whose modules have a descriptor at the base.

    Returns:
        Folder of a module -> what another module is called.
    """
    found: dict[str, str] = {}
    needed, left = needed_by(compiled), _MOST
    for path, shipped in shipped_libraries(project).items():
        folder = project.poms[path].folder
        content = made.read(f"{folder}/{CLASSES}/{DESCRIPTOR}".lstrip("/"), _DESCRIPTOR_BYTES)
        if folder in known or content is None:
            continue
        try:
            names = {each for each in for_compiling(content) if not _OF_JAVA.fullmatch(each)}
        except UNREADABLE:
            continue
        for address in needed.get(folder, ()) if names else ():
            if left and any(f"/{place}/" in address for place in shipped):
                left -= 1
                if (name := _module_of(context, address)) in names:
                    found[folder] = name
    return found


def _module_of(context: MavenContext, address: str) -> str:
    """How modules call the library at an address."""
    place = PurePosixPath(unquote(urlsplit(address.removeprefix("jar:")).path))
    content = context.read_file(place, max_bytes=_LIBRARY_BYTES)
    return called_as_module(content) or by_file_name(place.name)


def by_file_name(name: str) -> str:
    """How modules call a library that does not say it."""
    plain = _VERSION.sub("", name.removesuffix(".jar"))
    return re.sub(r"[^A-Za-z0-9]+", ".", plain).strip(".")
