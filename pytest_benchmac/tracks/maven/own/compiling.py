"""The harness compiles every module, main and tests, with its own call of the compiler.

No plugin, level, exclusion or processor of the project files has a say in it: sources that do not
compile for the target were not migrated, whatever Maven was told.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import PurePosixPath

from pytest_benchmac.files.archives import pack
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, InfrastructureError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.maven.classfiles import is_class_path
from pytest_benchmac.tracks.maven.environment import maven_env
from pytest_benchmac.tracks.maven.own.classpath import (
    Module,
    Resolved,
    repository_of,
    resolution_key,
    resolve,
)
from pytest_benchmac.tracks.maven.own.libraries import DIGESTS_BYTES, digesting, digests
from pytest_benchmac.tracks.maven.own.samecode import methods_of
from pytest_benchmac.tracks.maven.pom import MavenProject, child, text
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

MAIN, TEST, BASE_TEST = "classes", "test-classes", "base-test-classes"
#: The base's code, and its tests with it and the patch's libraries: where some do not compile.
_BASE_MAIN, _BASE_BOTH = "base-classes", "base-classes-and-tests"
TOOLS = "tools"
#: Of the harness, in every sandbox.
OWN = PurePosixPath("own")
_OUT_BYTES = 1024 * MIB
_OUT_FILES = 100_000
_RESULT_BYTES = 4 * MIB
_CLASS_BYTES = 16 * MIB
#: Options that open the JDK; with one of them, all of it is visible.
_OPENING = re.compile(r"--(?:add-exports|add-modules|add-reads)(?:=\S+)?")
#: Stands for the repository's folder: see Compile.java.
_REPOSITORY = "@repository@"
_COMPILER = "maven-compiler-plugin"
_FOLDERS = {MAIN: "src/main/java", TEST: "src/test/java"}
_DECLARED = {MAIN: "sourceDirectory", TEST: "testSourceDirectory"}


@dataclass(frozen=True)
class Problem:
    """An error of the compiler."""

    file: str
    line: int
    message: str


@dataclass(frozen=True)
class Known:
    """What was made for the untouched base already."""

    resolved: Resolved
    #: The harness's own programs: path -> class file.
    programs: Mapping[str, bytes]

    def again(self, project: MavenProject, *, processors: bool) -> Resolved | None:
        """The base's libraries, if the project asks for the same and the image has them."""
        if not self.resolved.in_image:
            return None
        key = resolution_key(project, processors=processors)
        return self.resolved if key == self.resolved.key else None


@dataclass(frozen=True)
class OwnCompile:
    """What the harness compiled."""

    resolved: Resolved
    #: `<number of the module>/classes/...`, `test-classes` and `base-test-classes` likewise, and
    #: `tools/...`.
    out: SourceTree
    #: `<folder>:classes` and the like -> the first errors; without those that compiled.
    failed: Mapping[str, tuple[Problem, ...]]
    #: Units that compiled.
    passed: frozenset[str] = field(default_factory=frozenset)
    #: Tests of the base that compile with the base's code, and not with the patch's.
    lost: frozenset[str] = field(default_factory=frozenset)
    #: Digests of the libraries, before anything of the tree ran.
    libraries: Mapping[str, str] = field(default_factory=dict)

    @property
    def modules(self) -> tuple[Module, ...]:
        """In the order that they were compiled in."""
        return self.resolved.modules

    def programs(self) -> dict[str, bytes]:
        """The harness's own programs, by path."""
        paths = [path for path in self.out.files if path.startswith(f"{TOOLS}/")]
        return {path: self.out.read(path, _RESULT_BYTES) or b"" for path in paths}

    def classes(self, kind: str) -> dict[str, tuple[str, str]]:
        """Class name -> folder of its module, and its path in `out`."""
        found: dict[str, tuple[str, str]] = {}
        for number, module in enumerate(self.modules):
            prefix = f"{number}/{kind}/"
            for path in self.out.files:
                if path.startswith(prefix) and path.endswith(".class"):
                    name = path.removeprefix(prefix).removesuffix(".class").replace("/", ".")
                    found.setdefault(name, (module.folder, path))
        return found

    def unlike(self, classes: SourceTree) -> list[str]:
        """Paths of Maven's classes that do not do what the harness's of that name do."""
        found: list[str] = []
        known = self.classes(MAIN)
        for path in sorted(filter(is_class_path, classes.files)):
            name = path.rpartition("target/classes/")[2].removesuffix(".class").replace("/", ".")
            if name in known:
                own = self.out.read(known[name][1], _CLASS_BYTES)
                made = classes.read(path, _CLASS_BYTES)
                code = methods_of(own or b"")
                if own != made and (code is None or code != methods_of(made or b"")):
                    found.append(path)
        return found


@dataclass(frozen=True)
class BaseTests:
    """The base's tests, to be compiled against the patched sources as far as they go."""

    #: The Java release that the base's code is written for.
    level: str
    #: Folder -> the module's libraries at the base.
    jars: Mapping[str, Sequence[str]]
    #: Simple names of classes that have another one now.
    renamed: Mapping[str, str]


def compile_tree(
    context: MavenContext,
    project: MavenProject,
    *,
    level: str,
    processors: bool,
    timeout_s: float,
    base: BaseTests | None = None,
    known: Known | None = None,
) -> OwnCompile | None:
    """Compile the tree in the context's sandbox, in which nothing of it has run.

    Args:
        context: its sandbox has the tree.
        project: the tree's project files.
        level: the Java release to compile for.
        processors: run the annotation processors among the libraries?
        timeout_s: seconds for each command.
        base: the base's tests, where they are to be compiled too.
        known: what need not be made again.

    Returns:
        What came of it; None where Maven cannot resolve the libraries.

    Raises:
        CopyLimitError: there is more than the harness reads.
        InfrastructureError: the sandbox's JDK cannot run the harness's program.
    """
    resolved = known.again(project, processors=processors) if known is not None else None
    if resolved is None:
        resolved = resolve(context, project, processors=processors, timeout_s=timeout_s)
    if resolved is None:
        return None
    modules = resolved.modules
    sandbox = context.sandbox
    own = sandbox.home / OWN
    units = [
        unit
        for number, module in enumerate(modules)
        for unit in _units(context, project, modules, number, level, processors, base)
    ]
    units.sort(key=lambda unit: "\tdoubtful\t" in unit)
    sandbox.copy_in("\n".join(units).encode(), sandbox.inbox / "units.txt")
    if known is not None:
        archive = context.scratch / "programs.tar"
        pack(archive, known.programs)
        sandbox.copy_in(archive, sandbox.inbox / archive.name)
    for name in ("Compile", "RunTests") if known is None else ():
        source = (files(__package__) / f"{name}.java").read_bytes()
        sandbox.copy_in(source, sandbox.inbox / f"{name}.java")
    script = _script(context, modules, with_base=base is not None, compiled=known is not None)
    jars = {each for module in modules for each in module.jars}
    jars |= {each for own_jars in (base.jars.values() if base else ()) for each in own_jars}
    listing = digesting(repository_of(sandbox.home), jars)
    script = f'mkdir -p "$HOME/own"; {listing} >"$HOME/own/libraries.txt"; {script}'
    ran = context.run(script, timeout_s=timeout_s, env=maven_env(sandbox.home))
    libraries = context.read_file(own / "libraries.txt", max_bytes=DIGESTS_BYTES)
    answer = context.read_file(own / "compiled.txt", max_bytes=_RESULT_BYTES)
    if answer is None:
        if ran.attempt.timed_out or ran.attempt.limits_hit:
            raise CopyLimitError("the sources take longer to compile than the harness waits")
        raise InfrastructureError(
            "the harness's compiler cannot be run in the sandbox",
            remedy=f"see the case's log: {ran.attempt.stderr_tail[-300:]}",
        )
    destination = context.scratch / f"own-{len(list(context.scratch.iterdir()))}"
    sandbox.copy_out(own / "out", destination, max_bytes=_OUT_BYTES, max_files=_OUT_FILES)
    destination.mkdir(exist_ok=True)
    failed, passed, lost = _results(answer, f"{sandbox.project}/")
    digests_ = digests(libraries or b"")
    return OwnCompile(resolved, SourceTree.scan(destination), failed, passed, lost, digests_)


def class_path(module: Module, repository: str) -> list[str]:
    """The libraries of a module, as absolute paths."""
    return [each if each.startswith("/") else f"{repository}/{each}" for each in module.jars]


def _script(
    context: MavenContext, modules: Sequence[Module], *, with_base: bool, compiled: bool
) -> str:
    inbox = context.sandbox.inbox
    tools = f'"$HOME/own/out/{TOOLS}"'
    steps = ["set -e", f'mkdir -p {tools} "$HOME/own/base" "$HOME/own/before"']
    if compiled:
        steps.append(f'tar -xf {inbox}/programs.tar -C "$HOME/own/out"')
    else:
        steps.append(f"javac -nowarn -d {tools} {inbox}/Compile.java {inbox}/RunTests.java")
    if with_base:
        for place in ("base", "before"):
            steps.append(f'git archive baseline | tar -xf - -C "$HOME/own/{place}"')
    steps.append(
        f"java -XX:TieredStopAtLevel=1 -Xshare:auto -Xss16m -cp {tools} Compile "
        f'{inbox}/units.txt "$HOME/own/compiled.txt" "{repository_of(context.sandbox.home)}"'
    )
    for number, module in enumerate(modules) if with_base else ():
        resources = shlex.quote(f"{module.folder or '.'}/src/test/resources")
        steps.append(
            f'[ ! -d "$HOME/own/base/"{resources} ] || '
            f'cp -R "$HOME/own/base/"{resources}/. "$HOME/own/out/{number}/{BASE_TEST}/"'
        )
    return "; ".join(steps)


def _units(
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
    properties = resolver.properties(path)
    jars = class_path(module, _REPOSITORY)
    upstream = [str(out / str(numbers[each]) / MAIN) for each in module.modules if each in numbers]
    # Classes of tests that modules share as an archive.
    upstream += [str(out / str(numbers[each]) / TEST) for each in module.modules if each in numbers]
    opening = _opening(resolver, path)
    encoding = interpolate(properties.get("project.build.sourceEncoding", ""), properties)
    options = [
        f"--open-level={level}" if opening else f"--level={level}",
        *opening,
        "-encoding",
        encoding if encoding and re.fullmatch(r"[\w.:-]+", encoding) else "UTF-8",
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
        place: PurePosixPath = out,
    ) -> str:
        renamed = ""
        if base is not None and kind == BASE_TEST:
            renamed = ",".join(f"{old}={new}" for old, new in base.renamed.items())
        given = options
        if base is not None and kind == _BASE_MAIN:
            given = [f"--level={base.level}", *options[1 + len(opening) :]]
        cells = (f"{module.folder}:{kind}", str(root / module.folder / sources))
        target = str(place / str(number) / kind)
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
        mains = [str(before / str(each) / _BASE_MAIN) for each in (number, *used)]
        tests = [str(before / str(each) / _BASE_BOTH) for each in used]
        for kind, sources in ((_BASE_MAIN, _FOLDERS[MAIN]), (_BASE_BOTH, _FOLDERS[TEST])):
            # The base's own libraries for the base's code, the patch's for its tests.
            first = [*more, *jars] if kind == _BASE_MAIN else [*jars, *more]
            libraries = [*mains, *tests, *first]
            lines.append(line(kind, before, sources, libraries, "doubtful", before))
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


def _sources(resolver: VersionResolver, path: str, kind: str) -> str:
    properties = resolver.properties(path)
    for pom in resolver.lineage(path):
        if declared := text(child(pom.root, "build"), _DECLARED[kind]):
            value = interpolate(declared, {**properties, "project.basedir": ".", "basedir": "."})
            if value and not value.startswith("/") and ".." not in value.split("/"):
                return value
    return _FOLDERS[kind]


def _results(
    answer: bytes, root: str
) -> tuple[dict[str, tuple[Problem, ...]], frozenset[str], frozenset[str]]:
    failed: dict[str, tuple[Problem, ...]] = {}
    passed: set[str] = set()
    dropped: dict[str, set[str]] = {BASE_TEST: set(), _BASE_BOTH: set()}
    problems: dict[str, list[Problem]] = {}
    for line in answer.decode("utf-8", "replace").splitlines():
        cells = line.split("\t")
        if cells[0] == "error" and len(cells) == 5:
            number = int(cells[3]) if cells[3].isdecimal() and len(cells[3]) < 9 else 0
            where = cells[2].removeprefix(root)
            problems.setdefault(cells[1], []).append(Problem(where, number, cells[4]))
        elif cells[0] == "dropped" and len(cells) == 5:
            name = cells[2].rpartition("/src/test/java/")[2].removesuffix(".java")
            of = dropped.setdefault(cells[1].rpartition(":")[2], set())
            of.add(name.replace("/", "."))
        elif cells[0] == "unit" and len(cells) == 4:
            if cells[2] == "passed":
                passed.add(cells[1])
            else:
                failed[cells[1]] = tuple(problems.get(cells[1], ())[:10])
    lost = frozenset(dropped[BASE_TEST] - dropped[_BASE_BOTH])
    return failed, frozenset(passed), lost
