"""The harness compiles every module, main and tests, with its own call of the compiler.

No plugin, level, exclusion or processor of the project files has a say in it: sources that do not
compile for the target were not migrated, whatever Maven was told.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from pytest_benchmac.files.archives import pack
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, InfrastructureError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.maven.classfiles import (
    TEST_CLASSES,
    class_of,
    is_class_path,
    read_major,
)
from pytest_benchmac.tracks.maven.own.classpath import (
    Module,
    Resolved,
    repository_of,
    resolution_key,
    resolve,
)
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE
from pytest_benchmac.tracks.maven.own.libraries import DIGESTS_BYTES, digesting, digests
from pytest_benchmac.tracks.maven.own.samecode import (
    JDK,
    called,
    parameters_of,
    said_by,
)
from pytest_benchmac.tracks.maven.own.units import (
    BASE_BOTH,
    BASE_TEST,
    MAIN,
    OWN,
    TEST,
    BaseTests,
    units,
)
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.toolchains.maven import maven_env

TOOLS = "tools"
_PROGRAMS = (
    *("Compile", "Declared", "Uses", "RunTests", "ProjectLoader"),
    *("AskMethods", "AskPlan", "AskSpec", "AskInputs", "AskMembers", "AskValues", "AskDigest"),
    *("AskEffects", "AskContracts", "AskAtOnce"),
)
_OUT_BYTES = 1024 * MIB
_OUT_FILES = 100_000
_RESULT_BYTES = 4 * MIB
_CLASS_BYTES = 16 * MIB


@cache
def programs_sha256() -> str:
    """Digest of the harness's own programs, which a base's facts have compiled."""
    return hashlib.sha256(b"\0".join(map(_source, _PROGRAMS))).hexdigest()


def _source(name: str) -> bytes:
    return (files(__package__) / f"{name}.java").read_bytes()


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
    #: `<module>/target/classes/...` and `test-classes` likewise, as Maven made them where no test
    #: had run; None where it did not.
    made: SourceTree | None = None
    #: Folders of the modules whose class files tell the names of parameters, at the base.
    named: frozenset[str] = frozenset()

    @property
    def modules(self) -> tuple[Module, ...]:
        """In the order that they were compiled in."""
        return self.resolved.modules

    def programs(self) -> dict[str, bytes]:
        """The harness's own programs, by path."""
        paths = [path for path in self.out.files if path.startswith(f"{TOOLS}/")]
        return {path: self.out.read(path, _RESULT_BYTES) or b"" for path in paths}

    def content(self, path: str) -> bytes:
        """Of a class file in `out`; nothing for what is too large to be one, or not there."""
        return self.out.read(path, _CLASS_BYTES) or b""

    def packed(self, *prefixes: str) -> dict[str, Path]:
        """Paths in an archive -> files: `out/...`, below these folders if any, and `made/...`."""
        found = {
            f"out/{path}": self.out.root / path
            for path in self.out.files
            if not prefixes or path.startswith(prefixes)
        }
        if self.made is not None:
            found |= {f"made/{path}": self.made.root / path for path in self.made.files}
        return found

    def classes(self, kind: str) -> dict[str, tuple[str, str]]:
        """Class name -> folder of its module, and its path in `out`."""
        found: dict[str, tuple[str, str]] = {}
        for name, folder, path in self.class_files(kind):
            found.setdefault(name, (folder, path))
        return found

    def class_files(self, kind: str) -> Iterator[tuple[str, str, str]]:
        """Class name, folder of its module, and path in `out`, of all modules."""
        for number, module in enumerate(self.modules):
            prefix = f"{number}/{kind}/"
            for path in self.out.files:
                if path.startswith(prefix) and path.endswith(".class"):
                    name = path.removeprefix(prefix).removesuffix(".class").replace("/", ".")
                    yield name, module.folder, path

    def unlike(self, classes: SourceTree) -> list[str]:
        """Paths of Maven's classes that do not do what the harness's of that name do."""
        found: list[str] = []
        known = self.classes(MAIN)
        for path in sorted(filter(is_class_path, classes.files)):
            name = class_of(path)
            made = classes.read(path, _CLASS_BYTES) or b""
            if name in known and not self.is_like(known[name][1], made):
                found.append(path)
        return found

    def naming(self, classes: SourceTree) -> list[str]:
        """Folders of the modules whose classes tell the names of parameters, as Maven made them."""
        known = self.classes(MAIN)
        told: dict[str, bool] = {}
        for path in filter(is_class_path, classes.files):
            if (name := class_of(path)) in known:
                folder, own = known[name]
                names = parameters_of(self.content(own))
                if names:
                    made = classes.read(path, _CLASS_BYTES) or b""
                    told[folder] = told.get(folder, True) and parameters_of(made) == names
        return sorted(folder for folder, alike in told.items() if alike)

    def fails(self, kind: str) -> bool:
        """Does a unit of this kind not compile?"""
        return any(unit.endswith(f":{kind}") for unit in self.failed)

    def unlike_tests(self, classes: SourceTree) -> list[str]:
        """Test classes that Maven did not make, or that ask others for something else."""
        made = {
            class_of(path, TEST_CLASSES): path
            for path in sorted(classes.files)
            if is_class_path(path, TEST_CLASSES)
        }
        known = self.classes(TEST)
        own = frozenset(name.replace(".", "/") for name in known)
        found: list[str] = []
        for name, (_, path) in sorted(known.items()):
            content = classes.read(made.get(name, ""), _CLASS_BYTES) or b""
            # Tests may be compiled for another level than the code.
            same = read_major(content) == read_major(self.content(path))
            alike = self.is_like(path, content) if same else self._asks_alike(path, content, own)
            if not alike:
                found.append(name)
        return found

    def _asks_alike(self, path: str, made: bytes, own: frozenset[str]) -> bool:
        """Does a class file name the methods that the harness's does, of others but the JDK?"""

        def asked(content: bytes) -> set[str]:
            return {
                call
                for call in called(content)
                if call.partition(".")[0] not in own and not JDK.match(call.lstrip("["))
            }

        try:
            return asked(self.content(path)) == asked(made)
        except UNREADABLE:
            return False

    def is_like(self, path: str, made: bytes) -> bool:
        """Does a class file say and do what the harness's of this path does?"""
        own = self.content(path)
        if own == made:
            return True
        said = said_by(own)
        if said is None or said != said_by(made):
            return False
        # The harness has its compiler tell them.
        number, kind, _ = path.split("/", 2)
        named = kind == MAIN and self.modules[int(number)].folder in self.named
        return not named or parameters_of(own) == parameters_of(made)


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
    lines = [
        unit
        for number, module in enumerate(modules)
        for unit in units(context, project, modules, number, level, processors, base)
    ]
    sandbox.copy_in("\n".join(lines).encode(), sandbox.inbox / "units.txt")
    if known is not None:
        archive = context.scratch / "programs.tar"
        pack(archive, known.programs)
        sandbox.copy_in(archive, sandbox.inbox / archive.name)
    for name in _PROGRAMS if known is None else ():
        sandbox.copy_in(_source(name), sandbox.inbox / f"{name}.java")
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
    asked = [line.partition("\t")[0] for line in lines]
    failed, passed, lost = results_of(answer, asked, f"{sandbox.project}/")
    out = OwnCompile(resolved, SourceTree.scan(destination), failed, passed)
    lost |= silently_lost(out)
    return replace(out, lost=lost, libraries=digests(libraries or b""))


def silently_lost(compiled: OwnCompile) -> frozenset[str]:
    """Test classes of units of the base that failed as a whole, and are compiled with its code.

    What keeps the compiler from coming to an end with the patch's code is told of no file.
    """
    before = compiled.classes(BASE_BOTH)
    gone = before.keys() - compiled.classes(BASE_TEST).keys()
    return frozenset(
        name.partition("$")[0]
        for name in gone
        if f"{before[name][0]}:{BASE_TEST}" in compiled.failed
    )


def _script(
    context: MavenContext, modules: Sequence[Module], *, with_base: bool, compiled: bool
) -> str:
    inbox = context.sandbox.inbox
    tools = f'"$HOME/own/out/{TOOLS}"'
    steps = ["set -e", f'mkdir -p {tools} "$HOME/own/base" "$HOME/own/before"']
    if compiled:
        steps.append(f'tar -xf {inbox}/programs.tar -C "$HOME/own/out"')
    else:
        sources = " ".join(f"{inbox}/{name}.java" for name in _PROGRAMS)
        steps.append(f"javac -nowarn -d {tools} {sources}")
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
            f"for each in {BASE_TEST} {BASE_BOTH}; do "
            f'cp -R "$HOME/own/base/"{resources}/. "$HOME/own/out/{number}/$each/"; done'
        )
    return "; ".join(steps)


def results_of(
    answer: bytes, asked: Sequence[str], root: str
) -> tuple[dict[str, tuple[Problem, ...]], frozenset[str], frozenset[str]]:
    """Units that failed, units that passed, and test classes of the base that were left out.

    Args:
        answer: what the harness's program wrote.
        asked: the units that it was to compile; what it did not get to has failed.
        root: where the tree is, with a `/` behind.
    """
    failed: dict[str, tuple[Problem, ...]] = {}
    passed: set[str] = set()
    dropped: dict[str, set[str]] = {BASE_TEST: set(), BASE_BOTH: set()}
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
    unfinished = Problem("", 0, "the compiler did not come to it")
    for unit in asked:
        if unit not in passed:
            failed.setdefault(unit, tuple(problems.get(unit, ()))[:10] or (unfinished,))
    lost = frozenset(dropped[BASE_TEST] - dropped[BASE_BOTH])
    return failed, frozenset(passed), lost
