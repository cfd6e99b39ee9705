"""The tsconfig that the harness compiles a patched application with."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.names import bare_name, framework
from pytest_benchmac.tracks.angular.integrity.sources import is_declaration, is_test
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget, script_entries

#: Where the compiler writes to.
OUT = "/tmp/benchmac-ngc"  # noqa: S108 - in the sandbox
#: From this version on the builder compiles for ES2022, whatever lower target a project names.
_ES2022_MAJOR = 15
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
    # Where packages are named whose types count, they lie beside those that are types alone.
    named = ("node_modules",) if compiler.get("types") else ()
    compiler |= {
        "declaration": False,
        "noEmitOnError": False,
        "outDir": OUT,
        "rootDir": str(project),
        "skipLibCheck": True,
        "typeRoots": [
            str(project / each)
            for each in ("node_modules/@types", *filter(_in_sources, config.type_roots), *named)
        ],
    }
    base_url = config.base_url
    compiler["baseUrl"] = str(project / (base_url or ""))
    if base_url is None and "baseUrl" not in config.compiler:
        del compiler["baseUrl"]
    paths = {
        pattern: [str(project / each) for each in targets if _allowed(each)]
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
        "files": [str(project / path) for path in _roots(tree, target, config)],
    }
    # What a published package says is as good as the package; TypeScript before 5 takes one only.
    parents = [str(project / "node_modules" / _json(name)) for name in config.packages]
    if parents:
        own["extends"] = parents if len(parents) > 1 else parents[0]
    return own


def _in_sources(path: str) -> bool:
    return "node_modules" not in path.split("/")


def _allowed(path: str) -> bool:
    """Is what a path leads to a source, or an installed package at the root that is no tool's?"""
    package = path.removeprefix("node_modules/")
    return _in_sources(package) and (package == path or not framework(bare_name(package)))


def _captures(pattern: str, packages: Iterable[str]) -> bool:
    """Could an import of one of the packages match the pattern?"""
    before, star, after = pattern.partition("*")
    if not star:
        return any(pattern == name or pattern.startswith(f"{name}/") for name in packages)
    return any(
        (name.startswith(before) and name.endswith(after)) or before.startswith(f"{name}/")
        for name in packages
    )


def _roots(tree: SourceTree, target: BuildTarget, config: TsConfig) -> list[str]:
    """Where the application starts, what replaces its files, and its ambient declarations."""
    wanted = [target.main or "", *script_entries(target), *target.replacements.values()]
    roots = [path for path in wanted if path.endswith((".ts", ".mts")) and path in tree]
    folder = f"{target.source_root}/" if target.source_root else ""
    roots += [
        path
        for path in tree.files
        if is_declaration(path)
        and _in_sources(path)
        and (path.startswith(folder) or (not is_test(path) and _included(path, config)))
    ]
    return list(dict.fromkeys(roots))


def _included(path: str, config: TsConfig) -> bool:
    """Do the files of the tsconfig have this one? Rather too many than too few."""
    if path in config.patterns.get("files", ()):
        return True
    return any(
        path.startswith(f"{each}/") or fnmatchcase(path, each.replace("**/", "*"))
        for each in config.patterns.get("include", ())
    )


def _json(name: str) -> str:
    return name if name.endswith(".json") else f"{name}.json"
