"""What base and patch are both asked: kept methods, how their arguments are made, and with what.

The base's own classes say what there is (AskPlan.java), where nothing of the patch has run.
What the patch does not have any more by name is left out.
"""

from __future__ import annotations

import base64
import math
import random
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE, Constants
from pytest_benchmac.tracks.maven.own.conversions import TYPE
from pytest_benchmac.tracks.maven.own.outward import outward
from pytest_benchmac.tracks.maven.own.reach import inherited_of, names_no_charset
from pytest_benchmac.tracks.maven.own.renaming import new_descriptor, new_name, with_slashes
from pytest_benchmac.tracks.maven.own.samecode import Inherited, lineage, said_of
from pytest_benchmac.tracks.maven.own.units import BASE_BOTH, BASE_MAIN, MAIN

#: Methods of a module, and constants, that are asked and drawn from at most.
MOST_METHODS, _MOST_CONSTANTS = 300, 600
#: Classes of which two objects are compared, at most.
_MOST_TWINS = 100
#: Why a method is not asked that the base has.
GONE = "the patch has it no more"
_MOST_ROWS, _LONGEST_TEXT = 50_000, 300
_TEXT, _WHOLE, _FLOAT, _LONG, _DOUBLE = 8, 3, 4, 5, 6
_NUMBERS = {_WHOLE: ">i", _FLOAT: ">f", _LONG: ">q", _DOUBLE: ">d"}
#: Where a maker's or method's kind, owner, name and parameters begin in a row of the plan.
_MEMBER = {"maker": 2, "method": 1}
_ROWS = ("class", "below", "field")


def _boxed(name: str, *primitives: str) -> tuple[str, ...]:
    """What takes a primitive: longer ones, and objects."""
    plain = ("Number", "Comparable", "Object") if primitives else ("Comparable", "Object")
    return (*primitives, *(f"Ljava/lang/{each};" for each in (name, *plain)))


def _util(*names: str) -> tuple[str, ...]:
    return tuple(f"Ljava/util/{each};" for each in names)


#: Descriptor of a type -> of those that take its values, of the JDK, as far as people replace them.
_WIDER = {
    "B": _boxed("Byte", "S", "I", "J", "F", "D"),
    "S": _boxed("Short", "I", "J", "F", "D"),
    "I": _boxed("Integer", "J", "F", "D"),
    "J": _boxed("Long", "F", "D"),
    "F": _boxed("Float", "D"),
    "D": _boxed("Double", "D"),
    "Z": _boxed("Boolean"),
    "C": (*_boxed("Character"), "I", "J", "F", "D"),
    **{
        f"Ljava/lang/{name};": ("Ljava/lang/Number;", "Ljava/lang/Comparable;")
        for name in ("Byte", "Short", "Integer", "Long", "Float", "Double")
    },
    "Ljava/lang/String;": ("Ljava/lang/CharSequence;", "Ljava/lang/Comparable;"),
    "Ljava/util/ArrayList;": _util("List"),
    "Ljava/util/LinkedList;": _util("List", "Deque"),
    "Ljava/util/List;": _util("Collection"),
    "Ljava/util/HashSet;": _util("Set"),
    "Ljava/util/TreeSet;": _util("SortedSet"),
    "Ljava/util/SortedSet;": _util("Set"),
    "Ljava/util/Set;": _util("Collection"),
    "Ljava/util/Deque;": _util("Queue"),
    "Ljava/util/Queue;": _util("Collection"),
    "Ljava/util/Collection;": ("Ljava/lang/Iterable;",),
    "Ljava/util/HashMap;": _util("Map"),
    "Ljava/util/TreeMap;": _util("SortedMap"),
    "Ljava/util/SortedMap;": _util("Map"),
}


@dataclass(frozen=True)
class Questions:
    """What is asked of a module's classes: rows of AskSpec.java."""

    #: What arguments are made of, without the methods.
    rows: tuple[str, ...]
    #: Number -> kind, owner, name, parameters and types of a method.
    methods: Mapping[int, str]
    #: Rows for the patch alone: parameters that take more than the base's.
    wider: tuple[str, ...] = ()
    #: Why a method of the base is not asked -> how many.
    left: Mapping[str, int] = field(default_factory=dict)

    def name(self, number: int) -> str:
        """`owner.name(parameters)` of a method."""
        _, owner, name, parameters, *_ = self.methods[number].split("\t")
        return f"{owner}.{name}{parameters}"


def questions(plan: Sequence[str], kept: Kept, folder: str, rng: random.Random) -> Questions:
    """What of the plan the patch has as well.

    Args:
        plan: rows that AskPlan.java wrote for the base's classes.
        kept: what the patch has, of all modules.
        folder: the module.
        rng: what draws a sample of methods and constants, where there are many.
    """
    own = set(kept.classes.get(folder, ()))
    cells_of = [row.split("\t") for row in plan[:_MOST_ROWS]]
    # What objects are that keep it in fields of other names is what they say of themselves.
    other = {cells[0] for of, *cells in cells_of if of == "field" and not kept.has_row(of, cells)}
    rows: list[str] = []
    methods: list[str] = []
    left: Counter[str] = Counter()
    wider: dict[str, None] = {}
    for row, (of, *cells) in zip(plan, cells_of, strict=False):
        if of == "unread":
            left["its class cannot be loaded"] += 1
        elif of in _ROWS:
            rows += [row] if kept.has_row(of, cells) else []
        elif of == "enum" and (names := kept.constants(cells[0], cells[1].split(","))):
            rows.append(f"enum\t{cells[0]}\t{','.join(names)}")
        elif of in _MEMBER:
            kind, owner, name, parameters, *_ = cells[_MEMBER[of] - 1 :]
            if f"{owner.replace('.', '/')}.{name}{parameters}" in kept.reaching:
                why = "it reaches files, threads, the network or a library of the JDK"
            elif kind == "field":
                why = "" if kept.has_field(owner, name, parameters) else GONE
            else:
                now = kept.parameters(owner, name, parameters)
                why = GONE if now is None else ""
                if now is not None and now != kept.descriptor(parameters):
                    wider[f"wider\t{owner}.{name}{parameters}\t{now}"] = None
            if why and of == "method" and owner in own:
                left[why] += 1
            elif not why:
                (methods if of == "method" else rows).append(row)
                if (of, kind, parameters) == ("method", "instance", "()") and owner in other:
                    rows.append(f"said\t{owner}\t{name}")
    methods = [row for row in methods if row.split("\t")[2] in own]
    asked = rng.sample(methods, min(MOST_METHODS, len(methods)))
    if len(asked) < len(methods):
        left["others were drawn"] = len(methods) - len(asked)
    made = {row.split("\t")[1] for row in rows if row.startswith("maker\t")}
    twins = [f"method\ttwins\t{name}\ttwins\t()\t" for name in sorted(made & own)]
    asked += rng.sample(twins, min(_MOST_TWINS, len(twins)))
    chosen = enumerate(sorted(asked))
    rows += _constants(kept.compiled, folder, rng)
    rows += ["ascii"] if kept.names_no_charset else []
    return Questions(
        tuple(rows),
        {number: row.partition("\t")[2] for number, row in chosen},
        tuple(wider),
        dict(left),
    )


class Kept:
    """What the patched code has of the base's, by the base's names."""

    def __init__(self, compiled: OwnCompile, renamed: Mapping[str, str]) -> None:
        """Read all classes, once for all modules.

        Args:
            compiled: the patched tree and the base's code.
            renamed: class of the base -> the patch's.
        """
        self.compiled = compiled
        #: Folder of a module -> the base's classes.
        self.classes: dict[str, list[str]] = {}
        for name, (folder, _) in compiled.classes(BASE_MAIN).items():
            self.classes.setdefault(folder, []).append(name)
        #: Methods of the base that reach outside, as `owner.name(parameters)`.
        self.reaching = frozenset(
            each.rpartition(")")[0] + ")" for each in outward(compiled, BASE_MAIN)
        )
        #: Does the base leave it to the machine how letters are written?
        self.names_no_charset = names_no_charset(compiled, BASE_MAIN)
        self._own = inherited_of(compiled, {MAIN})
        self._renamed = with_slashes(renamed)

    def _class(self, name: str) -> Inherited | None:
        return self._own.get(self._new(name.replace(".", "/")))

    def _new(self, name: str) -> str:
        return new_name(name, self._renamed)

    def descriptor(self, text: str) -> str:
        """By the names of the patch."""
        return new_descriptor(text, self._renamed)

    def has(self, name: str) -> bool:
        """Has it a class of the base?"""
        return self._class(name) is not None

    def has_row(self, of: str, cells: Sequence[str]) -> bool:
        """Has it all that a row of the plan names?"""
        return self.has_field(*cells[:3]) if of == "field" else all(map(self.has, cells))

    def has_field(self, owner: str, name: str, descriptor: str) -> bool:
        """Has it a field of the base?"""
        found = self._class(owner)
        return found is not None and name + self.descriptor(descriptor) in found.members

    def constants(self, owner: str, names: Iterable[str]) -> list[str]:
        """Those of an enumeration that it has."""
        descriptor = f"L{owner.replace('.', '/')};"
        return [each for each in names if self.has_field(owner, each, descriptor)]

    def parameters(self, owner: str, name: str, parameters: str) -> str | None:
        """Those of the patch's method: the same, or of one that takes whatever the base's takes.

        What it returns is no matter: what it answers is compared.
        """
        wanted = self.descriptor(parameters)
        wider: list[str] = []
        for found in lineage(self._new(owner.replace(".", "/")), self._own):
            for each in sorted(found.members):
                of, bracket, rest = each.partition("(")
                now = f"({rest.rpartition(')')[0]})"
                if bracket and of == name and now == wanted:
                    return wanted
                varargs = each in found.varargs
                if bracket and of == name and self._takes(now, wanted, varargs=varargs):
                    wider.append(now)
            if name == "<init>":
                # Constructors are not inherited.
                break
        return wider[0] if wider else None

    def _takes(self, wider: str, wanted: str, *, varargs: bool) -> bool:
        now, before = (TYPE.findall(each) for each in (wider, wanted))
        if len(now) == len(before) and all(map(self._is_above, now, before)):
            return True
        # The last of them may have become several: `of(double, double...)`.
        if not varargs or len(before) < len(now) - 1:
            return False
        now = [*now[:-1], *[now[-1][1:]] * (len(before) - len(now) + 1)]
        return all(map(self._is_above, now, before))

    def _is_above(self, wider: str, one: str) -> bool:
        if wider == one or wider in _WIDER.get(one, ()):
            return True
        if wider == "Ljava/lang/Object;":
            return len(one) > 1
        pending, seen = [one], set[str]()
        while pending:
            each = pending.pop()
            if each == wider:
                return True
            if each not in seen:
                seen.add(each)
                own = self._own.get(each[1:-1]) if each[0] == "L" else None
                above = tuple(f"L{name};" for name in own.above) if own else ()
                pending += [*above, *_WIDER.get(each, ())]
        return False


def renames(compiled: OwnCompile, renamed: Mapping[str, str]) -> list[str]:
    """Rows that tell which class of the patch stands for one of the base."""
    known = compiled.classes(BASE_MAIN)
    found = []
    for name in sorted(known):
        new = new_name(name, renamed)
        if new != name:
            found.append(f"renamed\t{name}\t{new}")
    return found


def _constants(compiled: OwnCompile, folder: str, rng: random.Random) -> Iterator[str]:
    """Numbers and texts of base, base's tests and patch."""
    found: dict[str, set[str]] = {}
    for kind in (MAIN, BASE_MAIN, BASE_BOTH):
        own = found.setdefault(kind, set())
        for of, path in compiled.classes(kind).values():
            if of == folder:
                try:
                    own.update(_constants_of(compiled.content(path)))
                except UNREADABLE:
                    continue
    known = found[BASE_MAIN] | found[BASE_BOTH]
    new, old = sorted(found[MAIN] - known), sorted(known)
    drawn = rng.sample(old, min(_MOST_CONSTANTS, len(old)))
    yield from drawn
    # One in four is the patch's own: what code looks for, it has to name.
    wanted = max(1, len(drawn) // 3)
    for _ in range(math.ceil(wanted / len(new)) if new else 0):
        yield from rng.sample(new, min(_MOST_CONSTANTS, len(new)))


def _constants_of(content: bytes) -> Iterator[str]:
    constants = Constants(content)
    for at in constants.places.values():
        tag = content[at]
        if tag in _NUMBERS:
            (number,) = struct.unpack_from(_NUMBERS[tag], content, at + 1)
            if math.isfinite(number):
                yield f"number\t{float(number)!r}"
        elif tag == _TEXT:
            # Java's own UTF-8 differs for what hardly any text has.
            text = constants.text(constants.short(at + 1))
            if len(text) <= _LONGEST_TEXT:
                plain = text.decode("utf-8", "replace").encode()
                yield f"text\t{base64.b64encode(plain).decode()}"
    for said in said_of(content).members.values():
        yield from (f"number\t{float(each)!r}" for each in said.numbers)
