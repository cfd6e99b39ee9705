"""What classes declare to those who use them: types, members, and what they inherit from.

Told by the compiler (Declared.java) of what the harness compiled, in rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile

#: Of a module.
_DECLARED, _USED = "declared.txt", "used.txt"
#: Of all modules.
_DECLARED_BYTES = 64 * MIB
#: No type inherits from more.
_MOST_ABOVE = 1_000
#: Whose type it is: of the module, inherited from, or named by a signature.
OWN, ABOVE = "own", "above"
CONSTRUCTOR, METHOD, CONSTANT = "CONSTRUCTOR", "METHOD", "ENUM_CONSTANT"
_OPEN = frozenset({"public", "protected"})
OBJECT = "java.lang.Object"
_RANKS = {OWN: 2, ABOVE: 1}
#: Cells behind the first of a row.
_CELLS = 7


@dataclass(frozen=True)
class Member:
    """A public or protected member."""

    #: As `javax.lang.model.element.ElementKind` has it.
    kind: str
    name: str
    descriptor: str
    #: Modifiers; `varargs`, and `defaulted` for what annotations need not name.
    flags: frozenset[str]
    #: Its types with their arguments, type variables as `%0` (of the class) and `#0`.
    generic: str
    throws: tuple[str, ...]
    #: Type and value of a constant; empty if it is none.
    constant: str

    @property
    def key(self) -> str:
        """By what a class file calls it, without what it returns."""
        return f"{self.name}{self.descriptor.rpartition(')')[0] or self.descriptor}"

    @property
    def plain(self) -> str:
        """As people read it."""
        if self.kind == CONSTRUCTOR or self.descriptor.startswith("("):
            return f"{self.name}{self.descriptor}"
        return self.name


@dataclass(frozen=True)
class Type:
    """A class, interface, enumeration, record or annotation, by the name of its class file."""

    whose: str
    name: str
    #: The type that it stands in; empty for none.
    outer: str
    #: As `javax.lang.model.element.ElementKind` has it.
    kind: str
    #: Modifiers, and how long an annotation is kept.
    flags: frozenset[str]
    #: Superclass and interfaces.
    above: tuple[str, ...]
    generic: str
    members: tuple[Member, ...] = field(default=(), repr=False)

    def constants(self) -> tuple[str, ...]:
        """Of an enumeration, in their order."""
        return tuple(each.name for each in self.members if each.kind == CONSTANT)

    def is_extendable(self) -> bool:
        """May classes of others inherit from it?"""
        if self.kind in ("INTERFACE", "ANNOTATION_TYPE"):
            return "sealed" not in self.flags
        made = any(each.kind == CONSTRUCTOR for each in self.members)
        return made and not {"final", "sealed"} & self.flags and self.kind == "CLASS"


class Declared:
    """All types of a project, and what they inherit from, by name."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self.types = types
        self._above: dict[str, tuple[str, ...]] = {}
        #: Type -> members by name.
        self._members: dict[str, dict[str, list[Member]]] = {}

    def own(self) -> Iterator[Type]:
        """Those of the project, in the order of their names."""
        yield from (each for _, each in sorted(self.types.items()) if each.whose == OWN)

    def lineage(self, name: str) -> Iterator[Type]:
        """A type and all that it inherits from, the nearest first, as far as they are known."""
        for each in self.names_above(name):
            if each in self.types:
                yield self.types[each]

    def names_above(self, name: str) -> tuple[str, ...]:
        """A type and all that it inherits from, up to a bound; everything does from Object."""
        if name not in self._above:
            found: dict[str, None] = {}
            pending = [name]
            for each in pending:
                if len(found) < _MOST_ABOVE and each not in found:
                    found[each] = None
                    pending += self.types[each].above if each in self.types else ()
            self._above[name] = tuple({**found, OBJECT: None})
        return self._above[name]

    def named(self, of: Type, name: str) -> list[Member]:
        """Members of that name, a type's own first; constructors are not inherited."""
        return [
            each
            for above in self.lineage(of.name)
            for each in self._named_in(above, name)
            if above is of or each.kind != CONSTRUCTOR
        ]

    def _named_in(self, of: Type, name: str) -> Sequence[Member]:
        if of.name not in self._members:
            found = self._members[of.name] = {}
            for each in of.members:
                found.setdefault(each.name, []).append(each)
        return self._members[of.name].get(name, ())

    def is_open(self, each: Type) -> bool:
        """May others name it?"""
        while _OPEN & each.flags:
            if not each.outer:
                return True
            if each.outer not in self.types:
                return False
            each = self.types[each.outer]
        return False

    def offered(self, of: Type) -> Iterator[Member]:
        """What others may use of an open type, and no other open type of the project tells."""
        extendable = of.is_extendable()
        for above in self.lineage(of.name):
            if above is not of and (above.whose != OWN or self.is_open(above)):
                continue
            for each in above.members:
                if above is not of and each.kind == CONSTRUCTOR:
                    continue
                if "public" in each.flags or extendable:
                    yield each

    def inherited(self, of: Type, member: Member) -> bool:
        """Is it one of a type's that is none of the project's?"""
        return any(
            each.key == member.key
            for above in self.lineage(of.name)
            if above.whose != OWN
            for each in self._named_in(above, member.name)
        )


def rows_of(compiled: OwnCompile) -> dict[str, list[str]]:
    """Folder of each module that compiled -> the rows of what it declares."""
    found: dict[str, list[str]] = {}
    left = _DECLARED_BYTES
    for number, module in enumerate(compiled.modules):
        text = compiled.out.read(f"{number}/{_DECLARED}", left)
        if text is not None:
            left -= len(text)
            found[module.folder] = text.decode("utf-8", "replace").split("\n")
    return found


def needed_by(compiled: OwnCompile) -> dict[str, list[str]]:
    """Folder of each module that compiled -> addresses of the libraries that its code names."""
    found: dict[str, list[str]] = {}
    for number, module in enumerate(compiled.modules):
        text = compiled.out.read(f"{number}/{_USED}", _DECLARED_BYTES) or b""
        found[module.folder] = text.decode("utf-8", "replace").splitlines()
    return found


def kept_rows(compiled: OwnCompile) -> dict[str, list[str]]:
    """`rows_of` a base, for its facts; of what it inherits, only what it has itself as well."""
    return {folder: list(_kept(rows)) for folder, rows in rows_of(compiled).items()}


def _kept(rows: Iterable[str]) -> Iterator[str]:
    # A module's own types are told first.
    whose, own = "", set[str]()
    for row in rows:
        of, *cells = row.split("\t")
        if of == "type":
            whose = cells[0]
        elif of == "member":
            member = "\t".join(cells[1:3])
            if whose == OWN:
                own.add(member)
            elif member not in own:
                continue
        if row:
            yield row


def read_rows(rows: Iterable[str]) -> Declared:
    """What rows of one or more modules tell; of two types of a name, the project's own."""
    types: dict[str, Type] = {}
    current: Type | None = None
    members: list[Member] = []

    def keep() -> None:
        if current is not None:
            known = types.get(current.name)
            if known is None or _RANKS.get(current.whose, 0) > _RANKS.get(known.whose, 0):
                types[current.name] = replace(current, members=tuple(members))

    for row in rows:
        of, *cells = row.split("\t")
        if of == "type" and len(cells) == _CELLS:
            keep()
            members = []
            whose, name, outer, kind, flags, above, generic = cells
            given = frozenset(_list(flags))
            current = Type(whose, name, outer, kind, given, _list(above), generic)
        elif of == "member" and len(cells) == _CELLS:
            kind, name, descriptor, flags, generic, throws, constant = cells
            given = frozenset(_list(flags))
            thrown = _list(throws)
            members.append(Member(kind, name, descriptor, given, generic, thrown, constant))
    keep()
    return Declared(types)


def _list(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(",")) if cell else ()
