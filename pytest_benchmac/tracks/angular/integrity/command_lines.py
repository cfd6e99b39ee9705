"""The command lines of the clean room: npm's and the framework's own, and nothing else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Sequence

from pytest_benchmac.model.errors import SandboxError

_INSTALLS = ("ci", "clean-install", "i", "install")
LEGACY_PEER_DEPS = "--legacy-peer-deps"
#: Beats whatever configuration there is; a package that has to be made by git or by its own
#: scripts cannot be had, since making it runs them.
NPM_ENV = {
    "npm_config_color": "false",
    "npm_config_git": "/bin/false",
    "npm_config_ignore_scripts": "true",
    "npm_config_install_links": "false",
    "npm_config_package_lock_only": "false",
    "npm_config_script_shell": "/bin/false",
}
#: As that, for scripts of packages that are verified.
SCRIPTS_ENV = {
    **{name: value for name, value in NPM_ENV.items() if name != "npm_config_script_shell"},
    "npm_config_ignore_scripts": "false",
}
#: The command line is to be the file that was started, whatever the project makes of its name.
NG_ENV = {"NG_DISABLE_VERSION_CHECK": "1"}
_CLI = "@angular/cli"
#: The first that the installed version has; up to version 12 it has no extension.
_NG = ("bin/ng.js", "bin/ng")
#: Why there may be no clean room.
NOT_REPEATED = (
    "the clean room repeats `npm ci`, `pnpm install --frozen-lockfile`, `npx ng build` and "
    "`npx nx build` only"
)
#: Words of Nx's own that do not change what is built.
_NX_ONLY = frozenset({"--skip-nx-cache", "--skipNxCache"})
_NX_NAME = re.compile(r"[A-Za-z0-9@_][A-Za-z0-9@/._-]*")
_CONFIGURATION = re.compile(r"(?:--configuration|-c)=(.+)|--prod")
_PNPM = re.compile(r"pnpm@\d+\.\d+\.\d+")


def by_pnpm(command: str) -> bool:
    """Is this pnpm's install of exactly what its lock file says, by an exact version of pnpm?"""
    words = _words(command)
    if words[:1] == ["npx"]:
        words = [word for word in words[1:] if word not in ("--yes", "-y")]
        if not words or not _PNPM.fullmatch(words[0]):
            return False
    elif words[:1] != ["pnpm"]:
        return False
    return words[1:2] in (["install"], ["i"]) and set(words[2:]) == {"--frozen-lockfile"}


def can_install(command: str) -> bool:
    """Is this an install whose packages the clean room can have as well?"""
    words = _words(command)
    return by_pnpm(command) or (
        len(words) >= 2
        and words[0] == "npm"
        and words[1] in _INSTALLS
        and all(word.startswith("--") for word in words[2:])
    )


def install_command(command: str, *, legacy_peer_deps: bool) -> list[str]:
    """The instance's install command, word by word, without scripts.

    Args:
        command: one that the clean room `can_install` with.
        legacy_peer_deps: does the ordinary install need npm's flag of that name?
    """
    words = [*shlex.split(command), "--ignore-scripts"]
    if legacy_peer_deps and LEGACY_PEER_DEPS not in words:
        words.append(LEGACY_PEER_DEPS)
    return words


def rebuild_command(packages: Sequence[str]) -> list[str]:
    """Runs the install scripts of packages, and of no other."""
    return ["npm", "rebuild", "--foreground-scripts", "--", *packages]


def ng_arguments(command: str) -> Sequence[str] | None:
    """What a build command asks of `npx ng`, or `npx nx` in its place; None for any other."""
    words = _without_npx(command)
    if words[:1] == ["nx"]:
        return _nx_arguments(words[1:])
    return words[1:] if words[:1] == ["ng"] else None


def by_nx(command: str) -> bool:
    """Does Nx run the build, whose projects have files of their own?"""
    return _without_npx(command)[:1] == ["nx"]


def as_ng(command: str) -> str:
    """The same build by the framework's own command line."""
    arguments = ng_arguments(command)
    if not by_nx(command) or arguments is None:
        return command
    return shlex.join(["npx", "ng", *arguments])


def nx_project(command: str) -> str:
    """The project that a build command of Nx's names; empty for any other command."""
    arguments = ng_arguments(command) if by_nx(command) else None
    return arguments[1] if arguments else ""


def _nx_arguments(words: Sequence[str]) -> Sequence[str] | None:
    """`nx build NAME`, `nx run NAME:build:CONFIGURATION`, and a configuration as an option.

    No other options: Nx has some of its own.
    """
    if words[:1] == ["build"]:
        name, chosen, rest = "".join(words[1:2]), "", list(words[2:])
    elif words[:1] == ["run"] and len(words) > 1:
        name, _, target = words[1].partition(":")
        target, _, chosen = target.partition(":")
        rest = list(words[2:])
        if target != "build":
            return None
    else:
        return None
    rest = [word for word in rest if word not in _NX_ONLY]
    if rest[:1] in (["--configuration"], ["-c"]) and len(rest) == 2 and not chosen:
        chosen, rest = rest[1], []
    elif len(rest) == 1 and not chosen and (match := _CONFIGURATION.fullmatch(rest[0])):
        chosen, rest = match[1] or "production", []
    if rest or not _NX_NAME.fullmatch(name) or (chosen and not _NX_NAME.fullmatch(chosen)):
        return None
    return ["build", name, *(["--configuration", chosen] if chosen else [])]


def _without_npx(command: str) -> list[str]:
    words = _words(command)
    if words[:1] == ["npx"]:
        words = words[1:]
        while words and words[0] in ("--no", "--no-install", "--yes", "-y", "--"):
            words = words[1:]
    return words


def ng_command(arguments: Sequence[str], published: Container[str]) -> str:
    """The command that runs the framework's own file instead of whatever `npx ng` finds.

    Args:
        arguments: of `ng`.
        published: files of the verified @angular/cli.

    Raises:
        SandboxError: that version has none of the files that are known.
    """
    file = next((path for path in _NG if path in published), None)
    if file is None:
        raise SandboxError(f"the verified {_CLI} has none of {', '.join(_NG)}")
    return shlex.join(["node", f"node_modules/{_CLI}/{file}", *arguments])


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    # What a shell would interpret does not come out of quoting the same.
    return words if shlex.join(words) == command.strip() else []


def wants_legacy_peer_deps(npmrc: str | None) -> bool:
    """Does a project's `.npmrc`, which the clean room does without, ask for this harmless flag?"""
    wanted = False
    for line in (npmrc or "").splitlines():
        key, equals, value = (part.strip().strip("'\"") for part in line.partition("="))
        if key in ("legacy-peer-deps", "force"):
            wanted = not equals or value == "true"
    return wanted
