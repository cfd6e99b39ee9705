"""Scripts of package.json, which people and their machines run.

Honest work changes them: runners of tests, flags, hooks. What it does not do is to have them run
what nobody has looked at, or nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from pytest_benchmac.foreign.tree import outside
from pytest_benchmac.tracks.angular.integrity.packages import (
    MANIFEST,
    PackageManifest,
    Packages,
    read_manifest,
)
from pytest_benchmac.tracks.angular.integrity.served_folders import is_known
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.repository.commands import BEFORE, fetched

#: Scripts that have to do something where the base's does; `test:ci` and its like are among them.
_NEEDED = frozenset({"build", "serve", "start", "test"})
#: Scripts that people run by these names; of the others, migrations take the tools away.
_CALLED, _TOLD = frozenset({"build", "start", "test"}), frozenset({"e2e", "lint"})
#: Words of a command that do not tell what it does.
_RUNNERS = frozenset({"bunx", "npx", "pnpx"})
_SHORT = {"s": "serve", "dev": "serve", "b": "build", "t": "test", "l": "lint", "e": "e2e"}
#: Options of `ng build` that make another application of it, or one for another folder.
_OPTIONS = re.compile(
    r"--(?:(?P<folder>base-?href|deploy-?url)|main|browser|index)(?:[=\s]\s*(?P<value>\S+))?",
    re.IGNORECASE,
)
_BUILDS = re.compile(r"\bng\s+(?:b|build)\b")
_INSTALLER = re.compile(
    rf"{BEFORE}(?:npx|pnpx|bunx|npm\s+(?:exec|x)|(?:pnpm|yarn)\s+dlx"
    r"|(?:npm|pnpm|yarn|bun)\s+(?:create|init|i|install|add))\s+([^;&|\n]*)"
)
_LOCAL = frozenset({"--no", "--no-install", "--offline"})
_WITH_VALUE = frozenset({"--prefix", "-C", "--registry", "-w", "--workspace", "--cache", "--dir"})
#: Commands that have another name than their packages; lock files do not always tell.
_COMMANDS = {
    "ng": "@angular/cli",
    "ngc": "@angular/compiler-cli",
    "ngcc": "@angular/compiler-cli",
    "playwright": "@playwright/test",
    "tsc": "typescript",
}
_PASSING = frozenset({"cross-env", "env", "exec", "sudo", "time"})
_IDLE = frozenset({"", ":", "[", "cd", "echo", "printf", "pwd", "sleep", "test", "true"})
_SHELLS = frozenset({"bash", "cmd", "dash", "sh", "zsh"})
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_MAX_DEPTH = 5
#: Of scripts that may stand for one that is gone, so many are looked at.
_MAX_OTHERS = 20


def check_manifest_scripts(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """No script newly runs what is in no file, and none that people need does nothing."""
    known = _known(base.packages) | _known(patched.packages)
    for path in patched.tree.named(MANIFEST):
        if not outside(path, ("node_modules",)):
            continue
        old, new = read_manifest(base.tree, path).scripts, read_manifest(patched.tree, path)
        for name, command in new.scripts.items():
            if command in old.values() and old.get(name, command) == command:
                continue
            before = set(_foreign(old.get(name, ""), known))
            for what in dict.fromkeys(_foreign(command, known)):
                if what not in before:
                    findings.fatal(
                        "script-fetches",
                        f"The script `{name}` runs {what}, which no file of the project has.",
                        file=path,
                        line=new.line(name),
                        expected=old.get(name, "none"),
                        seen=command,
                    )
            if name in old:
                _check_building(path, name, old, new, base, findings)
            needed = re.split(r"[:._-]", name)[0] in _NEEDED and name in old
            if needed and _idle(command, new.scripts) and not _idle(old[name], old):
                findings.fatal(
                    "script-emptied",
                    f"The script `{name}` does nothing any more.",
                    file=path,
                    line=new.line(name),
                    expected=old[name],
                    seen=command or "nothing",
                )


def check_scripts_there(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Scripts that everybody runs are there, or others do what they did."""
    old, new = base.packages.manifest, patched.packages.manifest
    if new.error:
        return
    does = {other: _does(command) for other, command in new.scripts.items() if other != "ng"}
    for name in sorted(_CALLED | _TOLD):
        if name not in old.scripts or name in new.scripts or _idle(old.scripts[name], old.scripts):
            continue
        did = _does(old.scripts[name])
        others = [
            other
            for other in does
            if (re.split(r"[:._-]", other)[0] == name or does[other] == did)
            # `watch` of each new project builds for who works on it, and does not end.
            and not (name == "build" and "watch" in f"{other} {new.scripts[other]}")
        ]
        if not all(_idle(new.scripts[other], new.scripts) for other in others[:_MAX_OTHERS]):
            continue
        (findings.fatal if name in _CALLED else findings.warning)(
            "script-gone",
            f"The script `{name}` is gone, and no other does what it did.",
            file=new.file,
            line=new.line("scripts") or 1,
            expected=old.scripts[name],
            seen=", ".join(new.scripts) or "no script",
        )


def _does(command: str) -> tuple[str, str]:
    """The program that a command runs first, and what it is asked for."""
    try:
        words = shell_words(command)
    except ValueError:
        words = command.split()
    while words and (words[0] in _PASSING | _RUNNERS or re.match(r"\w+=|[()]", words[0])):
        words = words[1:]
    first = words[0].rpartition("/")[2] if words else ""
    second = next((word for word in words[1:] if not word.startswith("-")), "")
    return first, _SHORT.get(second, second)


def _check_building(
    file: str,
    name: str,
    old: Mapping[str, str],
    new: PackageManifest,
    base: Snapshot,
    findings: Findings,
) -> None:
    """A script that the base has builds the application that it built."""
    command = new.scripts[name]
    if not _BUILDS.search(command):
        return
    known = " ".join(old.values())
    for option in _OPTIONS.finditer(command):
        if option[0] in known:
            continue
        # An application may be moved, as to pages of its repository: that is told only.
        moved = bool(option["folder"])
        told = moved and is_known(option["value"] or "", base.workspace, base.tree)
        what = "for another folder" if moved else "another application"
        (findings.warning if told else findings.fatal)(
            "base-folder" if moved else "script-builds-other",
            f"The script `{name}` builds {what}.",
            file=file,
            line=new.line(name),
            expected=old[name],
            seen=command,
        )


def _known(packages: Packages) -> set[str]:
    """Packages and commands that an install brings."""
    names = set(packages.manifest.dependencies)
    for entry in packages.lock.entries.values():
        names |= {entry.name, *entry.commands}
    return names | {command for command, package in _COMMANDS.items() if package in names}


def _foreign(command: str, known: AbstractSet[str]) -> Iterator[str]:
    """What a command runs that is in no file."""
    yield from fetched(command)
    for match in _INSTALLER.finditer(command):
        package = _package(re.sub(r"[\"']", " ", match[1]).split())
        name = re.sub(r"(?<=.)@.*", "", package)
        if name and name not in known:
            yield f"the package {name}"


def _package(words: list[str]) -> str:
    """The package that an installer takes; empty where it takes none."""
    named = ""
    while words and not named:
        word, *words = words
        option, equals, value = word.partition("=")
        if word in _LOCAL:
            return ""
        if option in ("-p", "--package"):
            named = value if equals else "".join(words[:1])
        elif word in _WITH_VALUE:
            words = words[1:]
        elif not word.startswith(("-", ".", "/")):
            named = word
    return named


def shell_words(command: str) -> list[str]:
    """The words of a command, and the operators between them.

    Raises:
        ValueError: a quotation has no end.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    return list(lexer)


def called_script(words: list[str], scripts: Mapping[str, str]) -> str | None:
    """The command of the script that a manager of packages is to run; None where none is."""
    if not words or words[0] not in _MANAGERS:
        return None
    rest = [word for word in words[1:] if not word.startswith("-")]
    called = rest[1:2] if rest[:1] in (["run"], ["run-script"]) else rest[:1]
    return scripts.get(called[0]) if called else None


def _idle(
    command: str, scripts: Mapping[str, str], depth: int = 0, known: dict[str, bool] | None = None
) -> bool:
    """Does a command do nothing, whatever it says?

    Args:
        command: as package.json has it.
        scripts: the others there, which it may run.
        depth: how many of them lead to it.
        known: of which commands that is known, by what they are.
    """
    if depth > _MAX_DEPTH:
        return True
    known = {} if known is None else known
    if command not in known:
        # One that leads back to itself does nothing more by that.
        known[command] = True
        known[command] = _does_nothing(command, scripts, depth, known)
    return known[command]


def _does_nothing(
    command: str, scripts: Mapping[str, str], depth: int, known: dict[str, bool]
) -> bool:
    try:
        words = shell_words(command)
    except ValueError:
        return False
    passed, operator, part = True, "", list[str]()
    for word in [*words, ";"]:
        if word.startswith("#"):
            word = ";"
            words = []
        if not word or not set(word) <= set(";&|\n"):
            part.append(word)
            continue
        left_out = (operator == "&&" and not passed) or (operator == "||" and passed)
        if not left_out:
            result = outcome(part, scripts, depth, known)
            if result in ("exit", "runs"):
                return result == "exit"
            passed = result == "passes"
        operator, part = word, []
        if not words:
            break
    return True


def outcome(
    words: list[str],
    scripts: Mapping[str, str],
    depth: int = 0,
    known: dict[str, bool] | None = None,
) -> str:
    """`passes`, `fails`, `exit` or `runs` (something); see `_idle`."""
    while words and (words[0] in _PASSING or re.match(r"\w+=|[()]", words[0])):
        words = words[1:]
    first = words[0].rpartition("/")[2] if words else ""
    if first in ("exit", "return"):
        return "exit"
    if first == "false":
        return "fails"
    if first in _IDLE:
        return "passes"
    inner: str | None
    if first in _SHELLS and words[1:2] in (["-c"], ["/c"]):
        inner = " ".join(words[2:])
    else:
        inner = called_script([first, *words[1:]], scripts)
    return "passes" if inner is not None and _idle(inner, scripts, depth + 1, known) else "runs"
