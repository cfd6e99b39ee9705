"""What the harness tells its compiler: a line for each folder of sources. See Compile.java."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_benchmac.tracks.maven.own.classpath import Module
from pytest_benchmac.tracks.maven.pom import MavenProject, child, text
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

MAIN, TEST, BASE_TEST = "classes", "test-classes", "base-test-classes"
#: The base's code, and its tests with it and the patch's libraries.
BASE_MAIN, BASE_BOTH = "base-classes", "base-classes-and-tests"
#: Of the harness, in every sandbox.
OWN = PurePosixPath("own")
#: Options that open the JDK; with one of them, all of it is visible.
_OPENING = re.compile(r"--(?:add-exports|add-modules|add-reads)(?:=\S+)?")
#: Stands for the repository's folder: see Compile.java.
_REPOSITORY = "@repository@"
_COMPILER = "maven-compiler-plugin"
_FOLDERS = {MAIN: "src/main/java", TEST: "src/test/java"}
_OF_BASE = (BASE_TEST, BASE_MAIN, BASE_BOTH)
_ENCODING = "UTF-8"
_DECLARED = {MAIN: "sourceDirectory", TEST: "testSourceDirectory"}


@dataclass(frozen=True)
class BaseTests:
    """The base's tests, to be compiled against the patched sources as far as they go."""

    #: The Java release that the base's code is written for.
    level: str
    #: Folder -> the module's libraries at the base.
    jars: Mapping[str, Sequence[str]]
    #: Simple names of classes that have another one now.
    renamed: Mapping[str, str]
    #: Folder -> the encoding of the base's sources.
    encodings: Mapping[str, str]


def class_path(module: Module, repository: str) -> list[str]:
    """The libraries of a module, as absolute paths."""
    return [each if each.startswith("/") else f"{repository}/{each}" for each in module.jars]


def units(
    context: MavenContext,
    project: MavenProject,
    modules: Sequence[Module],
    number: int,
    level: str,
    processors: bool,
    base: BaseTests | None,
) -> list[str]:
    """The lines of a module: see Compile.java."""
    module, home = modules[number], context.sandbox.home
    out = home / OWN / "out"
    numbers = {each.folder: index for index, each in enumerate(modules)}
    path = next(p for p in project.reactor if project.poms[p].folder == module.folder)
    resolver = VersionResolver(project, lambda *_: None)
    jars = class_path(module, _REPOSITORY)
    upstream = [str(out / str(numbers[each]) / MAIN) for each in module.modules if each in numbers]
    # Classes of tests that modules share as an archive.
    upstream += [str(out / str(numbers[each]) / TEST) for each in module.modules if each in numbers]
    opening = _opening(resolver, path)
    options = [
        f"--open-level={level}" if opening else f"--level={level}",
        *opening,
        "-parameters",
        "-g",
    ]
    if processors and jars:
        options += ["-processorpath", ":".join(jars)]
    else:
        options.append("-proc:none")

    def line(
        kind: str,
        root: PurePosixPath,
        sources: str,
        libraries: Sequence[str],
        how: str,
    ) -> str:
        renamed = ""
        if base is not None and kind == BASE_TEST:
            renamed = ",".join(f"{old}={new}" for old, new in base.renamed.items())
        given = options
        of_base = base is not None and kind in _OF_BASE
        encodings = base.encodings if base is not None and of_base else encodings_of(project)
        if base is not None and kind == BASE_MAIN:
            given = [f"--level={base.level}", *options[1 + len(opening) :]]
        given = [*given, "-encoding", encodings.get(module.folder, _ENCODING)]
        cells = (f"{module.folder}:{kind}", str(root / module.folder / sources))
        target = str(out / str(number) / kind)
        return "\t".join((*cells, target, how, ":".join(libraries), " ".join(given), renamed))

    project_root = context.sandbox.project
    folders = {kind: _sources(resolver, path, kind) for kind in _FOLDERS}
    main, test = str(out / str(number) / MAIN), str(out / str(number) / TEST)
    lines = [
        line(MAIN, project_root, folders[MAIN], [*upstream, *jars], "strict"),
        line(TEST, project_root, folders[TEST], [main, *upstream, *jars], "strict"),
    ]
    if base is not None:
        known = {_artifact(each) for each in module.jars}
        older = [e for e in base.jars.get(module.folder, ()) if _artifact(e) not in known]
        more = [e if e.startswith("/") else f"{_REPOSITORY}/{e}" for e in older]
        # What does not compile any more, such as a helper, is taken from the patched tests.
        libraries = [main, *upstream, *jars, *more, test]
        lines.append(line(BASE_TEST, home / OWN / "base", _FOLDERS[TEST], libraries, "lenient"))
        before = home / OWN / "before"
        used = [numbers[each] for each in module.modules if each in numbers]
        mains = [str(out / str(each) / BASE_MAIN) for each in (number, *used)]
        tests = [str(out / str(each) / BASE_BOTH) for each in used]
        for kind, sources in ((BASE_MAIN, _FOLDERS[MAIN]), (BASE_BOTH, _FOLDERS[TEST])):
            # The base's own libraries for the base's code, the patch's for its tests.
            first = [*more, *jars] if kind == BASE_MAIN else [*jars, *more]
            libraries = [*mains, *tests, *first]
            lines.append(line(kind, before, sources, libraries, "lenient"))
    return lines


def _artifact(jar: str) -> str:
    """A library without its version, as far as its path tells."""
    return "/".join(jar.split("/")[:-2])


def _opening(resolver: VersionResolver, path: str) -> list[str]:
    """What the compiler is told to open of the JDK."""
    words: list[str] = []
    for pom in resolver.lineage(path):
        for plugin in pom.root.iter():
            if text(plugin, "artifactId") == _COMPILER:
                for each in plugin.iter():
                    words += (each.text or "").split()
    found: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if _OPENING.fullmatch(word):
            found += [word] if "=" in word else [word, following]
    return found


def encodings_of(project: MavenProject) -> dict[str, str]:
    """Folder -> the encoding of its sources, of the modules of a build without profiles."""
    resolver = VersionResolver(project, lambda *_: None)
    found: dict[str, str] = {}
    for path in project.reactor:
        properties = resolver.properties(path)
        name = interpolate(properties.get("project.build.sourceEncoding", ""), properties)
        known = name if name and re.fullmatch(r"[\w.:-]+", name) else _ENCODING
        found[project.poms[path].folder] = known
    return found


def _sources(resolver: VersionResolver, path: str, kind: str) -> str:
    properties = resolver.properties(path)
    for pom in resolver.lineage(path):
        if declared := text(child(pom.root, "build"), _DECLARED[kind]):
            value = interpolate(declared, {**properties, "project.basedir": ".", "basedir": "."})
            if value and not value.startswith("/") and ".." not in value.split("/"):
                return value
    return _FOLDERS[kind]
