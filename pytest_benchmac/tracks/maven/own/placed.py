"""Where classes are: in one module each, in a package of that module."""

from __future__ import annotations

from collections.abc import Set

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.units import BASE_MAIN, MAIN

#: Of no package, and of each module that has them.
_DESCRIPTORS = ("module-info", "package-info")


def check_class_places(findings: Findings, compiled: OwnCompile) -> None:
    """Report classes that two modules have, and what no module path takes.

    Of two classes of one name each module ships its own, and only one is tested. An application of
    modules does not start where two have the same package, or where a class is in none.
    """
    before, after = (_places(compiled, kind) for kind in (BASE_MAIN, MAIN))
    for name in sorted(after):
        if len(after[name]) > 1 and not after[name] <= before.get(name, set()):
            findings.fatal(
                "shadowed-class",
                "Two modules have a class of this name.",
                file=f"{name.replace('.', '/')}.class",
                expected="one module",
                seen=", ".join(each or "the root" for each in sorted(after[name])),
            )
    split, was_split = (_packages(places) for places in (after, before))
    if was_split:
        # Nobody has it on a module path.
        return
    for package in sorted(split):
        findings.fatal(
            "declaration-changed",
            "A module path takes it no more: a package is in two modules, or a class in none.",
            file=package.replace(".", "/") or None,
            expected="each package in one module",
            seen=", ".join(sorted(split[package])) or "the root",
        )


def _places(compiled: OwnCompile, kind: str) -> dict[str, set[str]]:
    """Class -> folders of the modules that have it."""
    found: dict[str, set[str]] = {}
    for name, folder, _ in compiled.class_files(kind):
        if name.rpartition(".")[2] not in _DESCRIPTORS:
            found.setdefault(name, set()).add(folder)
    return found


def _packages(places: dict[str, set[str]]) -> dict[str, Set[str]]:
    """Packages that are in two modules, and that of classes in none -> the modules."""
    found: dict[str, set[str]] = {}
    for name, folders in places.items():
        package, _, _ = name.rpartition(".")
        found.setdefault(package, set()).update(folders)
    return {name: folders for name, folders in found.items() if not name or len(folders) > 1}
