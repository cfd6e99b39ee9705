"""Names of packages and commands that matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_SCOPES = ("@angular/", "@angular-devkit/", "@schematics/", "@ngtools/")
#: What applications import beside the framework's scopes, and what compiles them.
RUNTIME_PACKAGES = frozenset({"rxjs", "tslib", "typescript", "zone.js"})
#: Another version of it may stand beside the real one by a name of its own: compilers ask for the
#: real name, and no bundle has it.
ALIASED = "typescript"
#: Commands that the harness or npm runs, and the packages that they may come from.
COMMANDS: Mapping[str, frozenset[str]] = {
    "ng": frozenset({"@angular/cli"}),
    "ngc": frozenset({"@angular/compiler-cli"}),
    "ngcc": frozenset({"@angular/compiler-cli"}),
    "tsc": frozenset({"typescript"}),
    "husky": frozenset({"husky"}),
    "npm": frozenset({"npm"}),
    "npx": frozenset({"npm"}),
    "node": frozenset({"node"}),
    "sh": frozenset(),
    "git": frozenset(),
}


def captured_commands(names: Iterable[str]) -> set[str]:
    """Those of the names that the harness or npm runs as commands."""
    return set(names) & COMMANDS.keys()


def framework(name: str) -> bool:
    """Is it a package of Angular's own, or one that applications import with it?"""
    return name.startswith(_SCOPES) or name in RUNTIME_PACKAGES


def bare_name(module: str) -> str:
    """The package that a module's name belongs to."""
    parts = module.split("/")
    return "/".join(parts[: 2 if module.startswith("@") else 1])
