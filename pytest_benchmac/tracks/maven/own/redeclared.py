"""What a patch declares otherwise than the base, and takes from those who use the code by that.

All that a base offers is compared; what may differ is listed here: names that Java took, what
follows a library or a part of the JDK that is another, and what takes nothing from anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_benchmac.tracks.maven.own.conversions import TYPE, Conversions, parameters, result
from pytest_benchmac.tracks.maven.own.declared import (
    CONSTRUCTOR,
    METHOD,
    OWN,
    Declared,
    Member,
    Type,
)
from pytest_benchmac.tracks.maven.own.generics import adds_arguments, divided
from pytest_benchmac.tracks.maven.own.renaming import new_descriptor, new_name, with_slashes

#: Names that are no identifiers, or no types, of a later Java any more.
TAKEN = frozenset({"_", "assert", "enum", "permits", "record", "sealed", "var", "yield"})
#: Classes of `java.lang` that came later: a class of the project that is imported with `*` is
#: ambiguous beside them.
_AMBIGUOUS = frozenset({"Module", "ModuleLayer", "ProcessHandle", "Record", "StackWalker"})
#: What later Javas have not, hide, or have told everybody to leave.
_LEFT = re.compile(
    r"javax\.(?!(accessibility|crypto|imageio|lang|management|naming|net|print|script|security|sound"
    r"|sql|swing|tools|xml\.(catalog|crypto|datatype|namespace|parsers|stream|transform|validation"
    r"|xpath))\.).*"
    r"|(jdk|sun|com\.sun(?!\.net\.httpserver)|org\.omg|javafx|netscape)\..*"
    r"|java\.(applet|awt\.(dnd\.)?peer|rmi\.activation|security\.acl)\..*"
    r"|java\.(lang\.(Compiler|SecurityManager)|security\.AccessController"
    r"|util\.(Observable|Observer|jar\.Pack200\S*))"
)
#: Exceptions that callers need not catch.
_UNCHECKED = frozenset({"java.lang.RuntimeException", "java.lang.Error"})
_REFLECTIVE = "java.lang.ReflectiveOperationException"
#: Java calls it no more, or will not: whatever becomes of it.
_FINALIZE = "finalize()V"
_NAME = re.compile(r"[\w$]+(?:\.[\w$]+)+")
#: Artifact, version and file, behind the group in a repository.
_OF_GROUP = 3
_RANK = {"public": 2, "protected": 1}


@dataclass(frozen=True)
class Change:
    """Something that others can do with the base, and not with the patched code."""

    #: The type of the base.
    of: str
    what: str
    #: May it be of a migration?
    honest: bool = False


@dataclass(frozen=True)
class Libraries:
    """The libraries of base and patch, by their places in a repository."""

    before: frozenset[str]
    after: frozenset[str]

    def other(self, name: str) -> bool:
        """May a type of a library have been replaced: is its library gone, or another?"""
        gone = self.before - self.after
        own = {each for each in self.before if _may_hold(each, name)}
        return bool(gone & own) if own else bool(gone)


def _may_hold(place: str, name: str) -> bool:
    """May a library at such a place of a repository have a type of such a name?"""
    words = name.split(".")
    group, *rest = place.lstrip("/").split("/")
    if len(rest) == _OF_GROUP:
        # Older libraries, such as `log4j` and `commons-logging`, have no domain for a group.
        return set(group.split("-")) <= set(words)
    return place.lstrip("/").startswith("/".join(words[:2]) + "/")


def changes(
    base: Declared, patch: Declared, renamed: Mapping[str, str], libraries: Libraries
) -> tuple[Change, ...]:
    """All that is declared otherwise, with those first that no migration has a reason for."""
    found = _Comparison(base, patch, renamed, libraries).found()
    return tuple(sorted(dict.fromkeys(found), key=lambda each: each.honest))


class _Comparison:
    def __init__(
        self, base: Declared, patch: Declared, renamed: Mapping[str, str], libraries: Libraries
    ) -> None:
        self._base, self._patch = base, patch
        self._renamed, self._libraries = renamed, libraries
        self._slashed = with_slashes(renamed)
        self._types = Conversions(patch, base)

    def found(self) -> Iterator[Change]:
        for old in self._base.own():
            if self._base.is_open(old):
                yield from (Change(old.name, *each) for each in self._of_type(old))

    def _of_type(self, old: Type) -> Iterator[tuple[str, bool]]:
        name = self._new(old.name)
        new = self._patch.types.get(name)
        if new is None or new.whose != OWN:
            yield "it is gone", self._goes(old)
            return
        if name != old.name and not self._has_one_of(TAKEN, old.name):
            yield f"it is called {name}", self._has_one_of(_AMBIGUOUS, old.name)
        yield from self._of_type_itself(old, new)
        yield from self._above(old, new)
        added: dict[str, None] = {}
        for member in self._base.offered(old):
            for what, honest in self._of_member(old, new, member):
                yield what, honest or member.plain == _FINALIZE
            added.update(dict.fromkeys(self._taking(old, new, member)))
        yield from ((each, False) for each in added)
        yield from self._demanded(old, new)
        if new.constants()[: len(old.constants())] != old.constants():
            yield f"its constants are {', '.join(new.constants())}", False

    def _goes(self, old: Type) -> bool:
        """Is it of a kind that later Javas have no place for?"""
        above = self._base.names_above(old.name)
        package = old.name.rpartition(".")[0]
        return bool(_LEFT.fullmatch(f"{package}.")) or any(map(_LEFT.fullmatch, above))

    @staticmethod
    def _has_one_of(names: frozenset[str], name: str) -> bool:
        """Is a type, or one that it stands in, of one of these names?"""
        return not names.isdisjoint(re.split(r"[.$]", name[name.rfind(".") + 1 :]))

    def _of_type_itself(self, old: Type, new: Type) -> Iterator[tuple[str, bool]]:
        if not self._patch.is_open(new) or _narrower(old.flags, new.flags):
            yield "others cannot name it any more", False
        if ("INTERFACE" in (old.kind, new.kind) or "ANNOTATION_TYPE" in (old.kind, new.kind)) and (
            old.kind != new.kind
        ):
            yield f"it is of another kind: {new.kind.lower()}", False
        if old.is_extendable() and not new.is_extendable():
            yield "others cannot inherit from it any more", _is_namespace(old)
        made = any(each.kind == CONSTRUCTOR for each in old.members)
        if made and "abstract" in new.flags - old.flags:
            yield "it is abstract", False
        if "static" in old.flags ^ new.flags:
            yield f"it is {'' if 'static' in new.flags else 'not '}static", False
        if {each for each in old.flags if each.startswith("retention")} - new.flags:
            yield "annotations of it are kept for another time", False
        (variables, above), (now, others) = (
            divided(self._generic(old.generic)),
            divided(new.generic),
        )
        if variables != now:
            # Without arguments for a type, its members' types have none.
            told = (*above, *(each.generic for each in self._base.offered(old)))
            honest = not variables and not any("<" in each for each in told)
            yield f"its type variables are {now or 'gone'}", honest
        for each in above:
            for other in others:
                if each.partition("<")[0] == other.partition("<")[0]:
                    yield from self._arguments("it", each, other)

    def _above(self, old: Type, new: Type) -> Iterator[tuple[str, bool]]:
        now = set(self._patch.names_above(new.name))
        for each in self._base.lineage(old.name):
            # What a library inherits from is the library's.
            if each.whose != OWN:
                continue
            for name in each.above:
                wanted = self._base.types.get(name)
                own = wanted is not None and wanted.whose == OWN
                if own and wanted is not None and not self._base.is_open(wanted):
                    continue
                if self._new(name) not in now:
                    yield f"it is no {name} any more", not own and self._follows(name)

    def _of_member(self, old: Type, new: Type, member: Member) -> Iterator[tuple[str, bool]]:
        alike = self._alike(new, member)
        if not alike:
            yield self._missing(old, new, member)
            return
        found = alike[0]
        if _narrower(member.flags, found.flags):
            yield f"{member.plain} is not {_access(member.flags)} any more", False
        new_flags, gone = found.flags - member.flags, member.flags - found.flags
        unwanted = {"static"}
        if old.is_extendable() if member.kind == METHOD else True:
            unwanted.add("final")
        if old.is_extendable() and "abstract" in new.flags:
            unwanted.add("abstract")
        for flag in sorted(unwanted & new_flags):
            yield f"{member.plain} is {flag}", False
        for flag in sorted({"static", "varargs", "defaulted"} & gone):
            yield f"{member.plain} is not {flag} any more", False
        if found.generic and found.descriptor == self._descriptor(member.descriptor):
            yield from self._arguments(member.plain, self._generic(member.generic), found.generic)
        yield from self._thrown(member, found)
        if member.constant and member.constant != found.constant:
            yield f"{member.plain} is {found.constant or 'no constant'}", True

    def _missing(self, old: Type, new: Type, member: Member) -> tuple[str, bool]:
        """Why a member is not there by its own signature, and whether that may be honest."""
        text = f"{member.plain} is gone"
        if member.name in TAKEN:
            return text, True
        if self._base.inherited(old, member):
            # A library, or the JDK, asks for it no more.
            return text, True
        for each in self._namesakes(new, member):
            before, after = self._descriptor(member.descriptor), each.descriptor
            if self._followed(member.descriptor, after):
                return f"{member.plain} is {each.plain}", True
            if self._types.all_above(after, before):
                narrower = self._types.is_above(result(before), result(after))
                return f"{member.plain} is {each.plain}", narrower or result(before) == "V"
        if member.kind == CONSTRUCTOR and member.descriptor == "()V":
            return text, _is_namespace(old)
        unknown = any(name not in self._patch.types for name in self._patch.names_above(new.name))
        return text, unknown

    def _alike(self, new: Type, member: Member) -> list[Member]:
        """Those of the patch that a class file of the base would call for this one, nearest first.

        One that returns less stands for the one that it overrides.
        """
        wanted = self._descriptor(member.descriptor)
        found = self._namesakes(new, member)
        if not any(each.descriptor == wanted for each in found):
            return []
        start = wanted.rpartition(")")[0]
        return [
            each
            for each in found
            if each.descriptor == wanted
            or (
                start
                and each.descriptor.startswith(f"{start})")
                and self._types.is_above(result(wanted), result(each.descriptor))
            )
        ]

    def _namesakes(self, new: Type, member: Member) -> list[Member]:
        """Methods for a method, fields for a field."""
        call = member.descriptor.startswith("(")
        named = self._patch.named(new, member.name)
        return [each for each in named if each.descriptor.startswith("(") == call]

    def _arguments(self, what: str, before: str, after: str) -> Iterator[tuple[str, bool]]:
        """What has arguments for its types that are others."""
        if before == after:
            return
        # What had none may have some, and wildcards take more.
        honest = adds_arguments(before, after)
        gone = {*_NAME.findall(before)} - {*_NAME.findall(after)}
        followed = bool(gone) and all(map(self._follows, gone))
        yield f"{what} has the types {after}", honest or followed

    def _thrown(self, member: Member, found: Member) -> Iterator[tuple[str, bool]]:
        before = {self._new(each) for each in member.throws}
        for name in sorted({*found.throws} - before):
            above = set(self._patch.names_above(name))
            if above & (_UNCHECKED | before):
                continue
            honest = _REFLECTIVE in above or name not in self._patch.types
            own = name in self._patch.types and self._patch.types[name].whose == OWN
            outside = not own and not name.startswith("java.")
            yield f"{member.plain} throws {name}", honest or outside

    def _demanded(self, old: Type, new: Type) -> Iterator[tuple[str, bool]]:
        """What those who implement a type have to have, and had not."""
        if not old.is_extendable() or "abstract" not in new.flags:
            return
        known: dict[str, set[str]] = {}
        for above in self._base.lineage(old.name):
            for each in above.members:
                known.setdefault(each.name, set()).add(self._descriptor(each.descriptor))
        for above in self._patch.lineage(new.name):
            for each in above.members if above.whose == OWN else ():
                needed = "abstract" in each.flags and "defaulted" not in each.flags
                if needed and each.descriptor not in known.get(each.name, ()):
                    # One that is another now is told as gone.
                    counts = {len(parameters(one)) for one in known.get(each.name, ())}
                    honest = len(parameters(each.descriptor)) in counts
                    honest = honest or self._patch.inherited(new, each)
                    yield f"{each.plain} is asked of whoever implements it", honest
                    if not honest:
                        return

    def _taking(self, old: Type, new: Type, member: Member) -> Iterator[str]:
        """New methods that take calls which the base's method took."""
        if member.kind not in (METHOD, CONSTRUCTOR):
            return
        known = {
            self._descriptor(each.descriptor)
            for above in self._base.lineage(old.name)
            for each in above.members
            if each.name == member.name
        }
        before = parameters(self._descriptor(member.descriptor))
        for each in self._namesakes(new, member):
            after = parameters(each.descriptor)
            if each.descriptor in known or after == before:
                continue
            spread = before
            if "varargs" in member.flags and "varargs" not in each.flags:
                more = len(after) - len(before) + 1
                spread = [*before[:-1], *[before[-1][1:]] * max(0, more)]
            takes = any(self._types.all_take(after, one) for one in (before, spread))
            if takes and not self._patch.inherited(new, each) and not self._is_bridge(new, member):
                # One is enough; there may be many.
                yield f"{each.plain} takes calls of {member.plain}"
                return

    def _is_bridge(self, new: Type, member: Member) -> bool:
        """Has a class nothing of a method but that it inherits it without a body?

        Then what stands for it is a method with type arguments in its parameters, which the
        compiler has the calls of it go to: `compareTo(A)` of a `Comparable<A>`.
        """
        wanted = self._descriptor(member.descriptor)
        same = [each for each in self._namesakes(new, member) if each.descriptor == wanted]
        complete = new.kind in ("CLASS", "RECORD") and "abstract" not in new.flags
        return complete and bool(same) and all("abstract" in each.flags for each in same)

    def _followed(self, before: str, after: str) -> bool:
        """Do descriptors differ in types only that follow a library or the JDK?"""
        old, new = TYPE.findall(before), TYPE.findall(after)
        if len(old) != len(new):
            return False
        return all(
            self._descriptor(one) == other
            or (one.startswith("L") and self._follows(one[1:-1].replace("/", ".")))
            for one, other in zip(old, new, strict=True)
        )

    def _follows(self, name: str) -> bool:
        """May a type of others have been replaced?"""
        known = self._base.types.get(name)
        if known is not None and known.whose == OWN:
            return False
        if name.startswith("java.") or _LEFT.fullmatch(name):
            return bool(_LEFT.fullmatch(name))
        return self._libraries.other(name)

    def _new(self, name: str) -> str:
        return new_name(name, self._renamed)

    def _descriptor(self, text: str) -> str:
        return new_descriptor(text, self._slashed)

    def _generic(self, text: str) -> str:
        return _NAME.sub(lambda match: self._new(match[0]), text)


def _is_namespace(of: Type) -> bool:
    """Has a class what is static only? Nobody needs an object of it."""
    members = [each for each in of.members if each.kind != CONSTRUCTOR]
    return bool(members) and all("static" in each.flags for each in members)


def _access(flags: Iterable[str]) -> str:
    return max(flags, key=lambda each: _RANK.get(each, 0), default="")


def _narrower(before: frozenset[str], after: frozenset[str]) -> bool:
    return _RANK.get(_access(after), 0) < _RANK.get(_access(before), 0)
