"""The base's code and the patch's are asked the same, and what they answer is compared.

Each runs in a JVM and a sandbox of its own: the base's where nothing of the patch has run, and its
answers are taken out of there before anything does. Inputs are drawn from the case's seed. The base
is asked twice: what it does not answer alike is not asked of the patch.
"""

from __future__ import annotations

import random
import re
import secrets
import shlex
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_benchmac.files.archives import pack
from pytest_benchmac.tracks.maven.own.classpath import Module, repository_of
from pytest_benchmac.tracks.maven.own.compiling import TOOLS, OwnCompile
from pytest_benchmac.tracks.maven.own.elsewhere import Elsewhere, elsewhere
from pytest_benchmac.tracks.maven.own.questions import Questions, questions, renames
from pytest_benchmac.tracks.maven.own.running import QUICK, jvm_options, opening_options
from pytest_benchmac.tracks.maven.own.units import BASE_MAIN, MAIN, OWN
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.toolchains.maven import maven_env

#: Milliseconds that the calls of a case should take, of all its modules, in one run.
CALLS_MS = 3_000
#: Calls of their own of each method, of all methods of a module at most, and blocks behind them.
_SINGLE, _SINGLES, _BLOCKS = 100, 20_000, 40
_LEAST_SINGLE = 10
#: Calls of a block at most.
_BLOCK = 1_000
#: Milliseconds for one call: of the base's code, and of the patch's.
_LIMIT_MS, _PATCH_LIMIT_MS = 1_000, 10_000
_RUN_S = 120.0
_RESULT_BYTES = 16 * 1024 * 1024
_MAX_ROWS = 100_000
_SHOWN = 240
#: A hash of an object is what the JVM had left: in each run so many are used up.
_USED = (1, 29, 57)
_HEXADECIMAL = re.compile(r"[0-9a-f]{1,16}")
#: Of one call or block: two digests, and what was seen.
Row = tuple[str, str, str]


@dataclass(frozen=True)
class Answers:
    """What classes answered, as their JVM tells it."""

    #: Number of a method, and of the block -> the answer.
    rows: Mapping[tuple[int, int], Row] = field(default_factory=dict)
    #: Methods that came to no end, or to the JVM's.
    broken: frozenset[int] = frozenset()
    #: Method -> calls that were made, and nanoseconds.
    tried: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    done: bool = False
    #: All rows, where something else was asked for.
    lines: tuple[str, ...] = ()

    def differing(self, other: Answers) -> dict[int, int]:
        """Method -> the first block in which the other does not answer alike."""
        found: dict[int, int] = {}
        for (method, block), row in sorted(self.rows.items()):
            seen = other.rows.get((method, block))
            alike = seen is not None and (row[0] == seen[0] or row[1] == seen[1])
            if not alike:
                found.setdefault(method, block)
        for method in sorted(other.broken - self.broken):
            found.setdefault(method, 0)
        return found


@dataclass(frozen=True)
class OfBase:
    """What the base's code of one module answers."""

    folder: str
    asked: Questions
    #: Rows that say what is drawn, but for the classes.
    draws: tuple[str, ...]
    machine: Elsewhere
    answers: Answers
    #: Method -> calls of a block.
    sizes: Mapping[int, int]


@dataclass(frozen=True)
class Asked:
    """What came of asking base and patch: how much, what was left out, and what differs."""

    #: Of the case: it draws all inputs.
    seed: int
    #: Methods that were asked, and calls of them all.
    methods: int = 0
    calls: int = 0
    #: Why methods of the base were not asked -> how many.
    left: Mapping[str, int] = field(default_factory=dict)
    #: Methods of the base that the patch's do not answer like.
    differ: tuple[str, ...] = ()
    #: Of the first of them, what was seen of base and patch.
    first: tuple[str, str] = ("", "")
    seconds: float = 0


def ask_base(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    jars: Mapping[str, Sequence[str]],
    base: MavenProject,
    renamed: Mapping[str, str],
    seed: int,
) -> tuple[tuple[OfBase, ...], Asked]:
    """Ask the base's code, in the sandbox where it was compiled and nothing of the patch has run.

    Args:
        context: of that sandbox.
        project: the patched tree's project files.
        compiled: the patched tree, and the base's code.
        jars: folder -> the module's libraries at the base.
        base: the base's project files.
        renamed: class of the base -> the patch's.
        seed: what draws.

    Returns:
        What it answers, and what is known without the patch's answers.
    """
    began = time.monotonic()
    own = context.sandbox.home / OWN / "out"
    found: list[OfBase] = []
    left: Counter[str] = Counter()
    rng = random.Random(seed)  # noqa: S311
    by_folder: dict[str, list[str]] = {}
    for name, (folder, _) in compiled.classes(BASE_MAIN).items():
        by_folder.setdefault(folder, []).append(name)
    for module in compiled.modules:
        machine = rng.choice(elsewhere(rng, context.instance.environment.java))
        run = _Run(
            context,
            compiled,
            module,
            str(own),
            (BASE_MAIN,),
            tuple(jars.get(module.folder, ())),
            _options(base, project, module.folder, machine),
        )
        # Arguments may be of the modules that it uses.
        names = (
            name for each in (module.folder, *module.modules) for name in by_folder.get(each, ())
        )
        plan = run.ask([f"class\t{name}" for name in sorted(names)])
        asked = questions(plan.lines, compiled, module.folder, renamed, rng)
        seeds = (f"seed\t{rng.getrandbits(62)}", *(f"place\t{each}" for each in machine.places))
        known, why = _known(run, asked, seeds, CALLS_MS // max(1, len(by_folder)))
        left.update(asked.left)
        left.update(why)
        if known is not None:
            found.append(OfBase(module.folder, asked, seeds, machine, *known))
    seconds = round(time.monotonic() - began, 1)
    return tuple(found), Asked(seed, left=dict(left), seconds=seconds)


def _known(
    run: _Run, asked: Questions, draws: Sequence[str], calls_ms: int
) -> tuple[tuple[Answers, dict[int, int]] | None, Counter[str]]:
    """What the base answers alike whenever it is asked, and how many calls that are."""
    why: Counter[str] = Counter()
    if not asked.methods:
        return None, why
    rows = [*asked.rows, *draws]
    single = _singles(asked)
    sizes = dict.fromkeys(asked.methods, 1)
    first, second = (
        run.ask([*rows, "trying", *_calls(asked, sizes, used, single, 0)]) for used in _USED[:2]
    )
    if not (first.done and second.done):
        why["the base's code ends the JVM"] = len(asked.methods)
        return None, why
    unsteady = first.differing(second)
    for number in asked.methods:
        calls, spent = first.tried.get(number, (0, 0))
        if number in first.broken | second.broken:
            why["a call takes long, or lacks a library"] += 1
        elif number in unsteady:
            why["the base does not answer it alike"] += 1
        elif not calls:
            why["its arguments cannot be made"] += 1
        else:
            own_ns = calls_ms * 1_000_000 / len(asked.methods)
            fits = own_ns * single / max(1, spent)
            sizes[number] = max(1, min(_BLOCK, int(fits / _BLOCKS)))
            continue
        sizes.pop(number)
    if not sizes:
        return None, why
    first, second = (
        run.ask([*rows, *_calls(asked, sizes, used, single, _BLOCKS)]) for used in _USED[:2]
    )
    if not (first.done and second.done):
        why["the base's code ends the JVM"] += len(sizes)
        return None, why
    steady = sizes.keys() - first.differing(second).keys() - first.broken - second.broken
    if len(steady) < len(sizes):
        why["the base does not answer it alike"] += len(sizes) - len(steady)
    kept = {key: row for key, row in first.rows.items() if key[0] in steady}
    return (replace(first, rows=kept), sizes), why


def _singles(asked: Questions) -> int:
    return max(_LEAST_SINGLE, min(_SINGLE, _SINGLES // max(1, len(asked.methods))))


def _calls(
    asked: Questions, sizes: Mapping[int, int], used: int, single: int, blocks: int
) -> list[str]:
    methods = [
        f"method\t{number}\t{size}\t{asked.methods[number]}" for number, size in sizes.items()
    ]
    return [f"calls\t{single}\t{blocks}", f"used\t{used}", f"limit\t{_LIMIT_MS}", *methods]


def ask_patch(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile,
    base: MavenProject,
    renamed: Mapping[str, str],
    known: Sequence[OfBase],
    asked: Asked,
) -> Asked:
    """Ask the patch's code what the base's was asked, in the sandbox where its tests have run.

    What is answered otherwise is asked once more: both times it has to differ.
    """
    began = time.monotonic()
    place = context.sandbox.home / f"own-{secrets.token_hex(8)}"
    _copy(context, compiled, str(place))
    differ: dict[str, tuple[str, str]] = {}
    methods = calls = 0
    for each in known:
        module = next(one for one in compiled.modules if one.folder == each.folder)
        run = _Run(
            context,
            compiled,
            module,
            f"{place}/out",
            (MAIN,),
            (),
            _options(base, project, each.folder, each.machine),
        )
        single = _singles(each.asked)
        rows = [*each.asked.rows, *each.draws, *renames(compiled, renamed)]
        rows += _calls(each.asked, each.sizes, _USED[2], single, _BLOCKS)
        rows.append(f"limit\t{_PATCH_LIMIT_MS}")
        seen = run.ask(rows)
        found = each.answers.differing(seen)
        if found:
            again = each.answers.differing(run.ask(rows))
            found = {method: block for method, block in found.items() if method in again}
        for method, block in sorted(found.items(), key=lambda one: (one[1], one[0])):
            own, other = (
                answers.rows.get((method, block), ("", "", "no answer"))[2]
                or f"after some {single + (block - single) * each.sizes[method]} calls"
                for answers in (each.answers, seen)
            )
            differ.setdefault(each.asked.name(method), (own, other))
        steady = {method for method, _ in each.answers.rows}
        methods += len(steady)
        calls += sum(single + _BLOCKS * each.sizes[method] for method in steady)
    return replace(
        asked,
        methods=methods,
        calls=calls,
        differ=tuple(differ),
        first=next(iter(differ.values()), ("", "")),
        seconds=round(asked.seconds + time.monotonic() - began, 1),
    )


def _options(
    base: MavenProject, project: MavenProject, folder: str, machine: Elsewhere
) -> tuple[str, ...]:
    options = [*jvm_options(base, folder), *opening_options(jvm_options(project, folder))]
    return (*QUICK, *machine.options, "-Xmx512m", *options)


def _copy(context: MavenContext, compiled: OwnCompile, place: str) -> None:
    """The patch's classes, and the harness's programs, without the base's."""
    wanted = tuple(f"{number}/{MAIN}/" for number in range(len(compiled.modules)))
    packed: dict[str, bytes | Path] = {
        f"out/{path}": compiled.out.root / path
        for path in compiled.out.files
        if path.startswith((*wanted, f"{TOOLS}/"))
    }
    for path in compiled.made.files if compiled.made is not None else ():
        packed[f"made/{path}"] = compiled.made.root / path if compiled.made else b""
    sandbox = context.sandbox
    archive = context.scratch / f"{secrets.token_hex(8)}.tar"
    pack(archive, packed)
    sandbox.copy_in(archive, sandbox.inbox / archive.name)
    context.run(
        f"mkdir {place} && tar -xf {sandbox.inbox}/{archive.name} -C {place}",
        timeout_s=_RUN_S,
        env=maven_env(sandbox.home),
    )
    archive.unlink()


@dataclass(frozen=True)
class _Run:
    context: MavenContext
    compiled: OwnCompile
    module: Module
    #: Where classes and programs are.
    out: str
    kinds: tuple[str, ...]
    #: Libraries in front of the module's own.
    jars: tuple[str, ...]
    options: tuple[str, ...]

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
        return list(dict.fromkeys((*self.jars, *self.module.jars)))

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
    lines = tuple(answer.decode("utf-8", "replace").splitlines()[:_MAX_ROWS])
    for line in lines:
        of, *cells = line.split("\t")
        numbers = [int(each) for each in cells[:3] if _is_number(each)]
        if of == "answer" and len(cells) == 5 and len(numbers) >= 2:
            if all(map(_HEXADECIMAL.fullmatch, cells[2:4])):
                rows.setdefault((numbers[0], numbers[1]), (cells[2], cells[3], cells[4][:_SHOWN]))
        elif of in ("late", "broken") and len(cells) == 1 and numbers:
            broken.add(numbers[0])
        elif of == "tried" and len(numbers) == 3:
            tried[numbers[0]] = numbers[1], numbers[2]
    done = bool(lines) and lines[-1] == "done"
    return Answers(rows, frozenset(broken), tried, done, lines)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19
