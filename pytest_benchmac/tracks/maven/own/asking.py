"""JVMs that ask methods with drawn values (AskMethods.java), and what they answer.

What comes back is the word of the code that was asked.
"""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pytest_benchmac.files.archives import pack
from pytest_benchmac.tracks.maven.own.classpath import Module, repository_of
from pytest_benchmac.tracks.maven.own.compiling import TOOLS, OwnCompile
from pytest_benchmac.tracks.maven.own.running import is_number
from pytest_benchmac.tracks.maven.own.units import MAIN
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.toolchains.maven import maven_env

_RUN_S = 60.0
_RESULT_BYTES = 16 * 1024 * 1024
_MAX_ROWS, _DIGITS = 100_000, 18
_SHOWN = 240
#: In the place of a block's number: whenever it is asked.
_ALWAYS = -1
#: Of so many effects, the last may not be told: see AskEffects.java.
_MOST_EFFECTS = 15_000
#: How effects end that tell of what exceptions say, less and more: less is a fault only where the
#: base's say more, and more is none.
_LESS = {" name no argument": " name an argument", " has no cause": " has a cause"}
#: Bytes that code may keep for ever: times as many as the base's, and these.
_KEPT_MORE, _KEPT_BYTES = 3, 2 * 1024 * 1024
_HEXADECIMAL = re.compile(r"[0-9a-f]{1,16}")
#: Of one call or block: two digests, and what was seen.
Row = tuple[str, str, str]
#: Of what is done beside answering: a method or nobody, the block or `_ALWAYS`, and what.
Effect = tuple[str, int, str]


@dataclass(frozen=True)
class Answers:
    """What classes answered, as their JVM tells it."""

    #: Number of a method, and of the block -> the answer.
    rows: Mapping[tuple[int, int], Row] = field(default_factory=dict)
    #: Methods that came to no end, or to the JVM's.
    broken: frozenset[int] = frozenset()
    #: Method -> calls that were made, and nanoseconds.
    tried: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    #: What is done beside answering.
    effects: frozenset[Effect] = frozenset()
    #: Bytes that are kept, of all calls.
    kept: int = 0
    done: bool = False
    #: All rows, where something else was asked for.
    lines: tuple[str, ...] = ()

    def differing(self, other: Answers, but: frozenset[int] = frozenset()) -> dict[int, int]:
        """Method -> the first block in which the other does not answer alike.

        Args:
            other: what other code answers.
            but: methods that are left out.
        """
        found: dict[int, int] = {}
        for (method, block), row in sorted(self.rows.items()):
            if method in but:
                continue
            seen = other.rows.get((method, block))
            alike = seen is not None and (row[0] == seen[0] or row[1] == seen[1])
            if not alike:
                found.setdefault(method, block)
        for method in sorted(other.broken - self.broken - but):
            found.setdefault(method, 0)
        return found

    def beside(self, other: Answers, names: Mapping[int, str]) -> dict[str, str]:
        """Method, or `` -> what other code does beside answering, and this does not.

        Args:
            other: what other code answers.
            names: number -> method.
        """
        asked = {names[method] for method, _ in self.rows}
        told = other.effects - self.effects
        if len(self.effects) >= _MOST_EFFECTS:
            # Nobody knows what this code does from the last block on that is told.
            last = max(block for _, block, _ in self.effects)
            told = frozenset(each for each in told if _ALWAYS < each[1] < last)
        found: dict[str, str] = {}
        for who, _, what in sorted(told, key=lambda each: each[1]):
            less = next(filter(what.endswith, _LESS), "")
            more = what.removesuffix(less) + _LESS.get(less, "")
            if what.endswith(tuple(_LESS.values())) or (
                less and (who, _ALWAYS, more) not in self.effects
            ):
                continue
            if (who in asked or not who) and (who, _ALWAYS, what) not in self.effects:
                found.setdefault(who, what)
        if other.kept > _KEPT_MORE * self.kept + _KEPT_BYTES:
            found.setdefault("", f"{other.kept // 1024} KiB are kept for ever")
        return found


def copy_classes(context: MavenContext, compiled: OwnCompile, place: str) -> None:
    """The patch's classes, and the harness's programs, without the base's."""
    wanted = (f"{number}/{MAIN}/" for number in range(len(compiled.modules)))
    sandbox = context.sandbox
    archive = context.scratch / f"{secrets.token_hex(8)}.tar"
    pack(archive, compiled.packed(*wanted, f"{TOOLS}/"))
    sandbox.copy_in(archive, sandbox.inbox / archive.name)
    context.run(
        f"mkdir {place} && tar -xf {sandbox.inbox}/{archive.name} -C {place}",
        timeout_s=_RUN_S,
        env=maven_env(sandbox.home),
    )
    archive.unlink()


@dataclass(frozen=True)
class Run:
    """JVMs that ask the classes of a module."""

    context: MavenContext
    compiled: OwnCompile
    module: Module
    #: Where classes and programs are.
    out: str
    kinds: tuple[str, ...]
    #: Libraries behind the module's own.
    jars: tuple[str, ...]
    options: tuple[str, ...]
    #: Those that are not there.
    missing: frozenset[str] = frozenset()

    def ask(self, rows: Iterable[str]) -> Answers:
        """What a JVM of its own answers."""
        context, sandbox = self.context, self.context.sandbox
        name = f"ask-{secrets.token_hex(8)}"
        result = sandbox.home / name
        lines = [*rows, f"folders\t{':'.join(self._folders())}"]
        sandbox.copy_in("\n".join(lines).encode(), sandbox.inbox / name)
        libraries = ":".join(f"@/{each}" if each[0] != "/" else each for each in self._jars())
        spec = f"{sandbox.home}/{name}.spec"
        context.run(
            f"{{ cat {sandbox.inbox}/{name}; echo; printf 'libraries\\t%s' {shlex.quote(libraries)}"
            f' | sed "s|@/|{repository_of(sandbox.home)}/|g"; }} >{spec}; '
            f"cd {shlex.quote(self.module.folder or '.')} && java {shlex.join(self.options)} "
            f"-cp {self.out}/{TOOLS} AskMethods {spec} {result} >/dev/null 2>&1",
            timeout_s=_RUN_S,
            env=maven_env(sandbox.home),
        )
        answer = context.read_file(result, max_bytes=_RESULT_BYTES)
        context.run(f"rm -f {spec} {result}", timeout_s=_RUN_S, env=maven_env(sandbox.home))
        return read_answers(answer or b"")

    def _jars(self) -> list[str]:
        every = dict.fromkeys((*self.module.jars, *self.jars))
        return [each for each in every if each not in self.missing]

    def _folders(self) -> list[str]:
        numbers = {each.folder: index for index, each in enumerate(self.compiled.modules)}
        wanted = [self.module.folder, *(e for e in self.module.modules if e in numbers)]
        found = []
        for each in wanted:
            found += [f"{self.out}/{numbers[each]}/{kind}/" for kind in self.kinds]
            if self.kinds == (MAIN,):
                found.append(f"{self.out}/../made/{f'{each}/'.lstrip('/')}target/classes/")
        return found


def read_answers(answer: bytes) -> Answers:
    """What a JVM wrote; what is none of its rows is left out."""
    rows: dict[tuple[int, int], Row] = {}
    broken: set[int] = set()
    tried: dict[int, tuple[int, int]] = {}
    effects: set[Effect] = set()
    kept = 0
    # A Windows writes other ends of lines; what else ends lines may be in what was answered.
    text = answer.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n")
    lines = tuple(text.split("\n")[:_MAX_ROWS])
    for line in lines:
        of, *cells = line.split("\t")
        numbers = [int(each) for each in cells[:3] if is_number(each, _DIGITS)]
        if of == "answer" and len(cells) == 5 and len(numbers) >= 2:
            if all(map(_HEXADECIMAL.fullmatch, cells[2:4])):
                seen = "".join(c if c.isprintable() else " " for c in cells[4][:_SHOWN])
                rows.setdefault((numbers[0], numbers[1]), (cells[2], cells[3], seen))
        elif of in ("late", "broken") and len(cells) == 1 and numbers:
            broken.add(numbers[0])
        elif of == "tried" and len(numbers) == 3:
            tried[numbers[0]] = numbers[1], numbers[2]
        elif of == "effect" and len(cells) == 3 and is_number(cells[1] or "0", _DIGITS):
            # Whoever it is is a method's name as a whole.
            who, what = ("".join(filter(str.isprintable, each)) for each in (cells[0], cells[2]))
            effects.add((who, int(cells[1] or _ALWAYS), what[:_SHOWN]))
        elif of == "memory" and len(numbers) == 1:
            kept = numbers[0]
    done = bool(lines) and lines[-1] == "done"
    told = frozenset(effects)
    return Answers(rows, frozenset(broken), tried, told, kept, done, lines)
