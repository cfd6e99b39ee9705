"""What a module descriptor lets others see of an archive's packages.

Layout: The Java Virtual Machine Specification, chapter 4.7.25.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.maven.classfiles import CLASSES
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE, Constants
from pytest_benchmac.tracks.maven.own.declared import Declared, read_rows

DESCRIPTOR = "module-info.class"
_DESCRIPTOR_BYTES = 1 * MIB
#: Packages that are nobody else's by their names.
_INTERNAL = re.compile(r"(?:.*\.)?(?:impl|internal)(?:\..*)?")
_MAIN = "main([Ljava/lang/String;)V"
#: ACC_STATIC_PHASE.
_STATIC = 0x40


def exported(content: bytes) -> frozenset[str]:
    """The packages that a module descriptor exports to everybody.

    Raises:
        ValueError: or struct.error, IndexError, KeyError: it is no class file of a module.
    """
    constants = Constants(content)
    return frozenset(_exports(constants, _module(constants) + 6))


def module_name(content: bytes) -> str:
    """What a module descriptor calls its module. Raises as `exported`."""
    constants = Constants(content)
    return constants.named(constants.short(_module(constants))).decode("utf-8", "replace")


def for_compiling(content: bytes) -> frozenset[str]:
    """The modules that a descriptor requires for compiling only. Raises as `exported`."""
    constants = Constants(content)
    at = _module(constants) + 6
    short = constants.short
    places = range(at + 2, at + 2 + 6 * short(at), 6)
    return frozenset(
        constants.named(short(place)).decode("utf-8", "replace")
        for place in places
        if short(place + 2) & _STATIC
    )


def _module(constants: Constants) -> int:
    """Where the module's attribute says its name."""
    short = constants.short
    at = constants.end + 6
    # Interfaces, fields and methods: it has none.
    at += 2 + 2 * short(at) + 4
    number, at = short(at), at + 2
    for _ in range(number):
        name, size = constants.text(short(at)), short(at + 2) << 16 | short(at + 4)
        if name == b"Module":
            return at + 6
        at += 6 + size
    raise ValueError("no module")


def _exports(constants: Constants, at: int) -> Iterator[str]:
    """Of a module's attribute, from where it counts what it requires."""
    short = constants.short
    at += 2 + 6 * short(at)
    number, at = short(at), at + 2
    for _ in range(number):
        receivers = short(at + 4)
        if not receivers:
            yield constants.named(short(at)).decode("latin-1").replace("/", ".")
        at += 6 + 2 * receivers


def descriptors(classes: SourceTree, folders: Collection[str]) -> dict[str, frozenset[str]]:
    """Folder of each module with a descriptor -> what that exports; nothing if it is unreadable."""
    found: dict[str, frozenset[str]] = {}
    for folder in folders:
        path = f"{folder}/{CLASSES}/{DESCRIPTOR}".lstrip("/")
        if path in classes.files:
            try:
                found[folder] = exported(classes.read(path, _DESCRIPTOR_BYTES) or b"")
            except UNREADABLE:
                found[folder] = frozenset()
    return found


def hidden(
    base: Mapping[str, Sequence[str]],
    before: Mapping[str, Collection[str]],
    after: Mapping[str, Collection[str]],
) -> Iterator[tuple[str, str, bool]]:
    """Folder and package that others cannot see any more, and whether that may be honest.

    An application's packages are nobody else's, nor are those that say so.

    Args:
        base: folder -> rows of what the base declares.
        before: folder -> packages that the base's descriptor exports, if it has one.
        after: the same of the patch.
    """
    for folder, shown in sorted(after.items()):
        declared = read_rows(base.get(folder, ()))
        application = _is_application(declared)
        open_types = (each.name for each in declared.own() if declared.is_open(each))
        packages = {name.rpartition(".")[0] for name in open_types}
        for package in sorted(before.get(folder, packages)):
            if package not in shown:
                yield folder, package, application or bool(_INTERNAL.fullmatch(package))


def _is_application(declared: Declared) -> bool:
    return any(
        member.name + member.descriptor == _MAIN and {"public", "static"} <= member.flags
        for each in declared.own()
        for member in each.members
    )
