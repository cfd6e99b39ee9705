"""Test classes are run by the harness, again and again in one JVM, on classes that it compiled.

What comes back is the sandbox's word: the tests are the submission's code. They are not told which
run is of the code as it is and which of a mutant: see `mutants`.
"""

from __future__ import annotations

import re
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_benchmac.files.archives import pack
from pytest_benchmac.foreign.xmlfiles import local_name
from pytest_benchmac.tracks.maven.own.classpath import REPOSITORY
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.elsewhere import Elsewhere, Place
from pytest_benchmac.tracks.maven.own.libraries import (
    DIGESTS_BYTES,
    PLATFORM,
    changed,
    digesting,
    digests,
)
from pytest_benchmac.tracks.maven.own.units import (
    BASE_BOTH,
    BASE_MAIN,
    BASE_TEST,
    MAIN,
    TEST,
    class_path,
)
from pytest_benchmac.tracks.maven.pom import MavenProject, children, text
from pytest_benchmac.tracks.maven.pom_rules import JVM_OPTION
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate
from pytest_benchmac.tracks.toolchains.maven import maven_env

#: JVMs that are started for one module; each ends with a job that does not.
_MAX_STARTS = 12
_RESULT_BYTES = 8 * 1024 * 1024
_MAX_ROW, _DIGITS = 10_000, 9
_DIGEST_S = 120.0
_VARIABLE = re.compile(r"[\w.-]+")
#: What a JVM is told that runs for seconds.
QUICK = ("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:+UseSerialGC")


@dataclass(frozen=True)
class Job:
    """Test classes of one module, to be run."""

    number: int
    #: The module.
    folder: str
    classes: tuple[str, ...]
    #: `test-classes`; or the base's: `base-test-classes`, or with its own code
    #: `base-classes-and-tests`.
    kind: str = TEST
    #: Run all, or stop behind the first class in which something fails that otherwise does not?
    all: bool = True
    timeout_ms: int = 60_000
    #: Class name -> content to be loaded instead.
    replaced: Mapping[str, bytes] = field(default_factory=dict)
    #: Are `assert` statements run, of other classes than the tests?
    assertions: bool = True
    #: Of a machine elsewhere; None for where the patch's own tests run.
    place: Place | None = None
    #: Milliseconds for which all are run again and again before the run that counts.
    lasting_ms: int = 0


@dataclass(frozen=True)
class Ended:
    """What came of a job."""

    #: `done`, `timeout`, or `died` with the JVM.
    how: str
    ms: int = 0
    #: Test class -> how many of its tests passed.
    passed: Mapping[str, int] = field(default_factory=dict)
    failed: frozenset[str] = frozenset()


def run_jobs(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    jobs: Sequence[Job],
    *,
    more_jars: Mapping[str, Sequence[str]],
    budget_s: float,
    base: MavenProject | None = None,
    place: Elsewhere | None = None,
) -> dict[int, Ended]:
    """Run jobs in the context's sandbox, where Maven has run the same project's tests.

    Args:
        context: of the sandbox.
        project: the tree's project files.
        compiled: what the harness compiled of it.
        jobs: the first one of each module is of the code as it is.
        more_jars: folder -> libraries behind the module's own.
        budget_s: jobs that are not done after so many seconds are left out.
        base: the base's project files, for the base's tests: they run as it tells the JVM, and the
            tree opens modules to them at most.
        place: the machine on which they run, if it is not that of the patch's own tests.
    """
    sandbox = context.sandbox
    own_place = f"own-{secrets.token_hex(8)}"
    packed: dict[str, bytes | Path] = {**compiled.packed()}
    for job in jobs:
        for index, content in enumerate(job.replaced.values()):
            packed[f"jobs/{job.number}/{index}.class"] = content
    archive = context.scratch / f"{own_place}.tar"
    pack(archive, packed)
    sandbox.copy_in(archive, sandbox.inbox / archive.name)
    archive.unlink()
    deadline = time.monotonic() + budget_s
    done: dict[int, Ended] = {}
    for folder in dict.fromkeys(job.folder for job in jobs):
        own = [job for job in jobs if job.folder == folder]
        options = jvm_options(project, folder)
        if base is not None:
            options = [*jvm_options(base, folder), *opening_options(options)]
        jars = more_jars.get(folder, ())
        module = _Run(context, compiled, own_place, folder, jars, options, place)
        done |= module.run(own, deadline)
    return done


def changed_libraries(
    context: MavenContext, compiled: OwnCompile, more_jars: Mapping[str, Sequence[str]]
) -> list[str]:
    """Libraries of the context's sandbox that are not those that the harness compiled with."""
    jars = {each for module in compiled.modules for each in module.jars}
    ran = context.run(
        digesting(f"$HOME/{REPOSITORY}", jars.union(*more_jars.values())),
        timeout_s=_DIGEST_S,
        env=maven_env(context.sandbox.home),
        capture_bytes=DIGESTS_BYTES,
    )
    return changed(compiled.libraries, digests(ran.stdout))


@dataclass(frozen=True)
class _Run:
    context: MavenContext
    compiled: OwnCompile
    place: str
    folder: str
    more_jars: Sequence[str]
    options: Sequence[str]
    elsewhere: Elsewhere | None

    def run(self, jobs: Sequence[Job], deadline: float) -> dict[int, Ended]:
        first, pending = jobs[0], list(jobs)
        done: dict[int, Ended] = {}
        for start in range(_MAX_STARTS):
            left = deadline - time.monotonic()
            if not pending or left <= 0:
                break
            # Each JVM has to know what fails anyway.
            given = pending if first in pending else [first, *pending]
            ended = self._start(given, start, left)
            done |= {number: each for number, each in ended.items() if number not in done}
            if len(ended) < len(given) and time.monotonic() < deadline:
                lost = next(job for job in given if job.number not in ended)
                late = any(each.how == "timeout" for each in ended.values())
                if not late:
                    done.setdefault(lost.number, Ended("died"))
            pending = [job for job in pending if job.number not in done]
            if done.get(first.number, Ended("died")).how != "done":
                break
        return done

    def _start(self, jobs: Sequence[Job], start: int, left: float) -> dict[int, Ended]:
        context, sandbox = self.context, self.context.sandbox
        own = sandbox.home / self.place
        name = f"{self.place}-{len(self.folder)}-{start}-{secrets.token_hex(4)}"
        lines = [":".join(self._libraries()), *(self._line(job) for job in jobs)]
        sandbox.copy_in("\n".join(lines).encode(), sandbox.inbox / name)
        there = self.elsewhere
        # What a base tells its JVM holds everywhere.
        options = shlex.join([*(there.options if there else QUICK), "-ea", *self.options])
        # Files for a while are kept elsewhere, too.
        temporary = f"{own}/{secrets.token_hex(4)}"
        options += f" -Djava.io.tmpdir={temporary}" if there else ""
        words = "elsewhere" if there else ""
        silent = " >/dev/null 2>&1" if there else ""
        context.run(
            f"[ -d {own} ] || mkdir {own} && tar -xf {sandbox.inbox}/{self.place}.tar -C {own}; "
            f"mkdir {temporary}; "
            f"cd {shlex.quote(self.folder or '.')} && java {options} -cp {own}/out/tools RunTests "
            f"{sandbox.inbox}/{name} {own}/{name} {words}{silent}",
            timeout_s=left,
            env=maven_env(sandbox.home),
        )
        answer = context.read_file(own / name, max_bytes=_RESULT_BYTES)
        return _ended(answer or b"", {job.number for job in jobs})

    def _libraries(self) -> list[str]:
        home = self.context.sandbox.home
        repository = home / REPOSITORY
        module = next(each for each in self.compiled.modules if each.folder == self.folder)
        more = [e if e.startswith("/") else f"{repository}/{e}" for e in self.more_jars]
        jars = [*class_path(module, str(repository)), *more]
        names = {each.rpartition("/")[2] for each in jars}
        if any(name.startswith("junit-jupiter-") for name in names):
            jars += [
                f"{repository}/{place}/*"
                for place, artifact in PLATFORM
                if not any(name.startswith(artifact) for name in names)
            ]
        return jars

    def _line(self, job: Job) -> str:
        sandbox = self.context.sandbox
        own = sandbox.home / self.place
        numbers = {each.folder: index for index, each in enumerate(self.compiled.modules)}
        module = self.compiled.modules[numbers[self.folder]]
        # What tests wrote there while Maven ran them is no part of the project.
        there = own / "made" if self.compiled.made is not None else sandbox.project
        # What the base's tests cannot find is the patch's; with its own code they have no other.
        own_kinds = {
            TEST: (TEST, MAIN),
            BASE_TEST: (BASE_TEST, MAIN, TEST),
            BASE_BOTH: (BASE_BOTH, BASE_MAIN),
        }
        theirs = (BASE_MAIN, BASE_BOTH) if job.kind == BASE_BOTH else (MAIN, TEST)
        wanted = [(self.folder, own_kinds[job.kind]), *((each, theirs) for each in module.modules)]
        folders = []
        for each, kinds in wanted:
            for kind in kinds:
                folders.append(f"{own}/out/{numbers[each]}/{kind}/")
                # Behind the harness's classes, what Maven made of resources.
                if kind in (MAIN, TEST):
                    folders.append(f"{there / each}/target/{kind}/")
        if job.kind == BASE_BOTH:
            made = (f"{there / each}/target/{kind}/" for each, _ in wanted for kind in (MAIN, TEST))
            folders += made
        replaced = [
            f"{name}={own}/jobs/{job.number}/{index}.class"
            for index, name in enumerate(job.replaced)
        ]
        mode = str(job.lasting_ms) if job.lasting_ms else "all" if job.all else "first"
        cells = [str(job.number), mode, str(job.timeout_ms), ":".join(folders)]
        how = "assertions" if job.assertions else "none"
        place = str(job.place or "")
        return "\t".join([*cells, ",".join(job.classes), ",".join(replaced), how, place])


def _ended(answer: bytes, known: set[int]) -> dict[int, Ended]:
    found: dict[int, Ended] = {}
    for row in answer.decode("utf-8", "replace").splitlines()[:_MAX_ROW]:
        number, *cells = row.split("\t")
        if len(cells) < 3 or not all(is_number(each, _DIGITS) for each in (number, cells[1])):
            continue
        if int(number) in known and cells[0] in ("done", "timeout"):
            pairs = (each.rpartition("=") for each in cells[2].split(","))
            passed = {name: int(count) for name, _, count in pairs if is_number(count, _DIGITS)}
            failed = frozenset(cells[3:])
            found[int(number)] = Ended(cells[0], int(cells[1]), passed, failed)
    return found


def is_number(told: str, most: int) -> bool:
    """Is what a sandbox tells a whole number without a sign, of so many digits at most?"""
    return told.isascii() and told.isdecimal() and len(told) <= most


def jvm_options(project: MavenProject, folder: str) -> list[str]:
    """What Surefire is told to give to the JVM of the tests, as far as a migration may need it."""
    path = next((p for p in project.reactor if project.poms[p].folder == folder), None)
    if path is None:
        return []
    resolver = VersionResolver(project, lambda *_: None)
    properties = {**resolver.properties(path), "project.basedir": ".", "basedir": "."}
    words = properties.get("argLine", "").split()
    variables: dict[str, str] = {}
    for pom in reversed(resolver.lineage(path)):
        for plugin in pom.root.iter():
            if text(plugin, "artifactId") != "maven-surefire-plugin":
                continue
            for each in plugin.iter():
                if local_name(each) == "argLine":
                    words += (each.text or "").split()
                elif local_name(each) == "systemPropertyVariables":
                    variables |= {local_name(one): one.text or "" for one in each}
                elif local_name(each) == "systemProperties":
                    for one in children(each, "property"):
                        variables[text(one, "name")] = text(one, "value")
    filled = [interpolate(word, properties) or "" for word in words]
    options = [word for word in filled if JVM_OPTION.fullmatch(word) and "{" not in word]
    for name, value in variables.items():
        if _VARIABLE.fullmatch(name):
            options.append(f"-D{name}={interpolate(value, properties) or ''}")
    return options


def opening_options(options: Sequence[str]) -> list[str]:
    """Those of them that open modules, with what is opened."""
    found: list[str] = []
    for before, word in zip(["", *options], options, strict=False):
        if word.startswith("--") or (before.startswith("--") and "=" not in before):
            found.append(word)
    return found


def by_folder(tests: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Folder of a module -> its test classes, of test class -> folder."""
    found: dict[str, list[str]] = {}
    for name, folder in tests.items():
        found.setdefault(folder, []).append(name)
    return {folder: tuple(names) for folder, names in found.items()}
