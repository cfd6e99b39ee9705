"""The base's own tests, run against the patched code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.methods import class_names
from pytest_benchmac.tracks.maven.own.running import Ended, Job, by_folder, run_jobs
from pytest_benchmac.tracks.maven.own.units import BASE_TEST
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext

#: More than this share of the tests is not unsteady.
_MANY = 0.1
#: Seconds for all runs, and milliseconds for one at least.
BASE_S = 300.0
SUITE_MS = 60_000
#: How many times what the base's tests take a run may take.
TIMES = 10
_CLASS_BYTES = 16 * 1024 * 1024


def base_fails(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    facts: Mapping[str, Any],
    base: MavenProject,
    kind: str,
    tests: Mapping[str, str],
) -> set[str]:
    """Tests of the base that do not pass.

    They run twice with assertions of the tested code and twice without: code that is right where
    somebody asserts does nothing elsewhere.
    """
    jobs = [
        Job(
            number,
            folder,
            classes,
            kind,
            timeout_ms=limit_ms(facts, folder, SUITE_MS),
            assertions=number % 2 == 0,
        )
        for number, (folder, classes) in enumerate(
            each for each in by_folder(tests).items() for _ in range(4)
        )
    ]
    jars: Mapping[str, Sequence[str]] = facts["jars"]
    done = run_jobs(context, project, compiled, jobs, more_jars=jars, budget_s=BASE_S, base=base)
    return _failed(jobs, done, facts)


def _failed(jobs: Sequence[Job], done: Mapping[int, Ended], facts: Mapping[str, Any]) -> set[str]:
    """Tests that passed in no run of their kind; in one of them at least, if they are many.

    A few that fail once are unsteady. Code that is right in one run of two is not.
    """
    found: dict[tuple[str, bool], list[set[str]]] = {}
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
        found.setdefault((job.folder, job.assertions), []).append(failed)
    ever = {name for runs in found.values() for name in set.union(*runs)}
    always = {name for runs in found.values() for name in set.intersection(*runs)}
    return ever if len(ever) > _MANY * sum(facts["passing"].values()) else always


def lost_tests(compiled: OwnCompile) -> set[str]:
    """Tests of the base that do not compile with the patch's code, and what needs one of them."""
    lost, found = set(compiled.lost), set[str]()
    needs: dict[str, set[str]] = {}
    for name, (_, path) in compiled.classes(BASE_TEST).items():
        named = class_names(compiled.out.read(path, _CLASS_BYTES) or b"")
        needs.setdefault(name.partition("$")[0], set()).update(n.partition("$")[0] for n in named)
    while lost - found:
        found |= lost
        lost |= {name for name, named in needs.items() if named & found}
    return found


def limit_ms(facts: Mapping[str, Any], folder: str, least: int) -> int:
    """Milliseconds for a run of a module's tests: many times what the base's take."""
    return max(least, TIMES * int(facts["ms"].get(folder, 0)))
