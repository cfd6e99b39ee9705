"""The base's own tests, run against the patched code."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.elsewhere import LASTING_MS, Elsewhere, elsewhere
from pytest_benchmac.tracks.maven.own.methods import class_names
from pytest_benchmac.tracks.maven.own.running import Ended, Job, by_folder, run_jobs
from pytest_benchmac.tracks.maven.own.units import BASE_BOTH, BASE_TEST
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext

#: More than this share of the tests is not unsteady.
_MANY = 0.1
#: Seconds for all runs in one place, and milliseconds for one at least.
BASE_S = 150.0
SUITE_MS = 60_000
#: In so many other places the base's tests are run once.
_PLACES = 3
#: Tests that take no longer in milliseconds are not slow, whatever the base's take.
_SLOW_MS = 1_000
#: Milliseconds that all places elsewhere should take together, by what the base's tests take.
PLACES_MS = 120_000
#: How many times what the base's tests take a run may take.
TIMES = 10
#: Folder of a module -> the tests that failed, of each run in turn.
Runs = Mapping[str, Sequence[set[str]]]


@dataclass(frozen=True)
class Failed:
    """Tests that do not pass where the patch's own tests run, and elsewhere."""

    here: frozenset[str]
    #: In each of the other places.
    elsewhere: tuple[frozenset[str], ...]
    #: Folder of a module -> milliseconds that its tests take here, of two runs the shorter one.
    ms: Mapping[str, int] = field(default_factory=dict)


def base_fails(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    facts: Mapping[str, Any],
    base: MavenProject,
    kind: str,
    tests: Mapping[str, str],
    machines: Sequence[Elsewhere],
) -> Failed:
    """Tests of the base that do not pass.

    They run twice here, with assertions of the tested code, and twice in each place elsewhere
    without: code that is right where somebody asserts does nothing where people are. On a machine
    that says how long, they run again and again before each run that counts.
    """
    jars: Mapping[str, Sequence[str]] = facts["jars"]
    most = places_of(facts, sum(not each.lasting_ms for each in machines))
    runs: list[Runs] = []
    taken: dict[str, int] = {}
    for where in (None, *machines):
        places = (None,) if where is None else where.places[:most]
        jobs = [
            Job(
                number,
                folder,
                classes,
                kind,
                timeout_ms=limit_ms(facts, folder, SUITE_MS),
                assertions=where is None,
                place=place,
                lasting_ms=0 if where is None else where.lasting_ms,
            )
            for number, (folder, classes, place) in enumerate(
                (*each, place)
                for each in by_folder(tests).items()
                for place in places
                for _ in range(2)
            )
        ]
        done = run_jobs(
            context,
            project,
            compiled,
            jobs,
            more_jars=jars,
            budget_s=BASE_S,
            base=base,
            place=where,
        )
        if where is None:
            taken = shortest(jobs, done)
        for place in places:
            runs.append(_runs([job for job in jobs if job.place == place], done, facts))
    failed = failed_of(runs[0], runs[1:], sum(facts["passing"].values()))
    return replace(failed, ms=taken)


def places_of(facts: Mapping[str, Any], machines: int) -> int:
    """In how many places of a machine tests are run: in fewer, where they take long.

    The same for whatever code, since places are compared with each other.
    """
    ms = sum(int(each) for each in facts["ms"].values())
    return max(1, PLACES_MS // max(1, 2 * machines * ms))


def may_last(facts: Mapping[str, Any]) -> bool:
    """Are the tests so quick, and the modules so few, that they can be run for a while?"""
    # Two runs: each goes on for so long, ends the pass under way, and then does one that counts.
    return sum(2 * (LASTING_MS + 2 * int(ms)) for ms in facts["ms"].values()) <= PLACES_MS // 2


def slower_modules(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    facts: Mapping[str, Any],
    base: MavenProject,
    ms: Mapping[str, int],
) -> tuple[str, ...]:
    """Modules in which the base's tests take far longer than with the base's own code.

    Args:
        context: of the sandbox in which they took so long.
        project: the patched tree's project files.
        compiled: what the harness compiled of it.
        facts: what `learn` found.
        base: the base's project files.
        ms: folder -> what they take with the patch's code.
    """
    known = compiled.classes(BASE_TEST).keys() & facts["tests"].keys()
    own = compiled.classes(BASE_BOTH)
    tests = {name: own[name][0] for name in sorted(known) if name in own}
    # Only where the same tests are compared, and a machine's moods are no matter.
    partly = {facts["tests"][name] for name in known - tests.keys()}
    folders = by_folder(tests)
    asked = [each for each in folders if each not in partly and ms.get(each, 0) > _SLOW_MS]
    jobs = [
        Job(
            number, folder, folders[folder], BASE_BOTH, timeout_ms=limit_ms(facts, folder, SUITE_MS)
        )
        for number, folder in enumerate(each for each in asked for _ in range(2))
    ]
    if not jobs:
        return ()
    jars: Mapping[str, Sequence[str]] = facts["jars"]
    done = run_jobs(context, project, compiled, jobs, more_jars=jars, budget_s=BASE_S, base=base)
    before = shortest(jobs, done)
    return tuple(
        folder or "."
        for folder in asked
        if folder in before and ms[folder] > _SLOW_MS + TIMES * before[folder]
    )


def shortest(jobs: Sequence[Job], done: Mapping[int, Ended]) -> dict[str, int]:
    """Folder of a module -> milliseconds of the shortest run that came to its end."""
    found: dict[str, int] = {}
    for job in jobs:
        ended = done.get(job.number, Ended("died"))
        if ended.how == "done":
            found[job.folder] = min(found.get(job.folder, ended.ms), ended.ms)
    return found


def fails_elsewhere(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    tests: Mapping[str, str],
    ms: Mapping[str, int],
) -> set[str]:
    """Tests of the untouched base that fail in some place or other: the same whenever it is asked.

    Args:
        context: of a sandbox where Maven has run them.
        project: the base's project files.
        compiled: what the harness compiled of it.
        tests: class -> folder of its module.
        ms: folder -> what all of its tests take, at most.
    """
    rng = random.Random(context.instance.id)  # noqa: S311
    found: set[str] = set()
    for _ in range(_PLACES):
        machine = rng.choice(elsewhere(rng, context.instance.environment.java))
        jobs = [
            Job(
                number,
                folder,
                classes,
                timeout_ms=max(SUITE_MS, TIMES * ms[folder]),
                place=machine.places[0],
            )
            for number, (folder, classes) in enumerate(by_folder(tests).items())
        ]
        done = run_jobs(
            context, project, compiled, jobs, more_jars={}, budget_s=BASE_S, place=machine
        )
        found = found.union(*(each.failed for each in done.values()))
    return found


def _runs(jobs: Sequence[Job], done: Mapping[int, Ended], facts: Mapping[str, Any]) -> Runs:
    found: dict[str, list[set[str]]] = {}
    for job in jobs:
        ended = done.get(job.number, Ended("died"))
        failed = {f"{job.folder or '.'}: {ended.how}"}
        if ended.how == "done":
            failed = set(ended.failed) - set(facts["failing"])
            for name in job.classes:
                # Skipped, or not found any more.
                heard = sum(each.partition("#")[0] == name for each in ended.failed)
                there = ended.passed.get(name, 0) + heard
                wanted = facts["passing"].get(name, 0)
                failed |= {f"{name}#not run {n}" for n in range(there + 1, wanted + 1)}
        found.setdefault(job.folder, []).append(failed)
    return found


def failed_of(here: Runs, elsewhere: Sequence[Runs], tests: int) -> Failed:
    """Tests that passed in no run of a place; in one of them at least, if they are many.

    A few that fail once are unsteady. Code that is right in one run of two is not, nor what is
    wrong whenever a JVM runs it for the first time.
    """
    first = elsewhere[0] if elsewhere else here
    fresh = {name for folder, runs in here.items() for name in runs[0] & first.get(folder, runs)[0]}

    def of(place: Runs) -> frozenset[str]:
        ever = {name for runs in place.values() for name in set.union(*runs)}
        always = {name for runs in place.values() for name in set.intersection(*runs)}
        return frozenset(ever if len(ever) > _MANY * tests else always)

    return Failed(of(here) | fresh, tuple(map(of, elsewhere)))


def lost_tests(compiled: OwnCompile) -> set[str]:
    """Tests of the base that do not compile with the patch's code, and what needs one of them."""
    lost, found = set(compiled.lost), set[str]()
    needs: dict[str, set[str]] = {}
    for name, (_, path) in compiled.classes(BASE_TEST).items():
        named = class_names(compiled.content(path))
        needs.setdefault(name.partition("$")[0], set()).update(n.partition("$")[0] for n in named)
    while lost - found:
        found |= lost
        lost |= {name for name, named in needs.items() if named & found}
    return found


def limit_ms(facts: Mapping[str, Any], folder: str, least: int) -> int:
    """Milliseconds for a run of a module's tests: many times what the base's take."""
    return max(least, TIMES * int(facts["ms"].get(folder, 0)))
