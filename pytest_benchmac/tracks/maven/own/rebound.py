"""Tests of the base that mean other methods than they did, once they are compiled with the patch.

A compiler looks names up anew: a method with closer parameters, beside the one that a test meant,
takes the test's calls, and nobody else's. So does one of two that take its place.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE
from pytest_benchmac.tracks.maven.own.reach import inherited_of
from pytest_benchmac.tracks.maven.own.renaming import new_descriptor, new_name, with_slashes
from pytest_benchmac.tracks.maven.own.samecode import Inherited, called, lineage
from pytest_benchmac.tracks.maven.own.units import BASE_BOTH, BASE_MAIN, BASE_TEST, MAIN


def rebound(compiled: OwnCompile, renamed: Mapping[str, str]) -> dict[str, str]:
    """Test class of the base -> a method of the patched code that it called, and does not now.

    Args:
        compiled: the patched tree, and the base's tests both with it and with the base's code.
        renamed: class of the base -> the patch's.
    """
    found: dict[str, str] = {}
    own, base = inherited_of(compiled, {MAIN}), inherited_of(compiled, {BASE_MAIN})
    before = compiled.classes(BASE_BOTH)
    names = with_slashes(renamed)
    for name, (_, path) in sorted(compiled.classes(BASE_TEST).items()):
        if name not in before:
            continue
        try:
            asked = _calls(compiled, before[name][1])
            was = {_renamed(each, names): each for each in asked}
            now = _calls(compiled, path)
        except UNREADABLE:
            continue
        taken = {each.partition("(")[0] for each in now - was.keys()}
        for call in sorted(was.keys() - now):
            owner, _, member = call.partition(".")
            old = was[call].partition(".")[0]
            left, known = _namesakes(own, owner, member), _namesakes(base, old, member)
            there = member in left or (old in base and len(left) > len(known))
            if call.partition("(")[0] in taken and there:
                found.setdefault(name, call)
    return found


def _calls(compiled: OwnCompile, path: str) -> frozenset[str]:
    return called(compiled.content(path))


def _namesakes(own: Mapping[str, Inherited], owner: str, member: str) -> set[str]:
    """The methods of that name which the class has, or one that it inherits from."""
    start = f"{member.partition('(')[0]}("
    return {
        known for each in lineage(owner, own) for known in each.members if known.startswith(start)
    }


def _renamed(call: str, renamed: Mapping[str, str]) -> str:
    """A call as it is with the patch's names of classes; both have slashes."""
    owner, dot, member = call.partition(".")
    name, bracket, types = member.partition("(")
    return f"{new_name(owner, renamed)}{dot}{name}{bracket}{new_descriptor(types, renamed)}"
