"""What each module is compiled and tested with.

Maven itself resolves it, from project files that the harness writes: dependencies and what decides
their versions are the project's, plugins and folders are left out, so nothing that the submission
wrote is run and nothing that it installed is taken. Modules are empty archives to it.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml.ElementTree import fromstring

from pytest_benchmac.files.archives import pack
from pytest_benchmac.foreign.xmlfiles import local_name
from pytest_benchmac.tracks.maven.pom import MavenProject, Pom, child, children, text
from pytest_benchmac.tracks.maven.reading import MavenContext, run_maven
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

#: What a project file keeps.
_KEPT = frozenset(
    {
        "artifactId",
        "dependencies",
        "dependencyManagement",
        "groupId",
        "modelVersion",
        "modules",
        "packaging",
        "parent",
        "profiles",
        "properties",
        "repositories",
        "version",
    }
)
_KEPT_IN_PROFILES = _KEPT | {"activation", "id"}
_LISTED = "own.classpath"
_LISTED_BYTES = 4 * 1024 * 1024
REPOSITORY = PurePosixPath(".m2/repository")


#: Where a bootstrapped base has what Maven copies from.
_SYSTEM_REPOSITORY = "/usr/share/maven-repo"


@dataclass(frozen=True)
class Module:
    """A module that is built without any profile."""

    #: Below the root; empty for the root.
    folder: str
    #: Folders of the modules whose classes it uses, in the order of its class path.
    modules: tuple[str, ...]
    #: Its libraries, below the local repository, or (with a `/`) absolute.
    jars: tuple[str, ...]


@dataclass(frozen=True)
class Resolved:
    """The modules, in an order in which they can be compiled."""

    modules: tuple[Module, ...]
    #: Digest of all that decided.
    key: str
    #: Does every sandbox of the image have the libraries, before Maven runs?
    in_image: bool


def resolve(
    context: MavenContext, project: MavenProject, *, processors: bool, timeout_s: float
) -> Resolved | None:
    """Ask Maven; None where it cannot tell.

    Args:
        context: its sandbox has the tree, and nothing of it ran there.
        project: the project files of the tree.
        processors: are annotation processors among the libraries that a module needs?
        timeout_s: seconds.
    """
    resolver = VersionResolver(project, lambda *_: None)
    names = {path: coordinates(resolver, path) for path in project.reactor}
    poms = {path: bare_pom(project.poms[path], processors=processors) for path in project.poms}
    installed: dict[str, bytes] = {}
    places: dict[str, str] = {}
    for path, (group, artifact, version) in names.items():
        place = PurePosixPath(*group.split("."), artifact, version)
        if ".." in place.parts or place.is_absolute() or not (artifact and version):
            return None
        name = str(place / f"{artifact}-{version}")
        installed[f"{name}.pom"] = poms[path]
        if project.poms[path].packaging != "pom":
            for end in (".jar", "-tests.jar"):
                installed[name + end] = b""
                places[name + end] = project.poms[path].folder
    sandbox = context.sandbox
    for name, content in (("poms.tar", poms), ("modules.tar", installed)):
        archive = context.scratch / name
        pack(archive, content)
        sandbox.copy_in(archive, sandbox.inbox / name)
    ran = run_maven(context, _script(context, names), timeout_s, capture_bytes=_LISTED_BYTES)
    if not ran.passed:
        return None
    found: dict[str, Module] = {}
    listed = ran.stdout.decode("utf-8", "replace").splitlines()
    root = f"{sandbox.home / REPOSITORY}/"
    if len(listed) != len(names) + 1:
        return None
    for path, line in zip(names, listed[1:], strict=True):
        entries = [each.removeprefix(root) for each in line.split(":") if each]
        folder = project.poms[path].folder
        if project.poms[path].packaging != "pom":
            used = dict.fromkeys(places[each] for each in entries if each in places)
            jars = tuple(each for each in entries if each not in places)
            found[folder] = Module(folder, tuple(used), jars)
    key = resolution_key(project, processors=processors)
    return Resolved(_ordered(found), key, listed[0] == "image")


def _script(context: MavenContext, names: Mapping[str, Sequence[str]]) -> str:
    inbox = context.sandbox.inbox
    folders = " ".join(
        shlex.quote(path.rpartition("/")[0] or ".") for path in names
    )  # fmt: skip
    repository = f'"$HOME/{REPOSITORY}"'
    return (
        # A copy, since an artifact may come from a repository in the tree.
        'set -e; rm -rf "$HOME/own"; mkdir -p "$HOME/own/project"; '
        'tar -cf - --exclude=./.git . | tar -xf - -C "$HOME/own/project"; '
        f'cd "$HOME/own/project"; tar -xf {inbox}/poms.tar; '
        # On a bootstrapped base this makes the local repository.
        f"mvn -q --version >&2; mkdir -p {repository}; "
        f"tar -xf {inbox}/modules.tar -C {repository}; "
        f"mvn -B -q dependency:build-classpath -Dmdep.outputFile={_LISTED} >&2; "
        f"[ -d {_SYSTEM_REPOSITORY} ] && echo image || echo registry; "
        f'for each in {folders}; do [ ! -f "$each/{_LISTED}" ] || tr -d "\\n" <"$each/{_LISTED}"; '
        "echo; done"
    )


def bare_pom(pom: Pom, *, processors: bool) -> bytes:
    """A project file without all that could run: dependencies and what decides their versions."""
    root = deepcopy(pom.root)
    root.attrib.clear()
    for each in root.iter():
        # Maven knows no prefixes.
        each.tag = local_name(each) or each.tag
    extra = _processors(root) if processors else []
    _keep(root, _KEPT)
    for profile in children(child(root, "profiles"), "profile"):
        _keep(profile, _KEPT_IN_PROFILES)
    packaging = child(root, "packaging")
    if packaging is not None and pom.packaging != "pom":
        # Of whatever kind it is, its classes are on the class path.
        packaging.text = "jar"
    if extra:
        place = child(root, "dependencies")
        if place is None:
            place = SubElement(root, "dependencies")
        for each in extra:
            dependency = SubElement(place, "dependency")
            for name in ("groupId", "artifactId", "version"):
                SubElement(dependency, name).text = text(each, name)
            SubElement(dependency, "scope").text = "provided"
    content: bytes = tostring(root, encoding="utf-8")
    return content


def resolution_key(project: MavenProject, *, processors: bool) -> str:
    """Digest of all that decides what the libraries are, a registry's answers apart."""
    resolver = VersionResolver(project, lambda *_: None)
    digest = hashlib.sha256()
    for path in sorted(project.poms):
        properties = resolver.properties(path)
        root = fromstring(bare_pom(project.poms[path], processors=processors))
        lineage = resolver.lineage(path)
        inner = lineage[-1].parent is None and not any(
            each.scope == "import" for pom in lineage for each in pom.managed
        )
        if inner:
            # No project file elsewhere can mean one of them.
            _keep(root, _KEPT - {"properties"})
        for each in root.iter():
            raw = (each.text or "").strip()
            each.text, each.tail = interpolate(raw, properties) or raw, None
        digest.update(path.encode() + b"\0" + tostring(root) + b"\0")
    return digest.hexdigest()


def repository_of(home: PurePosixPath) -> str:
    """Shell words for the repository that has the libraries in this sandbox."""
    own = f"{home / REPOSITORY}"
    return f"$([ -d {own} ] && echo {own} || echo {_SYSTEM_REPOSITORY})"


def _keep(element: Element, names: frozenset[str]) -> None:
    for each in list(element):
        if local_name(each) not in names:
            element.remove(each)


def _processors(root: Element) -> list[Element]:
    known = {
        (text(each, "groupId"), text(each, "artifactId"))
        for each in children(child(root, "dependencies"), "dependency")
    }
    return [
        each
        for each in root.iter()
        if local_name(each) == "path"
        and text(each, "version")
        and (text(each, "groupId"), text(each, "artifactId")) not in known
    ]


def coordinates(resolver: VersionResolver, path: str) -> tuple[str, str, str]:
    """Group, artifact and version of a project file of the tree."""
    lineage, properties = resolver.lineage(path), resolver.properties(path)
    pom, parent = lineage[0], lineage[0].parent
    group = pom.group or (parent.group if parent else "")
    version = pom.version or (parent.version if parent else "")
    values = [interpolate(each, properties) or "" for each in (group, pom.artifact, version)]
    return values[0], values[1], values[2]


def _ordered(modules: Mapping[str, Module]) -> tuple[Module, ...]:
    """Each behind those that it uses; a circle is none of Maven's, and is cut somewhere."""
    found: dict[str, Module] = {}

    def add(folder: str, under_way: frozenset[str]) -> None:
        module = modules[folder]
        for each in module.modules:
            if each in modules and each not in found and each not in under_way:
                add(each, under_way | {folder})
        found.setdefault(folder, module)

    for folder in modules:
        add(folder, frozenset())
    return tuple(found.values())
