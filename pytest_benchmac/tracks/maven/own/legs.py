"""The integrity legs `own-compile` and `mutants`, and what they compare with."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.classfiles import is_class_path
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import (
    MAIN,
    TEST,
    BaseTests,
    Known,
    OwnCompile,
    Problem,
    compile_tree,
)
from pytest_benchmac.tracks.maven.own.mutants import (
    HALF,
    MISSED,
    SAMPLE,
    Doubts,
    doubt,
    learn,
    renamed_types,
)
from pytest_benchmac.tracks.maven.own.reach import base_reach, new_reach
from pytest_benchmac.tracks.maven.own.running import changed_libraries
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.survey import Survey

#: Share of the base's tests that may fail on the patched code where its libraries, or the JDK, are
#: others than at the base.
_MAY_FAIL = 0.1


def compile_base(context: MavenContext, project: MavenProject) -> tuple[OwnCompile | None, bool]:
    """Compile the untouched base, where nothing of it has run; with processors if it needs them.

    Returns:
        What came of it, and whether processors ran.
    """
    instance = context.instance
    found: OwnCompile | None = None
    for processors in (False, True):
        found = compile_tree(
            context,
            project,
            level=instance.migration.source_version,
            processors=processors,
            timeout_s=instance.timeouts.compile,
        )
        if found is None or not found.failed:
            return found, processors
    return found, False


def base_facts(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile | None,
    processors: bool,
    cases: tuple[str, ...],
    classes: SourceTree,
) -> dict[str, Any]:
    """What cases are compared with; Maven has run the base's tests in the context's sandbox.

    Args:
        context: of that sandbox.
        project: the base's project files.
        compiled: what the harness compiled of it.
        processors: whether processors ran.
        cases: `class#method` of the tests that ran.
        classes: class files that Maven made.
    """
    if compiled is None:
        return {}
    return {
        "processors": processors,
        "passed": sorted(compiled.passed),
        "jars": {module.folder: module.jars for module in compiled.modules},
        "uses": {module.folder: module.modules for module in compiled.modules},
        "key": compiled.resolved.key,
        "in_image": compiled.resolved.in_image,
        "unlike": compiled.unlike(classes),
        "reach": base_reach(compiled),
        "programs": {
            path: base64.b64encode(content).decode()
            for path, content in compiled.programs().items()
        },
        **learn(context, project, compiled, test_classes(cases)),
    }


def test_classes(cases: tuple[str, ...]) -> list[str]:
    """The outermost classes of tests that ran."""
    return sorted({case.partition("#")[0].partition("$")[0] for case in cases})


def compile_patched(
    context: MavenContext, project: MavenProject, base: Survey, survey: Survey
) -> OwnCompile | None:
    """Compile the patched tree for the target, in a context where nothing of it has run."""
    instance, facts = context.instance, context.baseline_facts.get("own")
    if context.integrity.unchecked or not facts:
        return None
    renamed = renamed_types(base.java, survey.java)
    simple = {_simple(old): _simple(new) for old, new in renamed.items()}
    with context.integrity.leg("own-compile"):
        for _ in range(2):
            # The registry may have had a bad moment.
            compiled = compile_tree(
                context,
                project,
                level=instance.migration.target_version,
                processors=bool(facts["processors"]),
                timeout_s=instance.timeouts.compile,
                base=BaseTests(instance.migration.source_version, facts["jars"], simple),
                known=_known(facts),
            )
            if compiled is not None:
                return compiled
    return None


def _known(facts: Mapping[str, Any]) -> Known:
    modules = tuple(
        Module(folder, tuple(facts["uses"][folder]), tuple(jars))
        for folder, jars in facts["jars"].items()
    )
    programs = {path: base64.b64decode(text) for path, text in facts["programs"].items()}
    return Known(Resolved(modules, facts["key"], facts["in_image"]), programs)


def _simple(name: str) -> str:
    return name.rpartition(".")[2].rpartition("$")[2]


def _check_units(
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


def _check_classes(
    findings: Findings, facts: Mapping[str, Any], compiled: OwnCompile, classes: SourceTree
) -> None:
    """Report classes that Maven left and no source is compiled to."""
    if not facts or not set(facts["passed"]) >= {f"{m.folder}:{MAIN}" for m in compiled.modules}:
        return
    if any(unit.endswith(f":{MAIN}") for unit in compiled.failed):
        return
    known = {name.partition("$")[0] for name in compiled.classes(MAIN)}
    for path in classes.files:
        if is_class_path(path) and not path.endswith("/module-info.class"):
            name = path.rpartition("target/classes/")[2].removesuffix(".class")
            if name.replace("/", ".").partition("$")[0] not in known:
                findings.fatal("class-without-source", "A class has no source.", file=path)
    if not facts["unlike"]:
        for path in compiled.unlike(classes):
            findings.fatal(
                "class-unlike-source",
                "Maven's class does not do what its source says, compiled by the harness.",
                file=path,
            )


def _check_reach(findings: Findings, facts: Mapping[str, Any], compiled: OwnCompile) -> None:
    """Report code that begins to look where it runs."""
    for kind, name, fatal in new_reach(compiled, facts["reach"]) if facts else ():
        report = findings.fatal if fatal else findings.warning
        report("looks-where-it-runs", f"Code begins to reach {kind}.", file=name, seen=kind)


def check_compiled(
    context: MavenContext, compiled: OwnCompile | None, classes: SourceTree | None
) -> None:
    """Findings on what compiles, once Maven's own compiling passed."""
    facts = context.baseline_facts.get("own", {})
    if context.integrity.unchecked:
        return
    with context.integrity.leg("own-compile") as leg:
        _check_units(leg.findings, facts, compiled, MAIN)
        if compiled is not None and classes is not None:
            _check_classes(leg.findings, facts, compiled, classes)
            _check_reach(leg.findings, facts, compiled)


def doubt_patched(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile | None,
    renamed: Mapping[str, str],
    tools: Mapping[str, str],
) -> Doubts | None:
    """Findings on what the patched tests notice, and on what the base's say of the patched code.

    Args:
        context: of the sandbox in which Maven has run the patched tests.
        project: the patched tree's project files.
        compiled: the patched tree, by the harness.
        renamed: class of the base -> the patch's.
        tools: exact versions that the patched tests ran on.

    Returns:
        What was tried; None for a case that is rejected already.
    """
    facts = context.baseline_facts.get("own", {})
    with context.integrity.leg("own-compile") as leg:
        _check_units(leg.findings, facts, compiled, TEST)
    if compiled is None or context.integrity.rejected:
        return None
    with context.integrity.leg("mutants") as leg:
        for library in changed_libraries(context, compiled, facts["jars"]):
            leg.findings.fatal(
                "library-changed", "Tests put another library into the repository.", seen=library
            )
        doubts = doubt(context, project, compiled, facts, facts["jars"], renamed)
        base_tools = context.baseline_facts.get("tools", {})
        same = _release(tools) == _release(base_tools)
        check_doubts(leg.findings, facts, compiled, doubts, same_java=same)
        return doubts
    return None


def _release(tools: Mapping[str, str]) -> str:
    return tools.get("java", "").partition(".")[0]


def check_doubts(
    findings: Findings,
    facts: Mapping[str, Any],
    compiled: OwnCompile,
    doubts: Doubts,
    *,
    same_java: bool,
) -> None:
    """Report tests that say less than the base's, and code that the base's tests fail on.

    Args:
        findings: where to.
        facts: of `base_facts`.
        compiled: the patched tree, by the harness.
        doubts: what came of the runs.
        same_java: do base and patched tests run on the same release of Java?
    """
    tried, lost = doubts.judged + len(doubts.gone), len(doubts.missed) + len(doubts.gone)
    if not facts["noticed"]:
        findings.warning(
            "tests-not-doubted", "The harness cannot tell what the base's tests notice."
        )
    elif doubts.judged < HALF * (min(doubts.pool, SAMPLE) - len(doubts.gone)):
        findings.fatal(
            "tests-too-slow", "The tests take too long to be doubted.", seen=doubts.judged
        )
    elif (lost := len(doubts.missed) + len(doubts.gone)) > max(
        1, MISSED * (doubts.judged + len(doubts.gone))
    ):
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
    jars = {module.folder: list(module.jars) for module in compiled.modules}
    same = same_java and jars == {folder: list(each) for folder, each in facts["jars"].items()}
    if doubts.base_failed:
        fatal = same or len(doubts.base_failed) > _MAY_FAIL * doubts.base_ran
        report = findings.fatal if fatal else findings.warning
        report(
            "base-tests-fail",
            "Tests of the base fail on the patched code.",
            expected=f"none of {doubts.base_ran}",
            seen=f"{len(doubts.base_failed)}: {', '.join(doubts.base_failed[:5])}",
        )
