"""Do the tests still say anything? Methods of the tested code are emptied, one after the other.

Extreme mutation (Niedermayr, Juergens, Wagner 2016; the tool Descartes): the whole body of a method
is replaced by the return of a default value. Of the mutants that the base's tests notice, the
patched tests have to notice nearly all. A test that fails where nothing was emptied says nothing,
and such runs are hidden among the others.

The base's own tests are run against the patched code as well, as far as they compile.
"""

from __future__ import annotations

import math
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.tracks.maven.javafiles import JavaFile, is_test
from pytest_benchmac.tracks.maven.own.base_tests import (
    SUITE_MS,
    TIMES,
    Failed,
    base_fails,
    fails_elsewhere,
    limit_ms,
    lost_tests,
    may_last,
    slower_modules,
)
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.elsewhere import elsewhere, lasting
from pytest_benchmac.tracks.maven.own.methods import (
    all_keys,
    emptied,
    method_keys,
)
from pytest_benchmac.tracks.maven.own.renaming import new_name
from pytest_benchmac.tracks.maven.own.running import Ended, Job, by_folder, run_jobs
from pytest_benchmac.tracks.maven.own.units import BASE_BOTH, BASE_TEST, MAIN, TEST
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext

#: Share of the sampled methods that may be gone, or emptied without being noticed; one always.
MISSED = 0.1
#: Share of a class's methods that make another one its new name, of the base's test classes that
#: have to compile, and of the sample that has to be tried in time.
HALF = 0.5
#: Methods of the base that are tried at most, and of those how many in a case.
POOL, SAMPLE = 200, 60
#: Bounds in seconds, and in milliseconds for one run: what comes to an end takes far less.
_LEARN_S, CASE_S = 600.0, 300.0
_MUTANT_MS = 30_000
_MS_STEP = _MUTANT_MS // TIMES
#: Classes that are replaced in every run, and of how many runs one has no mutant.
_REPLACED, _PER_ORIGINAL = 3, 8


def learn(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    test_classes: Iterable[str],
) -> dict[str, Any]:
    """Which emptied methods the base's tests notice, in a sandbox where Maven has run them.

    Returns:
        `tests`: class -> folder of its module; `failing`: tests that fail by the harness, if not
        by Maven; `elsewhere`: tests that fail in some other place; `ms`: folder -> what all tests
        take, rounded up; `passing`: class -> how many of its tests pass; `noticed`:
        `class#method/parameters` -> folder and test class that noticed.
    """
    tests = _tests_of(compiled, TEST, test_classes)
    pool = _methods(compiled)
    chosen = sorted(pool)
    random.Random(context.instance.id).shuffle(chosen)  # noqa: S311
    chosen = chosen[:POOL]
    folders = by_folder(tests)
    jobs = [
        Job(number, folder, classes, assertions=number < len(folders))
        for number, (folder, classes) in enumerate([*folders.items()] * 2)
    ]
    originals = {job.number: job.folder for job in jobs}
    keys: dict[int, str] = {}
    uses = {module.folder: {module.folder, *module.modules} for module in compiled.modules}
    for folder, classes in folders.items():
        for key in chosen:
            if pool[key].folder in uses[folder]:
                number = len(originals) + len(keys)
                keys[number] = key
                replaced = {pool[key].name: _emptied(compiled, pool[key], key)}
                jobs.append(Job(number, folder, classes, all=False, replaced=replaced))
    # The first job of a module is one of its code as it is.
    done = run_jobs(context, project, compiled, jobs, more_jars={}, budget_s=_LEARN_S)
    failing: set[str] = set()
    ms: dict[str, int] = {}
    passed: dict[str, int] = {}
    for number, folder in originals.items():
        ended = done.get(number, Ended("died"))
        if ended.how != "done":
            # It cannot be told by the harness what these tests notice.
            tests = {name: place for name, place in tests.items() if place != folder}
            continue
        failing |= ended.failed
        # Whatever is shorter has the same limits, and facts learnt twice are the same.
        ms[folder] = max(ms.get(folder, 0), math.ceil(ended.ms / _MS_STEP) * _MS_STEP)
        for name, count in ended.passed.items():
            passed[name] = min(passed.get(name, count), count)
    noticed: dict[str, tuple[str, str]] = {}
    for number, key in keys.items():
        folder = next(job.folder for job in jobs if job.number == number)
        ended = done.get(number, Ended("died"))
        if folder not in ms or ended.how != "done" or ended.ms > ms[folder]:
            # What a mutant that never ends, or hardly, shows depends on the machine.
            continue
        if new := sorted(ended.failed - failing):
            noticed.setdefault(key, (folder, new[0].partition("#")[0]))
    others = fails_elsewhere(context, project, compiled, tests, ms)
    return {
        "tests": tests,
        "failing": sorted(failing),
        "elsewhere": sorted(others - failing),
        "ms": ms,
        "passing": passed,
        "noticed": noticed,
    }


@dataclass(frozen=True)
class Doubts:
    """What came of the runs of a case."""

    #: Of the case: it draws the sample.
    seed: int
    #: Methods whose emptying the base's tests notice.
    pool: int = 0
    #: Of a sample of them: those that were emptied, those that the patched tests noticed, those
    #: that they did not, and those that the patch has no more by name.
    judged: int = 0
    noticed: int = 0
    missed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    #: Test classes of the base, and those that compile against the patched code.
    base_classes: int = 0
    base_compiled: int = 0
    #: Those that do not, and do with the base's own code: it is not their libraries or Java.
    base_lost: tuple[str, ...] = ()
    base_ran: int = 0
    #: Tests of the base that do not pass on the patched code, and did on the base's.
    base_failed: tuple[str, ...] = ()
    #: Those of them that the base's own code fails as well, with these libraries and this Java.
    base_excused: tuple[str, ...] = ()
    #: Modules in which the base's tests take far longer than with the base's own code.
    slower: tuple[str, ...] = ()
    #: Tests of the patch that fail by the harness where nothing was emptied.
    failing: tuple[str, ...] = ()


def doubt(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    facts: Mapping[str, Any],
    base: MavenProject,
    renamed: Mapping[str, str],
    *,
    same: bool,
) -> Doubts:
    """Try the patched tests, and the base's, in a sandbox where Maven has run the patched ones.

    Args:
        context: of the sandbox; its seed draws the sample, and what is hidden where.
        project: the patched tree's project files.
        compiled: what the harness compiled of it.
        facts: what `learn` found.
        base: the base's project files.
        renamed: class of the base -> the patch's.
        same: are libraries and Java those of the base?
    """
    base_jars: Mapping[str, Sequence[str]] = facts["jars"]
    rng = random.Random(context.seed)  # noqa: S311
    names: Mapping[str, str] = facts["tests"]
    tests = _tests_of(compiled, TEST, names)
    older = _tests_of(compiled, BASE_TEST, names)
    methods = _methods(compiled, of=all_keys)
    noticed: Mapping[str, tuple[str, str]] = facts["noticed"]
    kept = {
        key: new
        for key in noticed
        if (new := "#".join((new_name(key.partition("#")[0], renamed), key.partition("#")[2])))
        in methods
    }
    sample = rng.sample(sorted(noticed), min(SAMPLE, len(noticed)))
    drafts: list[tuple[str, str | None]] = []
    for key in (each for each in sample if each in kept):
        folder = tests.get(noticed[key][1], "")
        drafts.append((folder, key))
    for folder in {folder for folder, _ in drafts}:
        own = sum(place == folder for place, _ in drafts)
        drafts += [(folder, None)] * max(2, own // _PER_ORIGINAL)
    rng.shuffle(drafts)
    jobs: list[Job] = []
    keys: dict[int, str | None] = {}
    for folder, classes in by_folder(tests).items():
        if any(place == folder for place, _ in drafts):
            jobs.append(
                Job(len(jobs), folder, classes, timeout_ms=limit_ms(facts, folder, SUITE_MS))
            )
            keys[jobs[-1].number] = None
        limit = limit_ms(facts, folder, _MUTANT_MS)
        for place, draft in drafts:
            if place != folder:
                continue
            likely = noticed[draft][1] if draft else rng.choice(classes)
            order = tuple(dict.fromkeys((likely, *classes)))
            replaced = _replaced(compiled, methods, kept[draft] if draft else None, rng)
            jobs.append(Job(len(jobs), folder, order, TEST, False, limit, replaced))
            keys[jobs[-1].number] = draft
    done = run_jobs(context, project, compiled, jobs, more_jars=base_jars, budget_s=CASE_S)
    java = context.instance.environment.java
    there = elsewhere(rng, java)
    if may_last(facts):
        there = (*there, lasting(rng, java))

    def fails(kind: str, tests: Mapping[str, str]) -> Failed:
        return base_fails(context, project, compiled, facts, base, kind, tests, there)

    failed = fails(BASE_TEST, older)
    base_failed, others = set(failed.here), failed.here.union(facts["elsewhere"])
    only_there = set[str]().union(*failed.elsewhere) - others
    excused: set[str] = set()
    if only_there or (base_failed and not same):
        # Of other tests the patch's would be run in their place.
        theirs = fails(BASE_BOTH, _tests_of(compiled, BASE_BOTH, older))
        # What the base's own code fails in a place as well is the place's.
        pairs = zip(failed.elsewhere, theirs.elsewhere, strict=True)
        only_there = set[str]().union(
            *(own - base_own for own, base_own in pairs if not _did_not_end(base_own))
        )
        only_there -= others
        if not same:
            # Is it the libraries, or Java? Then the base's own code fails with them.
            excused = base_failed if _did_not_end(theirs.here) else set(theirs.here)
    base_failed |= only_there
    slower = slower_modules(context, project, compiled, facts, base, failed.ms)
    failing: dict[str, set[str]] = {}
    for job in jobs:
        if keys[job.number] is None:
            ended = done.get(job.number, Ended("died"))
            own_failing = failing.setdefault(job.folder, set())
            own_failing |= ended.failed if ended.how == "done" else {"*"}
    hits: list[str] = []
    misses: list[str] = []
    for job in jobs:
        of = keys[job.number]
        if of is None or job.number not in done:
            continue
        ended = done[job.number]
        ignored = failing.get(job.folder, set())
        says = "*" not in ignored and (ended.how != "done" or bool(ended.failed - ignored))
        (hits if says else misses).append(of)
    return Doubts(
        seed=context.seed,
        pool=len(noticed),
        judged=len(hits) + len(misses),
        gone=tuple(sorted(set(sample) - kept.keys())),
        noticed=len(hits),
        missed=tuple(sorted(misses)),
        base_classes=len(names),
        base_compiled=len(older),
        base_lost=tuple(sorted(lost_tests(compiled) & facts["passing"].keys())),
        base_ran=sum(facts["passing"].get(name, 0) for name in older),
        base_failed=tuple(sorted(base_failed)),
        base_excused=tuple(sorted(excused & base_failed)),
        slower=slower,
        failing=tuple(sorted(set().union(*failing.values()))),
    )


def _did_not_end(failed: Iterable[str]) -> bool:
    """Did the tests of some module come to no end?"""
    return any(": " in each for each in failed)


def renamed_types(base: Mapping[str, JavaFile], patched: Mapping[str, JavaFile]) -> dict[str, str]:
    """Class of the base that is gone -> the new one of its package with most of its methods."""
    before, after = _types(base), _types(patched)
    new = {name: methods for name, methods in after.items() if name not in before}
    found: dict[str, str] = {}
    for name, methods in before.items():
        if name in after or not methods:
            continue
        package = name.rpartition(".")[0]
        alike = {
            other: len(methods & own) / len(methods | own)
            for other, own in new.items()
            if other.rpartition(".")[0] == package and own
        }
        best = max(alike, key=lambda each: alike[each], default="")
        if best and alike[best] >= HALF:
            found[name] = best
    return found


def _types(files: Mapping[str, JavaFile]) -> dict[str, set[tuple[str, int]]]:
    return {
        f"{source.package}.{each.name}" if source.package else each.name: {
            (method.name, method.arity) for method in each.methods
        }
        for path, source in files.items()
        if not is_test(path)
        for each in source.types
    }


@dataclass(frozen=True)
class _Place:
    name: str
    folder: str
    path: str


def _methods(compiled: OwnCompile, of: Any = method_keys) -> dict[str, _Place]:
    """`class#method/parameters` -> its class."""
    found: dict[str, _Place] = {}
    for name, (folder, path) in compiled.classes(MAIN).items():
        content = compiled.content(path)
        for key in of(content) if content else ():
            found[f"{name}#{key}"] = _Place(name, folder, path)
    return found


def _emptied(compiled: OwnCompile, place: _Place, key: str | None) -> bytes:
    content = compiled.content(place.path)
    keys = () if key is None else (key.partition("#")[2],)
    return emptied(content, keys, secrets.token_hex(12))


def _replaced(
    compiled: OwnCompile, methods: Mapping[str, _Place], key: str | None, rng: random.Random
) -> dict[str, bytes]:
    """The class with the emptied method among some that are as they were, but for a mark."""
    others = rng.sample(sorted(methods), min(4 * _REPLACED, len(methods)))
    chosen = {methods[each].name: methods[each] for each in others}
    if key is not None:
        chosen.pop(methods[key].name, None)
    names = list(chosen)[: _REPLACED - (key is not None)]
    found = {name: _emptied(compiled, chosen[name], None) for name in names}
    if key is not None:
        found[methods[key].name] = _emptied(compiled, methods[key], key)
    order = sorted(found)
    rng.shuffle(order)
    return {name: found[name] for name in order}


def _tests_of(compiled: OwnCompile, kind: str, names: Iterable[str]) -> dict[str, str]:
    """Test class -> folder of its module, of those that were compiled."""
    classes = compiled.classes(kind)
    return {name: classes[name][0] for name in sorted(set(names)) if name in classes}
