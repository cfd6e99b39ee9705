"""What a module ships is what the harness compiled: its archive holds every class, as it is.

Tests run on folders of classes; what is packaged may be less, or other code.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.maven.own.classpath import REPOSITORY, coordinates
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.units import MAIN
from pytest_benchmac.tracks.maven.pom import MavenProject, child, text
from pytest_benchmac.tracks.maven.reading import MavenContext, run_maven
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

#: In a room where nothing of the tests has run, and nothing does: as far as others can get it.
_INSTALL = "mvn -B -q -DskipTests install"
#: Where that fails at the base too.
_PACKAGE = "mvn -B -q -DskipTests package"
_KINDS = ("jar", "war")
#: Where archives have the classes of an application, if not at their root.
_PLACE = re.compile(r"(?:(?:WEB-INF|BOOT-INF)/classes/)?")
_MANIFEST = "META-INF/MANIFEST.MF"
_MAIN_CLASSES = frozenset({"main-class", "start-class"})
#: Attributes of manifests that name a class which runs.
_STARTING = _MAIN_CLASSES | {"agent-class", "launcher-agent-class", "premain-class"}
_MANIFEST_BYTES = 1 * MIB
_VERSIONS = "META-INF/versions/"
#: What reading an archive raises that is none, or is damaged.
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, NotImplementedError),
    *(RuntimeError, OSError, EOFError),
)
_ARCHIVE_BYTES, _CLASS_BYTES, _ENTRIES = 512 * MIB, 16 * MIB, 100_000


def package(context: MavenContext, timeout_s: float, *, install: bool) -> bool:
    """Have Maven package the project of a room, and install it if asked for; did it?"""
    return run_maven(context, _INSTALL if install else _PACKAGE, timeout_s).passed


@dataclass(frozen=True)
class Archived:
    """What the archives of a module are like: in its folder, and in the local repository."""

    #: What is not what the harness compiled; empty if nothing is.
    wrong: str
    #: The classes that the manifest of each has Java start, by attribute.
    starts: tuple[Mapping[str, str], ...]


def packaged(
    context: MavenContext, project: MavenProject, compiled: OwnCompile, *, installed: bool
) -> dict[str, Archived]:
    """Folder of each module that is packaged as an archive -> what that is like.

    Args:
        context: of a sandbox in which Maven has packaged the project.
        project: its project files.
        compiled: what the harness compiled of it.
        installed: are archives in the local repository too?
    """
    found: dict[str, Archived] = {}
    for path in project.reactor:
        pom = project.poms[path]
        if pom.packaging in _KINDS:
            places = [context.sandbox.project / pom.folder / "target" / _name(project, path)]
            if installed:
                places.append(context.sandbox.home / REPOSITORY / _installed(project, path))
            why = ""
            starts: list[Mapping[str, str]] = []
            for place in places:
                content = context.read_file(place, max_bytes=_ARCHIVE_BYTES)
                why = why or wrong(content, compiled, pom.folder)
                starts.append(starting(content))
            found[pom.folder] = Archived(why, tuple(starts))
    return found


def starting(content: bytes | None) -> dict[str, str]:
    """The classes that an archive's manifest has Java start, by attribute."""
    try:
        with zipfile.ZipFile(io.BytesIO(content or b"")) as archive:
            entry = archive.getinfo(_MANIFEST)
            read = archive.read(entry) if entry.file_size <= _MANIFEST_BYTES else b""
    except (KeyError, *_UNREADABLE):
        return {}
    # Its first part is the archive's; a line that begins with a space belongs to the one before.
    lines = re.sub(r"\r\n?", "\n", read.decode("utf-8", "replace")).partition("\n\n")[0]
    pairs = (each.partition(":") for each in lines.replace("\n ", "").split("\n"))
    return {key.lower(): value.strip() for key, _, value in pairs if key.lower() in _STARTING}


def starts_alike(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Does an archive start what it started? One that started nothing may have a main class."""
    return all(
        after.get(each, "") == before.get(each, "")
        for each in _STARTING
        if each in before or each not in _MAIN_CLASSES
    )


def _installed(project: MavenProject, path: str) -> PurePosixPath:
    """Where a module's archive is in a repository."""
    group, artifact, version = coordinates(VersionResolver(project, lambda *_: None), path)
    name = f"{artifact}-{version}.{project.poms[path].packaging}"
    return PurePosixPath(*group.split("."), artifact, version, name)


def wrong(content: bytes | None, compiled: OwnCompile, folder: str) -> str:
    """What of a module's archive is not what the harness compiled; empty if nothing is."""
    if content is None:
        return "there is no archive"
    own = {n: path for n, (of, path) in compiled.classes(MAIN).items() if of == folder}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > _ENTRIES or len({each.filename for each in entries}) < len(entries):
                return "it has too many entries, or two of a name"
            for each in entries:
                if not each.filename.endswith(".class"):
                    continue
                if each.filename.startswith(_VERSIONS):
                    return f"{each.filename} is for some releases of Java only"
                place = _PLACE.sub("", each.filename, count=1)
                name = place.removesuffix(".class").replace("/", ".")
                if name in own:
                    if each.file_size > _CLASS_BYTES:
                        return f"{each.filename} is too large"
                    if not compiled.is_like(own.pop(name), archive.read(each)):
                        return f"{each.filename} does not do what its source says"
    except _UNREADABLE as error:
        return f"it cannot be read: {error}"
    return f"{min(own)} is not in it" if own else ""


def _name(project: MavenProject, path: str) -> PurePosixPath:
    """The file name of a module's archive."""
    resolver = VersionResolver(project, lambda *_: None)
    _, artifact, version = coordinates(resolver, path)
    name = f"{artifact}-{version}"
    for pom in resolver.lineage(path):
        if declared := text(child(pom.root, "build"), "finalName"):
            known = {
                **resolver.properties(path),
                "project.artifactId": artifact,
                "project.version": version,
            }
            name = interpolate(declared, known) or name
            break
    return PurePosixPath(f"{name.rpartition('/')[2]}.{project.poms[path].packaging}")
