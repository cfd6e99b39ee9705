"""The integrity legs `own-compile` and `mutants`, and what they compare with."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.alongside import check_alongside
from pytest_benchmac.tracks.maven.own.answers import Asked, OfBase, ask_base, ask_patch
from pytest_benchmac.tracks.maven.own.checks import (
    check_asked,
    check_classes,
    check_declared,
    check_doubts,
    check_kept,
    check_modules,
    check_reach,
    check_units,
)
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import Known, OwnCompile, compile_tree
from pytest_benchmac.tracks.maven.own.declared import kept_rows
from pytest_benchmac.tracks.maven.own.modules import descriptors
from pytest_benchmac.tracks.maven.own.mutants import (
    Doubts,
    doubt,
    learn,
    renamed_types,
)
from pytest_benchmac.tracks.maven.own.packaged import for_other_javas, package, packaged, with_poms
from pytest_benchmac.tracks.maven.own.packaging import Packaged
from pytest_benchmac.tracks.maven.own.parameters import check_parameters, named_parameters
from pytest_benchmac.tracks.maven.own.placed import check_class_places
from pytest_benchmac.tracks.maven.own.reach import base_reach
from pytest_benchmac.tracks.maven.own.rebound import rebound
from pytest_benchmac.tracks.maven.own.running import changed_libraries
from pytest_benchmac.tracks.maven.own.units import MAIN, TEST, BaseTests, encodings_of
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.survey import Survey


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
    installed = package(context, context.instance.timeouts.compile, install=True)
    archives = packaged(context, project, compiled, installed=installed)
    naming = compiled.naming(classes)
    return {
        "processors": processors,
        "passed": sorted(compiled.passed),
        "jars": {module.folder: module.jars for module in compiled.modules},
        "uses": {module.folder: module.modules for module in compiled.modules},
        "key": compiled.resolved.key,
        "in_image": compiled.resolved.in_image,
        "unlike": compiled.unlike(classes),
        "naming": naming,
        "parameters": named_parameters(compiled, naming),
        "unlike_tests": compiled.unlike_tests(classes),
        "reach": base_reach(compiled),
        "declared": kept_rows(compiled),
        "exports": {
            folder: sorted(packages)
            for folder, packages in descriptors(
                classes, [module.folder for module in compiled.modules]
            ).items()
        },
        "installed": installed,
        "poms": with_poms(context, project) if installed else {},
        # Of the module's own folder, whether it is installed or not.
        "started": {folder: [each.starts[0]] for folder, each in archives.items()},
        "packaged": sorted(folder for folder, each in archives.items() if not each.wrong),
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
                base=BaseTests(
                    instance.migration.source_version,
                    facts["jars"],
                    simple,
                    encodings_of(base.project()),
                ),
                known=_known(facts),
            )
            if compiled is not None:
                return replace(compiled, named=frozenset(facts["naming"]))
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


def ask_compiled_base(
    context: MavenContext,
    room: MavenContext,
    project: MavenProject,
    compiled: OwnCompile | None,
    base: MavenProject,
    renamed: Mapping[str, str],
) -> tuple[tuple[OfBase, ...], Asked] | None:
    """Ask the base's code what the patch's will be asked.

    Args:
        context: of the case, whose seed draws.
        room: where the harness compiled both, and nothing of the patch has run.
        project: the patched tree's project files.
        compiled: the patched tree and the base's code, by the harness.
        base: the base's project files.
        renamed: class of the base -> the patch's.

    Returns:
        What it answers; None for a case that is rejected already, or has nothing to be asked.
    """
    facts = context.baseline_facts.get("own", {})
    if compiled is None or not facts or context.integrity.unchecked or context.integrity.rejected:
        return None
    with context.integrity.leg("answers"):
        return ask_base(room, project, compiled, facts["jars"], base, renamed, context.seed)
    return None


def ask_patched(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile | None,
    base: MavenProject,
    renamed: Mapping[str, str],
    known: tuple[tuple[OfBase, ...], Asked] | None,
) -> Asked | None:
    """Findings on what the patched code answers otherwise than the base's.

    Args:
        context: of the sandbox in which Maven has run the patched tests.
        project: the patched tree's project files.
        compiled: the patched tree, by the harness.
        base: the base's project files.
        renamed: class of the base -> the patch's.
        known: of `ask_compiled_base`.

    Returns:
        How much was asked, and what differs; None where nothing was.
    """
    if compiled is None or known is None or context.integrity.rejected:
        return None
    with context.integrity.leg("answers") as leg:
        asked = ask_patch(context, project, compiled, base, renamed, *known)
        check_asked(leg.findings, asked)
        return asked
    return None


def check_compiled(
    context: MavenContext,
    compiled: OwnCompile | None,
    classes: SourceTree | None,
    made: Packaged,
    renamed: Mapping[str, str],
    projects: tuple[MavenProject, MavenProject],
) -> None:
    """Findings on what compiles, once Maven's own compiling passed.

    Args:
        context: of the case.
        compiled: the patched tree, by the harness.
        classes: what Maven made; None where it is too much to be read.
        made: of `package_patched`.
        renamed: class of the base -> the patch's.
        projects: project files of base and patch.
    """
    facts = context.baseline_facts.get("own", {})
    if context.integrity.unchecked:
        return
    with context.integrity.leg("own-compile") as leg:
        check_units(leg.findings, facts, compiled, MAIN)
        if compiled is not None and classes is not None:
            check_classes(leg.findings, facts, compiled, classes)
            check_reach(leg.findings, facts, compiled)
            check_kept(leg.findings, compiled)
            check_class_places(leg.findings, compiled)
            check_declared(leg.findings, facts, compiled, renamed)
            check_modules(leg.findings, facts, classes, made.made)
            check_alongside(leg.findings, compiled, *projects)
            check_parameters(leg.findings, facts, compiled, renamed)
        for name in made.tests:
            leg.findings.fatal(
                "class-unlike-source",
                "Maven's test class does not do what its source says, compiled by the harness.",
                file=name,
            )
        wrong = dict(made.wrong)
        for folder, versions in made.versions.items():
            if classes is not None and for_other_javas(versions, classes, folder):
                wrong.setdefault(folder, "it is for another Java than what is compiled")
        for folder, module in sorted(made.unreached.items()):
            leg.findings.fatal(
                "not-shipped",
                "A module's descriptor has its code do without a library that it needs.",
                file=folder or ".",
                seen=f"requires static {module}",
            )
        for folder, why in sorted(wrong.items()):
            leg.findings.fatal(
                "package-unlike-source",
                "What is packaged is not what the sources say.",
                file=folder or ".",
                seen=why,
            )


def doubt_patched(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile | None,
    base: MavenProject,
    renamed: Mapping[str, str],
    tools: Mapping[str, str],
) -> Doubts | None:
    """Findings on what the patched tests notice, and on what the base's say of the patched code.

    Args:
        context: of the sandbox in which Maven has run the patched tests.
        project: the patched tree's project files.
        compiled: the patched tree, by the harness.
        base: the base's project files.
        renamed: class of the base -> the patch's.
        tools: exact versions that the patched tests ran on.

    Returns:
        What was tried; None for a case that is rejected already.
    """
    facts = context.baseline_facts.get("own", {})
    with context.integrity.leg("own-compile") as leg:
        check_units(leg.findings, facts, compiled, TEST)
    if compiled is None or context.integrity.rejected:
        return None
    with context.integrity.leg("mutants") as leg:

        def check_libraries() -> None:
            for library in changed_libraries(context, compiled, facts["jars"]):
                leg.findings.fatal(
                    "library-changed",
                    "Tests put another library into the repository.",
                    seen=library,
                )

        check_libraries()
        base_tools = context.baseline_facts.get("tools", {})
        jars = {module.folder: list(module.jars) for module in compiled.modules}
        same = jars == {folder: list(each) for folder, each in facts["jars"].items()}
        same = same and _release(tools) == _release(base_tools)
        doubts = doubt(context, project, compiled, facts, base, renamed, same=same)
        check_doubts(leg.findings, facts, doubts)
        for name, method in rebound(compiled, renamed).items():
            leg.findings.fatal(
                "base-tests-rebound",
                "A test of the base calls another method than before, although the earlier one "
                "is still there.",
                file=name,
                expected=method,
            )
        # The harness has run them as well.
        check_libraries()
        return doubts
    return None


def _release(tools: Mapping[str, str]) -> str:
    return tools.get("java", "").partition(".")[0]
