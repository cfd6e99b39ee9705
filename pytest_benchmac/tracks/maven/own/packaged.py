"""What a module ships is what the harness compiled: its archive holds every class, as it is.

Tests run on folders of classes; what is packaged may be less, or other code.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.maven.classfiles import CLASSES
from pytest_benchmac.tracks.maven.own.classpath import REPOSITORY, bare_pom, coordinates
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE as NO_CLASS
from pytest_benchmac.tracks.maven.own.modules import DESCRIPTOR, module_name
from pytest_benchmac.tracks.maven.own.units import MAIN
from pytest_benchmac.tracks.maven.pom import (
    MAX_POM_BYTES,
    MavenProject,
    Pom,
    child,
    parent_path,
    read_pom,
    text,
)
from pytest_benchmac.tracks.maven.reading import MavenContext, run_maven
from pytest_benchmac.tracks.maven.versions_resolved import (
    PLACEHOLDER,
    VersionResolver,
    interpolate,
)

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
#: How modules call an archive that has no descriptor.
_MODULE = "automatic-module-name"
#: Modules of Java's own, which are found before all others.
_OF_JAVA = re.compile(r"(java|jdk)(\..*)?")
#: Of a class file, where its version stands.
_VERSION = slice(4, 8)
_MANIFEST_BYTES = 1 * MIB
_VERSIONS = "META-INF/versions/"
_DESCRIPTORS = re.compile(rf"({_VERSIONS}\d+/)?{re.escape(DESCRIPTOR)}")
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
    #: Minor and major version of the module's own class files, as they have them.
    versions: frozenset[bytes] = frozenset()


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
                kept = _installed(project, path, pom.packaging)
                places.append(context.sandbox.home / REPOSITORY / kept)
            why = ""
            starts: list[Mapping[str, str]] = []
            versions: set[bytes] = set()
            for place in places:
                content = context.read_file(place, max_bytes=_ARCHIVE_BYTES)
                why = why or wrong(content, compiled, pom.folder)
                starts.append(starting(content))
                versions |= class_versions(content, compiled, pom.folder)
            found[pom.folder] = Archived(why, tuple(starts), frozenset(versions))
    return found


def with_poms(context: MavenContext, project: MavenProject) -> dict[str, bool]:
    """Name of each module -> has the local repository a project file that others can use?

    Args:
        context: of a sandbox in which Maven has installed the project.
        project: its project files.
    """
    found: dict[str, bool] = {}
    for path in project.reactor:
        pom = project.poms[path]
        place = context.sandbox.home / REPOSITORY / _installed(project, path, "pom")
        content = context.read_file(place, max_bytes=MAX_POM_BYTES)
        found[_key(project, path)] = is_usable(content, pom)
    return found


def is_usable(content: bytes | None, pom: Pom) -> bool:
    """Is this what Maven installs of a project file, and does it say which parent it has?"""
    # The harness puts its own ones there, to have libraries resolved.
    own = {bare_pom(pom, processors=each) for each in (False, True)}
    if content is None or content in own:
        return False
    try:
        parent = read_pom("", content).parent
    except XmlError:
        return False
    return parent is None or not PLACEHOLDER.search(parent.version)


def without_poms(
    project: MavenProject, before: Mapping[str, bool], after: Mapping[str, bool]
) -> dict[str, str]:
    """Folders whose project files nobody finds any more, or that need such a parent -> why.

    Args:
        project: the patched tree's project files.
        before: `with_poms` of the base.
        after: the same of the patch.
    """
    found: dict[str, str] = {}
    keys = {path: _key(project, path) for path in project.reactor}
    for path, key in keys.items():
        if before.get(key):
            needed = [key]
            # Other new modules need not be installed.
            above = keys.get(parent_path(project.poms[path], project.poms) or "", key)
            needed += [above] if above not in before else []
            gone = [each for each in needed if not after.get(each)]
            if gone:
                found[project.poms[path].folder] = f"{gone[0]} has no project file in a repository"
    return found


def _key(project: MavenProject, path: str) -> str:
    return ":".join(coordinates(VersionResolver(project, lambda *_: None), path)[:2])


def starting(content: bytes | None) -> dict[str, str]:
    """What an archive has Java start and is called by as a module, by the manifest's attributes."""
    name = ""
    try:
        with zipfile.ZipFile(io.BytesIO(content or b"")) as archive:
            entry = archive.getinfo(_MANIFEST)
            read = archive.read(entry) if entry.file_size <= _MANIFEST_BYTES else b""
            for each in filter(_DESCRIPTORS.fullmatch, archive.namelist()):
                entry = archive.getinfo(each)
                name = module_name(archive.read(entry) if entry.file_size <= _CLASS_BYTES else b"")
                break
    except (KeyError, *NO_CLASS, *_UNREADABLE):
        return {}
    # Its first part is the archive's; a line that begins with a space belongs to the one before.
    lines = re.sub(r"\r\n?", "\n", read.decode("utf-8", "replace")).partition("\n\n")[0]
    pairs = (each.partition(":") for each in lines.replace("\n ", "").split("\n"))
    said = {key.lower(): value.strip() for key, _, value in pairs}
    said |= {_MODULE: name} if name else {}
    return {key: value for key, value in said.items() if key in _STARTING or key == _MODULE}


def called_as_module(content: bytes | None) -> str:
    """How modules call an archive; empty where only its file name says it."""
    return starting(content).get(_MODULE, "")


def starts_alike(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Does an archive start what it started, and is it found by its name as a module?

    One that started nothing may have a main class, and one without a name a new one.
    """
    name = after.get(_MODULE, "")
    if name != before[_MODULE] if _MODULE in before else _OF_JAVA.fullmatch(name):
        return False
    return all(
        after.get(each, "") == before.get(each, "")
        for each in _STARTING
        if each in before or each not in _MAIN_CLASSES
    )


def _installed(project: MavenProject, path: str, kind: str) -> PurePosixPath:
    """Where a module's file of a kind is in a repository."""
    group, artifact, version = coordinates(VersionResolver(project, lambda *_: None), path)
    name = f"{artifact}-{version}.{kind}"
    return PurePosixPath(*group.split("."), artifact, version, name)


def class_versions(content: bytes | None, compiled: OwnCompile, folder: str) -> frozenset[bytes]:
    """Minor and major version of the module's own class files in an archive."""
    own = {name for name, (of, _) in compiled.classes(MAIN).items() if of == folder}
    found: set[bytes] = set()
    try:
        with zipfile.ZipFile(io.BytesIO(content or b"")) as archive:
            for each in archive.infolist()[:_ENTRIES]:
                if _class_of(each) in own:
                    with archive.open(each) as file:
                        found.add(file.read(_VERSION.stop)[_VERSION])
    except _UNREADABLE:
        # It is told by what is wrong with it.
        return frozenset()
    return frozenset(found)


def for_other_javas(versions: Collection[bytes], classes: SourceTree, folder: str) -> bool:
    """Are packaged class files for another Java than what Maven compiles, or for previews of one?

    Args:
        versions: of a module's archives.
        classes: what Maven compiles where it does not package.
        folder: the module's.
    """
    root = f"{folder}/{CLASSES}/".lstrip("/")
    paths = (path for path in classes.files if path.startswith(root) and path.endswith(".class"))
    known = {(classes.read(path, _CLASS_BYTES) or b"")[_VERSION] for path in paths}
    return bool(known) and any(each[:2].strip(b"\0") or each not in known for each in versions)


def _class_of(entry: zipfile.ZipInfo) -> str:
    """The class that an entry of an archive has by its name; empty if it has none."""
    place = _PLACE.sub("", entry.filename, count=1)
    return place.removesuffix(".class").replace("/", ".") if place.endswith(".class") else ""


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
                if (name := _class_of(each)) in own:
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
