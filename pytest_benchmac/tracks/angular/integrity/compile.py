"""The sources compile against the genuine framework: the harness's own run of the verified `ngc`.

With a tsconfig of the harness's own, of which the project's only gives what says how its language
is to be read. Executes no code of the patch.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom, script
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld
from pytest_benchmac.tracks.angular.integrity.names import framework
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget, script_entries
from pytest_benchmac.tracks.findings import Findings

#: What ngc may print. Diagnostics are what is looked for.
_MAX_OUTPUT_BYTES = 1024 * 1024
_RESOLUTION_TIMEOUT_S = 600.0
_OUT = "/tmp/benchmac-ngc"  # noqa: S108 - in the sandbox
_SHOWN_DIAGNOSTICS = 5
#: The first that the installed version has.
_NGC = ("bundles/src/bin/ngc.js", "src/main.js")
_COMPILER = "@angular/compiler-cli"
_ERROR = re.compile(r"^.*\berror\b.*$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

#: Options that say how sources are to be read. Left out is all that writes, watches or plugs in.
_COMPILER_OPTIONS = frozenset(
    {
        "allowArbitraryExtensions",
        "allowJs",
        "allowSyntheticDefaultImports",
        "allowUmdGlobalAccess",
        "allowUnreachableCode",
        "allowUnusedLabels",
        "alwaysStrict",
        "customConditions",
        "downlevelIteration",
        "emitDecoratorMetadata",
        "esModuleInterop",
        "exactOptionalPropertyTypes",
        "experimentalDecorators",
        "forceConsistentCasingInFileNames",
        "ignoreDeprecations",
        "importHelpers",
        "isolatedModules",
        "jsx",
        "jsxImportSource",
        "lib",
        "module",
        "moduleDetection",
        "moduleResolution",
        "noImplicitAny",
        "noImplicitOverride",
        "noImplicitReturns",
        "noImplicitThis",
        "noPropertyAccessFromIndexSignature",
        "noStrictGenericChecks",
        "noUncheckedIndexedAccess",
        "resolveJsonModule",
        "resolvePackageJsonExports",
        "resolvePackageJsonImports",
        "strict",
        "strictBindCallApply",
        "strictFunctionTypes",
        "strictNullChecks",
        "strictPropertyInitialization",
        "suppressImplicitAnyIndexErrors",
        "target",
        "types",
        "useDefineForClassFields",
        "useUnknownInCatchVariables",
        "verbatimModuleSyntax",
    }
)
_ANGULAR_OPTIONS = frozenset(
    {
        "enableI18nLegacyMessageIdFormat",
        "fullTemplateTypeCheck",
        "i18nInLocale",
        "preserveWhitespaces",
        "strictAttributeTypes",
        "strictContextGenerics",
        "strictDomEventTypes",
        "strictDomLocalRefTypes",
        "strictInjectionParameters",
        "strictInputAccessModifiers",
        "strictInputTypes",
        "strictLiteralTypes",
        "strictNullInputTypes",
        "strictOutputEventTypes",
        "strictSafeNavigationTypes",
        "strictStandalone",
        "strictTemplates",
        "typeCheckHostBindings",
    }
)
#: From this version on the builder compiles for ES2022, whatever lower target a project names.
_ES2022_MAJOR = 15
_LOWER_TARGETS = frozenset({"es3", "es5", "es6", *(f"es{year}" for year in range(2015, 2022))})


def own_tsconfig(
    project: PurePosixPath,
    tree: SourceTree,
    target: BuildTarget,
    config: TsConfig,
    packages: Iterable[str],
    target_major: int,
) -> dict[str, Any]:
    """The tsconfig that one application is compiled with.

    Args:
        project: the project's folder in the sandbox.
        tree: the patched source.
        target: what is built.
        config: the tsconfig that the target names, as TypeScript reads it.
        packages: installed packages, whose names no path may capture.
        target_major: Angular's version.
    """
    compiler = {
        name: setting.value
        for name, setting in config.compiler.items()
        if name in _COMPILER_OPTIONS
    }
    wanted = str(compiler.get("target", "es5")).lower()
    if target_major >= _ES2022_MAJOR and wanted in _LOWER_TARGETS:
        compiler["target"] = "es2022"
        compiler.setdefault("useDefineForClassFields", False)
    compiler.setdefault("module", "es2020")
    if str(compiler["module"]).lower().startswith("es"):
        compiler.setdefault("moduleResolution", "node")
    compiler |= {
        "declaration": False,
        "noEmitOnError": False,
        "outDir": _OUT,
        "rootDir": str(project),
        "skipLibCheck": True,
        "typeRoots": [str(project / "node_modules/@types")],
    }
    base_url = config.base_url
    compiler["baseUrl"] = str(project / (base_url or ""))
    if base_url is None and "baseUrl" not in config.compiler:
        del compiler["baseUrl"]
    paths = {
        pattern: [str(project / each) for each in targets if _in_sources(each)]
        for pattern, targets in config.paths.items()
        if not _captures(pattern, packages)
    }
    if paths := {pattern: targets for pattern, targets in paths.items() if targets}:
        compiler["paths"] = paths
    own: dict[str, Any] = {
        "compilerOptions": compiler,
        "angularCompilerOptions": {
            **{
                name: setting.value
                for name, setting in config.angular.items()
                if name in _ANGULAR_OPTIONS
            },
            "compilationMode": "full",
        },
        "files": [str(project / path) for path in _roots(tree, target)],
    }
    # What a published package says is as good as the package; TypeScript before 5 takes one only.
    parents = [str(project / "node_modules" / _json(name)) for name in config.packages]
    if parents:
        own["extends"] = parents if len(parents) > 1 else parents[0]
    return own


def _json(name: str) -> str:
    return name if name.endswith(".json") else f"{name}.json"


def _in_sources(path: str) -> bool:
    return "node_modules" not in path.split("/")


def _captures(pattern: str, packages: Iterable[str]) -> bool:
    """Could an import of one of the packages match the pattern?"""
    before, star, after = pattern.partition("*")
    if not star:
        return any(pattern == name or pattern.startswith(f"{name}/") for name in packages)
    return any(
        (name.startswith(before) and name.endswith(after)) or before.startswith(f"{name}/")
        for name in packages
    )


def _roots(tree: SourceTree, target: BuildTarget) -> list[str]:
    """Where the application starts, what replaces its files, and its ambient declarations."""
    wanted = [target.main or "", *script_entries(target), *target.replacements.values()]
    roots = [path for path in wanted if path.endswith((".ts", ".mts")) and path in tree]
    folder = f"{target.source_root}/" if target.source_root else ""
    roots += [
        path
        for path in tree.files
        if path.startswith(folder) and path.endswith(".d.ts") and _in_sources(path)
    ]
    return list(dict.fromkeys(roots))


def compile_sources(
    room: CleanRoom,
    world: ClosedWorld,
    tsconfigs: Mapping[str, dict[str, Any]],
    findings: Findings,
    *,
    timeout_s: float,
    env: Mapping[str, str],
) -> None:
    """Compile each application; what does not compile is a fatal finding.

    Args:
        room: with verified packages, and nothing run in it yet.
        world: those packages.
        tsconfigs: of each application, by its project's name.
        findings: where to.
        timeout_s: for each application.
        env: of the build.

    Raises:
        SandboxError: the sandbox or the verified TypeScript failed.
    """
    compiler = world.packages.get(_COMPILER)
    published = compiler.manifest.files if compiler is not None else {}
    ngc = next((path for path in _NGC if path in published), None)
    if ngc is None or world.version("typescript") is None:
        findings.fatal(
            "no-compiler",
            "The framework's compiler, or TypeScript, is not installed at the root.",
            file=f"node_modules/{_COMPILER}",
        )
        return
    checker = room.sandbox.inbox / "integrity" / "check_resolution.js"
    room.sandbox.copy_in(script("check_resolution.js"), checker)
    for number, (name, tsconfig) in enumerate(tsconfigs.items()):
        path = room.sandbox.inbox / "integrity" / f"tsconfig.{number}.json"
        room.sandbox.copy_in(json.dumps(tsconfig, indent=1).encode(), path)
        if not tsconfig["files"]:
            findings.fatal(
                "no-entry-point",
                f"The application {name} has no TypeScript source that it starts with.",
                file="angular.json",
            )
            continue
        _check_resolution(room, checker, path, world, findings)
        command = shlex.join(["node", f"node_modules/{_COMPILER}/{ngc}", "-p", str(path)])
        done = room.run(
            f"compile.{number}",
            command,
            timeout_s=timeout_s,
            env=env,
            capture_bytes=_MAX_OUTPUT_BYTES,
        )
        if done.exit_code != 0:
            printed = _COLOUR.sub("", done.stderr + done.stdout.decode(errors="replace"))
            errors = _ERROR.findall(printed) or printed.splitlines()
            stopped = f"stopped at the bound on {', '.join(done.limits_hit)}; "
            findings.fatal(
                "does-not-compile",
                f"The sources of {name} do not compile against the genuine framework: "
                + (stopped if done.limits_hit else "")
                + " | ".join(line.strip()[:200] for line in errors[:_SHOWN_DIAGNOSTICS]),
                file=tsconfig["files"][0],
                expected="no diagnostics",
                seen=f"{len(errors)} lines of diagnostics",
            )


def _check_resolution(
    room: CleanRoom,
    checker: PurePosixPath,
    tsconfig: PurePosixPath,
    world: ClosedWorld,
    findings: Findings,
) -> None:
    """See that the framework's names lead to the packages, from whatever source imports them."""
    names = room.sandbox.inbox / "integrity" / "framework.json"
    room.sandbox.copy_in(json.dumps(sorted(filter(framework, world.roots()))).encode(), names)
    command = ["node", str(checker), str(room.sandbox.project), str(tsconfig), str(names)]
    done = room.run(
        "resolution",
        shlex.join(command),
        timeout_s=_RESOLUTION_TIMEOUT_S,
        capture_bytes=_MAX_OUTPUT_BYTES,
    )
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.exit_code != 0 and not done.limits_hit:
        raise SandboxError(f"the verified TypeScript failed: {done.stderr[-500:]}")
    if done.limits_hit or lines[-1:] != ['["end"]']:
        findings.fatal(
            "sources-too-large",
            "The sources are more than the harness reads.",
            seen=", ".join(done.limits_hit) or "output cut off",
        )
        return
    for file, module, place in map(json.loads, lines[:-1]):
        findings.fatal(
            "shadowed-package",
            f"An import of {module} does not lead to the installed package.",
            file=file,
            expected=f"node_modules/{module}",
            seen=place,
        )
