"""What angular.json may not newly do."""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import fnmatchcase

from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.tracks.angular.integrity.asset_rules import check_copied
from pytest_benchmac.tracks.angular.integrity.names import bare_name, framework
from pytest_benchmac.tracks.angular.integrity.page_head import check_head
from pytest_benchmac.tracks.angular.integrity.page_rules import (
    TYPESCRIPT,
    check_page,
    check_scripts,
)
from pytest_benchmac.tracks.angular.integrity.production_rules import (
    check_production,
    check_unasked,
)
from pytest_benchmac.tracks.angular.integrity.server_rules import SERVER
from pytest_benchmac.tracks.angular.integrity.workspace import (
    APPLICATION_BUILDERS,
    LIBRARY_BUILDERS,
    SERVER_OPTIONS,
    AngularWorkspace,
    BuildTarget,
    counterpart,
    items,
    mapping,
)
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import (
    PUBLISHED,
    check_cache,
    check_outputs,
    line_in,
)
from pytest_benchmac.tracks.findings import Findings

#: How constants are called that a build puts in. Only names without a binding are replaced
#: (https://esbuild.github.io/api/#define), and no package has such ones.
_OWN_NAME = re.compile(r"_*[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_*|(process|import\.meta)\.env\.[A-Z0-9_]+")
#: What browsers and packages have of that form all the same.
_GLOBALS = frozenset({"CSS", "JSON", "URL", "process.env.NODE_ENV"})


def check_workspace(
    base: AngularWorkspace,
    patched: AngularWorkspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
    *,
    allowed_builders: Collection[str],
    production_by_default: tuple[bool, bool],
) -> None:
    """Is the build still the vendor's, of the baseline's application?

    Args:
        base: of the untouched base.
        patched: of the patched tree.
        trees: both trees, in this order.
        findings: where to.
        allowed_builders: those that the instance names beside the vendor's and the baseline's.
        production_by_default: does the webpack builder of the base's version, and of the target's,
            compile ahead of time and optimise unasked?
    """
    if not _check_reading(base, patched, findings):
        return
    before = base.applications
    known = {target.builder for target in base.targets}.union(allowed_builders)
    made = [
        target
        for target in patched.applications
        if target.builder in APPLICATION_BUILDERS or target.builder in known
    ]
    if before and not made:
        findings.fatal(
            "build-target-missing",
            "No project has a build target that makes an application.",
            file=patched.file,
            line=1,
            expected=", ".join(target.builder for target in before),
            seen=", ".join(target.builder for target in patched.targets) or "no build target",
        )
    if len(patched.applications) > len(before):
        findings.warning(
            "project-added",
            "There are more applications to build than in the baseline.",
            file=patched.file,
            line=patched.applications[-1].line,
            expected=len(before),
            seen=", ".join(target.project for target in patched.applications),
        )
    for target in patched.targets:
        if target.builder not in APPLICATION_BUILDERS | LIBRARY_BUILDERS | known:
            findings.fatal(
                "builder-unknown",
                f"The project {target.project} is built by neither the vendor's builders nor the "
                "baseline's, and the instance names no such builder.",
                file=patched.file,
                line=target.line,
                expected=" or ".join(sorted(known)) or "a builder of @angular",
                seen=target.builder or "no builder",
            )
        old = counterpart(target, base.targets)
        if old is not None and SERVER in old.beside - target.beside:
            findings.fatal(
                "server-gone",
                f"The project {target.project} has no development server any more.",
                file=patched.file,
                line=target.line,
                expected=f"a target `{SERVER}`",
                seen=", ".join(sorted(target.beside)),
            )
        _check_options(target, old, patched, findings, aot_by_default=production_by_default[1])
        check_scripts(target, base, patched, trees, findings)
        check_page(target, base, trees, findings)
        check_head(target, base.applications if old is None else [old], trees, findings)
        check_outputs(target, base, patched, trees, findings)
        check_copied(target, old, trees, findings)
    check_production(base, patched, production_by_default, trees[0], findings)
    check_unasked(base, patched, findings)
    _check_usage(base, patched, findings)
    check_cache(base, patched, trees, findings)


def _check_usage(base: AngularWorkspace, patched: AngularWorkspace, findings: Findings) -> None:
    """Does the command line tell somebody of its use that it did not tell? Histories do so as well.

    https://angular.dev/cli/analytics: a text is an identifier, true has one made.
    """
    told, before = (each.cli.get("analytics") for each in (patched, base))
    if (isinstance(told, str) or told is True) and not (isinstance(before, str) or before is True):
        findings.warning(
            "usage-told",
            "The command line tells its maker how everybody uses it who works on the project.",
            file=patched.file,
            line=patched.document.line("cli", "analytics"),
            expected="nothing" if before is None else before,
            seen=told,
        )


def _check_reading(base: AngularWorkspace, patched: AngularWorkspace, findings: Findings) -> bool:
    """Is there one way only to read the file?"""
    if patched.file is None:
        if base.file is not None:
            findings.fatal("workspace-missing", "angular.json is gone.", file=base.file)
        return False
    if patched.error is not None:
        reason, error_line = patched.error
        (findings.warning if base.error else findings.fatal)(
            "workspace-unreadable",
            f"{patched.file} is no sound JSON with comments, so that readers may differ: {reason}.",
            file=patched.file,
            line=error_line,
        )
        return False
    if not base.document.duplicates:
        for key in patched.document.duplicates:
            findings.fatal(
                "workspace-duplicate-key",
                f"{patched.file} has a key twice, and readers may differ on which counts.",
                file=patched.file,
                line=patched.document.line(*key),
                expected="one",
                seen=".".join(map(str, key)),
            )
    for name, line in patched.doubled if not base.doubled else ():
        findings.fatal(
            "workspace-two-target-sections",
            f"The project {name} has both `architect` and `targets`.",
            file=patched.file,
            line=line,
            expected="one of them",
            seen="both",
        )
    for name, line in patched.prototype_keys if not base.prototype_keys else ():
        findings.fatal(
            "workspace-prototype-key",
            f"{patched.file} has a key that JavaScript objects treat apart.",
            file=patched.file,
            line=line,
            seen=name,
        )
    return True


def _check_options(
    target: BuildTarget,
    old: BuildTarget | None,
    workspace: AngularWorkspace,
    findings: Findings,
    *,
    aot_by_default: bool,
) -> None:
    def aot(of: BuildTarget) -> bool:
        unasked = aot_by_default or not of.builder.endswith(":browser")
        return bool(of.options.get("aot", unasked))

    def found(code: str, message: str, option: str, expected: object = None) -> None:
        findings.fatal(
            code,
            message,
            file=workspace.file,
            line=line_in(workspace, target, option),
            expected=expected,
            seen=target.options.get(option),
        )

    if target.builder not in LIBRARY_BUILDERS and not aot(target) and (old is None or aot(old)):
        found("aot-off", "The build leaves compilation to the browser (`aot`).", "aot", True)
    option = "outputHashing"
    if old is not None and _hashed(old) and not _hashed(target):
        found(
            "names-not-hashed",
            "Files of the build have the same names whatever is in them, so that browsers go on "
            "with those of an earlier build.",
            option,
            old.options.get(option),
        )
    for option in SERVER_OPTIONS:
        value = target.options.get(option)
        had = old is not None and bool(old.options.get(option))
        if value and not had:
            findings.warning(
                "prerendering",
                f"The build makes more than the application for browsers (`{option}`). The clean "
                "room leaves that out: what it would run is the patch's.",
                file=workspace.file,
                line=line_in(workspace, target, option),
                expected="none",
                seen=value,
            )
    main = target.main
    started = old is None or (old.main or "").endswith(TYPESCRIPT)
    if main is not None and not main.endswith(TYPESCRIPT) and started:
        option = "browser" if "browser" in target.options else "main"
        found("entry-not-typescript", "The application starts in a script.", option, ".ts")
    before = items(old.options.get("externalDependencies")) if old else []
    for name in items(target.options.get("externalDependencies")):
        if isinstance(name, str) and name not in before and _covers_framework(name):
            found(
                "framework-external",
                f"The bundle leaves {name} out, so that the page gets it from elsewhere.",
                "externalDependencies",
                "none",
            )
    _check_defined(target, old, workspace, findings)
    replaced = old.replacements if old is not None else {}
    for path, by in target.replacements.items():
        published = not outside(path, PUBLISHED) or not outside(by, PUBLISHED)
        if published and replaced.get(path) != by:
            found(
                "framework-replaced",
                f"The build takes {by} for {path}, one of which is a published file.",
                "fileReplacements",
                "sources of the application only",
            )
    for option in ("index", "main", "browser", "tsConfig"):
        if target.text(option) is not None and target.path(option) is None:
            had = old is not None and old.text(option) == target.text(option)
            if not had:
                found(
                    "option-outside",
                    f"The build reads a file from outside of the project (`{option}`).",
                    option,
                    "a file of the project",
                )
    for option in ("deployUrl", "baseHref"):
        value = target.options.get(option)
        had = old is not None and old.options.get(option) == value
        if isinstance(value, str) and "//" in value and not had:
            findings.warning(
                "page-other-host",
                f"The entry page loads its scripts from another host (`{option}`).",
                file=workspace.file,
                line=line_in(workspace, target, option),
                seen=value,
            )


def _check_defined(
    target: BuildTarget,
    old: BuildTarget | None,
    workspace: AngularWorkspace,
    findings: Findings,
) -> None:
    """Does the builder put something in the place of names that are not the application's own?

    It does so in packages as well, whose files are the published ones all the same.
    """
    before = mapping(old.options.get("define")) if old is not None else {}
    for name, value in mapping(target.options.get("define")).items():
        if before.get(name) != value and (name in _GLOBALS or not _OWN_NAME.fullmatch(name)):
            findings.fatal(
                "name-redefined",
                f"The build puts something else in the place of the name `{name}`, in packages as "
                "well (`define`).",
                file=workspace.file,
                line=line_in(workspace, target, "define"),
                expected=before.get(name, "constants of the application's own: APP_VERSION"),
                seen=value,
            )


def _hashed(target: BuildTarget) -> bool:
    return target.options.get("outputHashing") in ("all", "bundles")


def _covers_framework(pattern: str) -> bool:
    examples = ("@angular/core", "@angular/common", "@angular/platform-browser", "rxjs")
    return framework(bare_name(pattern)) or any(fnmatchcase(each, pattern) for each in examples)
