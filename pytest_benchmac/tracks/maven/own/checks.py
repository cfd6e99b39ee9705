"""Findings on what the harness compiled and tried."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.classfiles import class_of, is_class_path
from pytest_benchmac.tracks.maven.own.answers import ENDS, NO_TIME, Asked
from pytest_benchmac.tracks.maven.own.base_tests import TIMES
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile, Problem
from pytest_benchmac.tracks.maven.own.declared import read_rows, rows_of
from pytest_benchmac.tracks.maven.own.modules import descriptors, hidden
from pytest_benchmac.tracks.maven.own.mutants import HALF, MISSED, SAMPLE, Doubts
from pytest_benchmac.tracks.maven.own.questions import GONE
from pytest_benchmac.tracks.maven.own.reach import new_reach
from pytest_benchmac.tracks.maven.own.redeclared import Libraries, changes
from pytest_benchmac.tracks.maven.own.units import BASE_MAIN, MAIN

#: Share of the base's tests that may fail on the patched code where they fail on the base's own
#: as well, with the patch's libraries and JDK.
_MAY_FAIL = 0.1
#: Anonymous and local classes.
_NAMELESS = re.compile(r"\$\d")


def check_units(
    findings: Findings,
    facts: Mapping[str, Any],
    compiled: OwnCompile | None,
    kind: str,
) -> None:
    """Report sources that Maven says it compiles, and that do not compile for the target.

    Args:
        findings: where to.
        facts: of `base_facts`.
        compiled: the patched tree, by the harness.
        kind: `classes` or `test-classes`.
    """
    if not facts:
        if kind == MAIN:
            findings.warning(
                "own-compile-unchecked",
                "The harness cannot resolve the base's libraries: sources are compiled by Maven.",
            )
        return
    if compiled is None:
        if kind == MAIN:
            findings.fatal(
                "dependency-unresolved",
                "The libraries cannot be resolved without the build's own plugins.",
            )
        return
    passed = set(facts["passed"])
    for unit, problems in compiled.failed.items():
        folder, _, of = unit.rpartition(":")
        if of != kind:
            continue
        first = problems[0] if problems else Problem("", 0, "the compiler says nothing")
        if unit in passed or folder not in facts["jars"]:
            findings.fatal(
                "does-not-compile",
                "A source does not compile for the target: "
                f"{len(problems)} or more errors in {folder or 'the root'}.",
                file=first.file or None,
                line=first.line or None,
                seen=first.message,
            )
        else:
            findings.warning(
                "own-compile-unchecked",
                "A module takes more than a compiler, at the base too: Maven compiled it.",
                file=folder or ".",
                seen=first.message,
            )


def check_classes(
    findings: Findings, facts: Mapping[str, Any], compiled: OwnCompile, classes: SourceTree
) -> None:
    """Report classes that Maven left and no source is compiled to."""
    if not facts or not set(facts["passed"]) >= {f"{m.folder}:{MAIN}" for m in compiled.modules}:
        return
    if compiled.fails(MAIN):
        return
    known = {name.partition("$")[0] for name in compiled.classes(MAIN)}
    for path in classes.files:
        own = not is_class_path(path) or path.endswith("/module-info.class")
        if not own and class_of(path).partition("$")[0] not in known:
            findings.fatal("class-without-source", "A class has no source.", file=path)
    if not facts["unlike"]:
        for path in compiled.unlike(classes):
            findings.fatal(
                "class-unlike-source",
                "Maven's class does not do what its source says, compiled by the harness.",
                file=path,
            )


def check_kept(findings: Findings, compiled: OwnCompile) -> None:
    """Report modules of which fewer types are compiled than of the base's.

    Sources that are no part of any build count for nothing. Where some do not compile, that is
    told, or the base's do not either.
    """
    if compiled.fails(MAIN):
        return
    before, after = (
        Counter(of for name, (of, _) in classes.items() if not _NAMELESS.search(name))
        for classes in map(compiled.classes, (BASE_MAIN, MAIN))
    )
    for folder, count in sorted(before.items()):
        if after[folder] < count:
            left = compiled.classes(MAIN)
            gone = sorted(
                name
                for name, (of, _) in compiled.classes(BASE_MAIN).items()
                if of == folder and name not in left and not _NAMELESS.search(name)
            )
            findings.fatal(
                "sources-deleted",
                "A module is compiled to fewer types than at the base.",
                file=folder or ".",
                expected=count,
                seen=f"{after[folder]}; gone: {', '.join(gone[:10])}",
            )


def check_declared(
    findings: Findings,
    facts: Mapping[str, Any],
    compiled: OwnCompile,
    renamed: Mapping[str, str],
) -> None:
    """Report what is declared otherwise than at the base, to those who use the code.

    Args:
        findings: where to.
        facts: of `base_facts`.
        compiled: the patched tree, by the harness.
        renamed: class of the base -> the patch's.
    """
    if not facts:
        return
    libraries = Libraries(
        frozenset(each for jars in facts["jars"].values() for each in jars),
        frozenset(each for module in compiled.modules for each in module.jars),
    )
    # What does not compile any more is told by that.
    base, patch = (
        read_rows(
            row
            for folder, rows in told.items()
            if f"{folder}:{MAIN}" not in compiled.failed
            for row in rows
        )
        for told in (facts["declared"], rows_of(compiled))
    )
    found = changes(base, patch, renamed, libraries)
    fatal = [each for each in found if not each.honest]
    honest = [each for each in found if each.honest]
    for some, report in ((fatal, findings.fatal), (honest, findings.warning)):
        if some:
            report(
                "declaration-changed",
                "Classes do not declare what the base's do, for those who use them: "
                f"{len(some)} changes.",
                file=some[0].of,
                seen="; ".join(f"{each.of}: {each.what}" for each in some[:5]),
            )


def check_modules(
    findings: Findings, facts: Mapping[str, Any], classes: SourceTree, made: SourceTree | None
) -> None:
    """Report packages that a new descriptor of a module hides from those who use them.

    Args:
        findings: where to.
        facts: of `base_facts`.
        classes: what Maven compiled.
        made: what it packaged, if it did.
    """
    declared = facts.get("declared", {})
    found: dict[tuple[str, str, bool], None] = {}
    for tree in (classes, made) if made is not None else (classes,):
        after = descriptors(tree, declared)
        found.update(dict.fromkeys(hidden(declared, facts.get("exports", {}), after)))
    for folder, package, honest in found:
        (findings.warning if honest else findings.fatal)(
            "declaration-changed",
            "A module's descriptor hides a package from those who use it.",
            file=folder or ".",
            seen=package,
        )


def check_reach(findings: Findings, facts: Mapping[str, Any], compiled: OwnCompile) -> None:
    """Report code that begins to look where it runs."""
    for kind, name, fatal in new_reach(compiled, facts["reach"]) if facts else ():
        report = findings.fatal if fatal else findings.warning
        report("looks-where-it-runs", f"Code begins to reach {kind}.", file=name, seen=kind)


def check_asked(findings: Findings, asked: Asked) -> None:
    """Report kept methods that do not answer as the base's do, for what nobody foresees."""
    if asked.differ:
        own, other = asked.first
        findings.fatal(
            "answers-differ",
            f"Methods of the base answer otherwise in the patched code: {len(asked.differ)} of "
            f"{asked.methods}.",
            file=", ".join(asked.differ[:5]),
            expected=own,
            seen=other,
        )
    few = {ENDS: 0, NO_TIME: 0, GONE: max(1, asked.methods // 10)}
    left = [
        f"{why}: {asked.left[why]}" for why, most in few.items() if asked.left.get(why, 0) > most
    ]
    if left:
        findings.warning(
            "answers-not-asked",
            "Much of the base's code is not asked, so that nobody can tell what the patch's does.",
            seen="; ".join(left),
        )


def check_doubts(findings: Findings, facts: Mapping[str, Any], doubts: Doubts) -> None:
    """Report tests that say less than the base's, and code that the base's tests fail on.

    Args:
        findings: where to.
        facts: of `base_facts`.
        doubts: what came of the runs.
    """
    tried, lost = doubts.judged + len(doubts.gone), len(doubts.missed) + len(doubts.gone)
    if not facts["noticed"]:
        findings.warning(
            "tests-not-doubted",
            "The harness cannot tell which broken code the base's tests would notice.",
        )
    elif doubts.judged < HALF * (min(doubts.pool, SAMPLE) - len(doubts.gone)):
        findings.fatal(
            "tests-too-slow",
            "The tests take too long to see whether they notice broken code.",
            seen=doubts.judged,
        )
    elif lost > max(1, MISSED * tried):
        findings.fatal(
            "tests-notice-less",
            "Methods can be emptied, or are gone, that the base's tests notice, and the patched "
            "tests do not.",
            expected=f"at most {MISSED:.0%} of {tried}",
            seen=f"{lost}; not noticed: {', '.join(doubts.missed[:5])}; "
            f"gone: {', '.join(doubts.gone[:5])}",
        )
    total = sum(facts["passing"].values())
    if doubts.base_compiled < HALF * doubts.base_classes:
        findings.fatal(
            "base-tests-lost",
            "Most of the base's tests do not compile with the patched code.",
            expected=doubts.base_classes,
            seen=doubts.base_compiled,
        )
    elif sum(facts["passing"][each] for each in doubts.base_lost) > MISSED * total:
        findings.fatal(
            "base-tests-lost",
            "Tests of the base compile with the base's code, and not with the patched.",
            expected=f"at most {MISSED:.0%} of {total} tests",
            seen=", ".join(doubts.base_lost[:5]),
        )
    elif doubts.base_compiled < doubts.base_classes:
        findings.warning(
            "base-tests-lost",
            "Some of the base's tests do not compile with the patched code.",
            expected=doubts.base_classes,
            seen=doubts.base_compiled,
        )
    for folder in doubts.slower:
        findings.fatal(
            "slower-than-base",
            "The base's tests take far longer on the patched code than on the base's.",
            file=folder,
            expected=f"at most {TIMES} times as long",
        )
    if doubts.base_failed:
        own = sorted(set(doubts.base_failed) - set(doubts.base_excused))
        fatal = own or len(doubts.base_failed) > _MAY_FAIL * doubts.base_ran
        report = findings.fatal if fatal else findings.warning
        report(
            "base-tests-fail",
            "Tests of the base fail on the patched code.",
            expected=f"none of {doubts.base_ran}, but where the base's code fails as well",
            seen=f"{len(doubts.base_failed)}: {', '.join((own or doubts.base_failed)[:5])}",
        )
