"""The base's code and the patch's are asked the same, and what they answer is compared.

Each runs in a JVM and a sandbox of its own: the base's where nothing of the patch has run, and its
answers are taken out of there before anything does. Inputs are drawn from the case's seed. The base
is asked twice: what it does not answer alike is not asked of the patch.
"""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_benchmac.foreign.xmlfiles import local_name
from pytest_benchmac.tracks.maven.own.asking import Answers, Run, copy_classes
from pytest_benchmac.tracks.maven.own.classpath import Module
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.elsewhere import Elsewhere, elsewhere
from pytest_benchmac.tracks.maven.own.questions import Kept, Questions, questions, renames
from pytest_benchmac.tracks.maven.own.running import QUICK, jvm_options, opening_options
from pytest_benchmac.tracks.maven.own.units import BASE_MAIN, MAIN, OWN
from pytest_benchmac.tracks.maven.pom import MavenProject, text
from pytest_benchmac.tracks.maven.reading import MavenContext
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

#: Milliseconds that the blocks of a case should take, of all its modules, in one run.
CALLS_MS = 2_500
#: Calls of their own of each method, and of all methods of a module, at most.
_SINGLE, _SINGLES = 100, 20_000
_LEAST_SINGLE = 10
#: Blocks of calls behind them that share the time, where nothing gets quicker; such blocks at most,
#: of each method and of all methods; and calls of a block.
_BLOCKS, _MOST_BLOCKS, _ALL_BLOCKS, _BLOCK = 40, 400, 60_000, 1_000
#: Milliseconds for one call: of the base's code, and of the patch's.
_LIMIT_MS, _PATCH_LIMIT_MS = 1_000, 10_000
#: How often the base is asked twice, without what it did not answer alike before.
_TURNS = 3
#: Seconds after which the base's code of no other module is asked.
_BASE_S = 120.0
#: Rounds of four in which the patch's code has to answer several threads otherwise than one, for
#: nobody to call it chance; the base's needs one.
_ROUNDS = 2
#: Why nothing of a module is asked.
ENDS, NO_TIME = "the base's code ends the JVM", "modules for which there was no time"
_UNSTEADY = "the base does not answer it alike"
#: A hash of an object is what the JVM had left: in each run so many are used up.
_USED = (1, 29, 57)


@dataclass(frozen=True)
class OfBase:
    """What the base's code of one module answers."""

    folder: str
    asked: Questions
    #: Rows that say what is drawn, but for the classes.
    draws: tuple[str, ...]
    machine: Elsewhere
    answers: Answers
    #: Method -> calls of a block; and how many blocks there were.
    sizes: Mapping[int, int]
    blocks: int


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
    kept = Kept(compiled, renamed)
    for module in rng.sample(compiled.modules, len(compiled.modules)):
        if time.monotonic() - began > _BASE_S:
            left[NO_TIME] += 1
            continue
        machine = rng.choice(elsewhere(rng, context.instance.environment.java))
        run = Run(
            context,
            compiled,
            module,
            str(own),
            (BASE_MAIN,),
            tuple(jars.get(module.folder, ())),
            _options(base, project, module.folder, machine),
        )
        # Arguments may be of the modules that it uses.
        used = (module.folder, *module.modules)
        names = (name for each in used for name in kept.classes.get(each, ()))
        plan = run.ask([f"class\t{name}" for name in sorted(names)])
        asked = questions(plan.lines, kept, module.folder, rng)
        seeds = (f"seed\t{rng.getrandbits(62)}", *(f"place\t{each}" for each in machine.places))
        known, why = _known(run, asked, seeds, CALLS_MS // max(1, len(kept.classes)))
        left.update(asked.left)
        left.update(why)
        if known is not None:
            found.append(OfBase(module.folder, asked, seeds, machine, *known))
    seconds = round(time.monotonic() - began, 1)
    return tuple(found), Asked(seed, left=dict(left), seconds=seconds)


def _known(
    run: Run, asked: Questions, draws: Sequence[str], calls_ms: int
) -> tuple[tuple[Answers, dict[int, int], int] | None, Counter[str]]:
    """What the base answers alike whenever it is asked, and how many calls that are."""
    why: Counter[str] = Counter()
    if not asked.methods:
        return None, why
    rows = [*asked.rows, *draws]
    single = _singles(asked)
    sizes = dict.fromkeys(asked.methods, 1)
    first = run.ask([*rows, "trying", *_calls(asked, sizes, _USED[0], single, 0)])
    began = time.monotonic()
    second = run.ask([*rows, "trying", *_calls(asked, sizes, _USED[1], single, 0)])
    # Calls of their own take as long again, and blocks have their time behind them.
    until = calls_ms + int(1_000 * (time.monotonic() - began))
    if not (first.done and second.done):
        why[ENDS] = len(asked.methods)
        return None, why
    unsteady = first.differing(second)
    for number in asked.methods:
        _, spent = first.tried.get(number, (0, 0))
        if number in first.broken | second.broken:
            why["a call takes long, or lacks a library or a part of Java"] += 1
        elif number in unsteady:
            why[_UNSTEADY] += 1
        else:
            own_ns = calls_ms * 1_000_000 / len(asked.methods)
            fits = own_ns * single / max(1, spent)
            sizes[number] = max(1, min(_BLOCK, int(fits / _BLOCKS)))
            continue
        sizes.pop(number)
    for _ in range(_TURNS):
        if not sizes:
            break
        most = max(1, min(_MOST_BLOCKS, _ALL_BLOCKS // len(sizes)))
        first = run.ask([*rows, *_calls(asked, sizes, _USED[0], single, most), f"until\t{until}"])
        blocks = max((block for _, block in first.rows), default=single) + 1 - single
        second = run.ask([*rows, *_calls(asked, sizes, _USED[1], single, blocks)])
        if not (first.done and second.done):
            why[ENDS] += len(sizes)
            return None, why
        first = replace(
            first,
            effects=first.effects | second.effects,
            kept=max(first.kept, second.kept),
        )
        unsteady = first.differing(second)
        dropped = sizes.keys() & (unsteady.keys() | first.broken | second.broken)
        if not dropped:
            # What does not work on this Java says nothing of what it did.
            silent = {number for number in sizes if not first.tried.get(number, (0, 0))[0]}
            if silent:
                why["it throws whatever is asked, or its arguments cannot be made"] += len(silent)
            kept = {key: row for key, row in first.rows.items() if key[0] not in silent}
            return (replace(first, rows=kept), sizes, blocks), why
        # What they answered, others were asked with: all are asked again without them.
        why[_UNSTEADY] += len(dropped)
        sizes = {number: size for number, size in sizes.items() if number not in dropped}
    if sizes:
        why[_UNSTEADY] += len(sizes)
    return None, why


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
    copy_classes(context, compiled, str(place))
    differ: dict[str, tuple[str, str]] = {}
    methods = calls = 0
    for each in known:
        module = next(one for one in compiled.modules if one.folder == each.folder)
        run = Run(
            context,
            compiled,
            module,
            f"{place}/out",
            (MAIN,),
            (),
            _options(base, project, each.folder, each.machine),
        )
        single = _singles(each.asked)
        rows = [*each.asked.rows, *each.draws, *renames(compiled, renamed), *each.asked.wider]
        rows += _calls(each.asked, each.sizes, _USED[2], single, each.blocks)
        rows += [f"limit\t{_PATCH_LIMIT_MS}", f"rounds\t{_ROUNDS}"]
        seen = run.ask(rows)
        found = each.answers.differing(seen)
        names = {method: each.asked.name(method) for method in each.asked.methods}
        beside = each.answers.beside(seen, names)
        if found or beside:
            again = run.ask(rows)
            differing, besides = each.answers.differing(again), each.answers.beside(again, names)
            found = {method: block for method, block in found.items() if method in differing}
            beside = {who: what for who, what in beside.items() if who in besides}
        if not found and (missing := not_shipped(module, project, base)):
            # What names a library that is not there can be as wrong as it wants to be.
            seen = replace(run, missing=missing).ask(rows)
            found = each.answers.differing(seen, but=seen.broken)
        for method, block in sorted(found.items(), key=lambda one: (one[1], one[0])):
            if method not in each.sizes:
                # Nothing of this number was asked: the JVM has made it up.
                continue
            own = each.answers.rows.get((method, block), ("", "", ""))[2]
            other = seen.rows.get((method, block), ("", "", "no answer"))[2]
            if not own:
                # Of a block of calls nothing is told.
                count = single + (block - single) * each.sizes[method]
                own, other = "as after the first calls", other or f"not, after some {count} calls"
            differ.setdefault(each.asked.name(method), (own, other))
        for who, what in beside.items():
            differ.setdefault(who or f"{each.folder or '.'}", ("nothing of the kind", what))
        steady = {method for method, _ in each.answers.rows}
        methods += len(steady)
        calls += sum(single + each.blocks * each.sizes[method] for method in steady)
    return replace(
        asked,
        methods=methods,
        calls=calls,
        differ=tuple(differ),
        first=next(iter(differ.values()), ("", "")),
        seconds=round(asked.seconds + time.monotonic() - began, 1),
    )


def not_shipped(module: Module, project: MavenProject, base: MavenProject) -> frozenset[str]:
    """Libraries that code is compiled and tested with, and, other than at the base, not shipped."""
    places = _left_behind(project) - _left_behind(base)
    return frozenset(each for each in module.jars if any(f"{one}/" in each for one in places))


def _left_behind(project: MavenProject) -> set[str]:
    """Where a repository has the dependencies that are there for others, or for some only."""
    resolver = VersionResolver(project, lambda *_: None)
    found: set[str] = set()
    for path, pom in project.poms.items():
        properties = resolver.properties(path)
        for each in pom.root.iter():
            if local_name(each) != "dependency":
                continue
            scope, optional, group, artifact = (
                interpolate(text(each, name), properties) or ""
                for name in ("scope", "optional", "groupId", "artifactId")
            )
            # As Maven reads it: `Boolean.parseBoolean` of the text without blanks around it.
            if scope == "provided" or optional.strip().lower() == "true":
                found.add(f"{group.replace('.', '/')}/{artifact}")
    return found


def _options(
    base: MavenProject, project: MavenProject, folder: str, machine: Elsewhere
) -> tuple[str, ...]:
    options = [*jvm_options(base, folder), *opening_options(jvm_options(project, folder))]
    # More memory to begin with than there may be ends the JVM.
    options = [each for each in options if not each.startswith("-Xms")]
    return (*QUICK, *machine.options, "-Xmx512m", *options)
