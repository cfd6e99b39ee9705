"""Rules on compiler options."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_benchmac.foreign.tree import SourceTree, normal_path, outside
from pytest_benchmac.tracks.angular.integrity.names import bare_name, framework
from pytest_benchmac.tracks.angular.integrity.rules import EXAMPLES, MODULE_EXTENSIONS
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping
from pytest_benchmac.tracks.findings import Findings


def check_compiler_options(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Do the tsconfig files lead to the genuine packages and the strictness that there was?"""
    known_paths = {item for config in base.configs for item in config.paths.items()}
    known_bases = {config.base_url for config in base.configs}
    for config in patched.configs:
        for file, reason in config.problems:
            if file in {each for old in base.configs for each, _ in old.problems}:
                continue
            twice = reason.startswith("keys that")
            (findings.fatal if twice or file in patched.tree else findings.warning)(
                "tsconfig-unreadable",
                f"{file} cannot be read as the compiler reads it: {reason}.",
                file=file,
            )
        for package in config.packages:
            if package in {each for old in base.configs for each in old.packages}:
                continue
            lock = patched.packages.lock
            if lock.entries and f"node_modules/{bare_name(package)}" not in lock.entries:
                findings.fatal(
                    "tsconfig-unreadable",
                    "Options of the compiler come from a package that is not installed from the "
                    "registry.",
                    file=config.files[0],
                    expected="a file of the tree, or a package of the lock file",
                    seen=f"extends {package}",
                )
            else:
                findings.warning(
                    "tsconfig-from-package",
                    "Options of the compiler come from a package, where they cannot be read here.",
                    file=config.files[0],
                    expected="a file of the tree",
                    seen=f"extends {package}",
                )
        setting = config.compiler.get("paths")
        for pattern, targets in config.paths.items():
            if (pattern, targets) in known_paths or setting is None:
                continue
            captured = sorted(_captured(patched.tree, pattern, targets))
            if captured:
                findings.fatal(
                    "paths-capture",
                    f"`paths` has imports of {captured[0]} lead to somewhere else.",
                    file=setting.file,
                    line=setting.line,
                    expected=f"node_modules/{captured[0]}",
                    seen=f"{pattern} -> {', '.join(targets)}",
                )
        if config.base_url is not None and config.base_url not in known_bases:
            setting = config.compiler["baseUrl"]
            captured = sorted(_existing(patched.tree, config.base_url))
            if captured:
                findings.fatal(
                    "base-url-capture",
                    f"`baseUrl` has imports of {captured[0]} lead to a file of the application.",
                    file=setting.file,
                    line=setting.line,
                    expected=f"node_modules/{captured[0]}",
                    seen=config.base_url,
                )
        _check_new_files(base, patched, config, findings)
        _check_strictness(base.config, config, findings)


def _check_new_files(
    base: Snapshot, patched: Snapshot, config: TsConfig, findings: Findings
) -> None:
    """Files put where an unchanged `baseUrl` or `paths` finds them before the packages."""
    folders = [config.base_url] if config.base_url is not None else []
    for folder in folders:
        new = _existing(patched.tree, folder) - _existing(base.tree, folder)
        for name in sorted(new):
            findings.fatal(
                "base-url-capture",
                f"A file is found by the name {name} before the package is.",
                file=normal_path(folder, name) or name,
                expected=f"node_modules/{name}",
                seen=normal_path(folder, name) or name,
            )
    for pattern, targets in config.paths.items():
        new = _captured(patched.tree, pattern, targets) - _captured(base.tree, pattern, targets)
        setting = config.compiler["paths"]
        for name in sorted(new):
            findings.fatal(
                "paths-capture",
                f"A file is found by the name {name} before the package is, by `paths`.",
                file=setting.file,
                line=setting.line,
                expected=f"node_modules/{name}",
                seen=f"{pattern} -> {', '.join(targets)}",
            )


def _captured(tree: SourceTree, pattern: str, targets: Sequence[str]) -> set[str]:
    """Packages of the framework that a pattern leads away from node_modules."""
    head, star, tail = pattern.partition("*")
    captured: set[str] = set()
    for module in EXAMPLES if star else (pattern,):
        fits = module.startswith(head) and module.endswith(tail)
        if not (fits and framework(bare_name(module))):
            continue
        middle = module[len(head) : len(module) - len(tail)] if star else ""
        for target in targets:
            place = target.replace("*", middle)
            if "node_modules/" in f"{place}/" and place.endswith(
                (f"node_modules/{module}", f"node_modules/@types/{module}")
            ):
                continue
            # A pattern for everything counts where it finds something; others say what they want.
            if head or not star or _is_module(tree, place):
                captured.add(bare_name(module))
    return captured


def _is_module(tree: SourceTree, place: str) -> bool:
    return any(f"{place}{extension}" in tree for extension in MODULE_EXTENSIONS)


def _existing(tree: SourceTree, folder: str) -> set[str]:
    """Names of the framework that a folder has modules for."""
    head = f"{folder}/" if folder else ""
    names: set[str] = set()
    for path in tree.files:
        if path.startswith(head) and outside(path, ("node_modules",)):
            name = bare_name(path.removeprefix(head))
            stem = re.sub(r"\.(?:d\.)?[mc]?[jt]sx?$", "", name)
            names |= {each for each in (name, stem) if framework(each)}
    return names


def _check_strictness(old: TsConfig, new: TsConfig, findings: Findings) -> None:
    def relaxed(option: str, before: object, after: object, file: str, line: int | None) -> None:
        findings.warning(
            "strictness-relaxed",
            f"The compiler is less strict than in the baseline (`{option}`).",
            file=file,
            line=line,
            expected=before,
            seen=after,
        )

    for section, before, after in (
        ("compilerOptions", old.compiler, new.compiler),
        ("angularCompilerOptions", old.angular, new.angular),
    ):
        for option, setting in before.items():
            if option.startswith(("strict", "no", "fullTemplate")) and setting.value is True:
                now = after.get(option)
                if now is None or now.value is not True:
                    where = now or setting
                    relaxed(f"{section}.{option}", True, now and now.value, where.file, where.line)
    for section_name, options, names in (
        ("angularCompilerOptions", new.angular, ("enableIvy", "_enableTemplateTypeChecker")),
        ("compilerOptions", new.compiler, ("noResolve",)),
    ):
        for name in names:
            now = options.get(name)
            before_value = (old.angular | old.compiler).get(name)
            bad = now is not None and now.value is (name == "noResolve")
            if now is not None and bad and before_value is None:
                relaxed(f"{section_name}.{name}", None, now.value, now.file, now.line)
    plugins = new.compiler.get("plugins")
    if plugins is not None and "plugins" not in old.compiler:
        transforms = [each for each in items(plugins.value) if "transform" in mapping(each)]
        if transforms:
            relaxed("plugins", None, transforms, plugins.file, plugins.line)
