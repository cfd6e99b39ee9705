"""Methods that do more than compute: they, or what they call, reach what is outside of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set

from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE
from pytest_benchmac.tracks.maven.own.reach import inherited_of, kind_of
from pytest_benchmac.tracks.maven.own.samecode import Inherited, lineage, said_of

#: Kinds of calls (see `reach`) that answer without anybody else: asked twice, they tell whether
#: they answer the same.
_INSIDE = frozenset(
    {"", "callers", "reflection", "properties", "clocks", "chance", "the machine", "xml"}
    | {"java.util.logging"}
)
_THREADS = re.compile(
    r"java/lang/Thread\.(<init>|start)\(.*|java/util/Timer\..*"
    r"|java/util/concurrent/(\w*Executor\w*|ForkJoin\w+|CompletableFuture)\..*"
)
_STARTS = "<clinit>()V"


def outward(compiled: OwnCompile, kind: str) -> frozenset[str]:
    """Methods as `owner.name(parameters)result`, by internal names, that reach outside.

    What a class does when it is loaded is done by all that it has.

    Args:
        compiled: what the harness compiled.
        kind: the classes, such as `base-classes`.
    """
    own = inherited_of(compiled, {kind})
    calls: dict[str, set[str]] = {}
    for _, path in compiled.classes(kind).values():
        content = compiled.content(path)
        try:
            said = said_of(content)
        except UNREADABLE:
            continue
        for member, told in said.members.items():
            called = calls.setdefault(f"{said.name}.{member}", set())
            called |= told.calls
            called.add(f"{said.name}.{_STARTS}")
    # Class -> all that inherit from it, and itself.
    below: dict[str, set[str]] = {}
    for name in own:
        for above in lineage(name, own):
            below.setdefault(above.name, set()).add(name)
    callers: dict[str, set[str]] = {}
    found: set[str] = set()
    for caller, called in calls.items():
        for each in called:
            if each.partition(".")[0] not in own and _is_outside(each):
                found.add(caller)
            for target in _targets(each, own, below):
                callers.setdefault(target, set()).add(caller)
    pending = list(found)
    while pending:
        for caller in callers.get(pending.pop(), set()) - found:
            found.add(caller)
            pending.append(caller)
    return frozenset(found)


def _is_outside(call: str) -> bool:
    return kind_of(call) not in _INSIDE or bool(_THREADS.fullmatch(call))


def _targets(
    call: str, own: Mapping[str, Inherited], below: Mapping[str, Set[str]]
) -> Iterator[str]:
    """The project's methods that may answer a call."""
    owner, _, member = call.partition(".")
    if owner in own:
        for each in {*(one.name for one in lineage(owner, own)), *below[owner]}:
            yield f"{each}.{member}"
        yield f"{owner}.{_STARTS}"
