"""What is there beside what pages show: what hands can do, and what elements say of themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pytest_benchmac.tracks.angular.boot.counted import Counted, read, together
from pytest_benchmac.tracks.angular.boot.walked import State

#: What hands can do that shows with a frame only; `driver/step.mjs` has the words.
_BY_FRAMES = ("the wheel moves", "a finger moves")
#: What a page says to whoever hears it, whatever led there: the same words.
_OF_PAGES = "who hears is told"


def lost_hands(steps: Iterable[Counted]) -> Iterator[str]:
    """What hands can do in a step of the base, both times, and cannot in the case's.

    What shows with a frame only has to be so at two steps: a frame may be late.
    """
    lost: list[tuple[str, str]] = []
    for step in steps:
        if step.case is not None and step.case.done and step.so_far:
            for what in step.base.worked:
                # What is said of another page is not this page's.
                elsewhere = what.startswith(_OF_PAGES) and step.case.path != step.base.path
                if what in step.again.worked and what not in step.case.worked and not elsewhere:
                    lost.append((step.base.did, what))
    times = Counter(what for _, what in lost)
    for did, what in lost:
        if times[what] > 1 or not what.startswith(_BY_FRAMES):
            yield f"{did}: of the base alone it is true that {what}"


def lost_hints(steps: Iterable[Counted]) -> Iterator[str]:
    """What elements say of themselves beside their names, in the base alone: a tooltip, say.

    Only of elements that both pages have as often. What else the case says is no fault.
    """
    told: set[State] = set()
    for step, own in together(steps):
        here, there = Counter(read(step.base.things)), Counter(read(own.things))
        both = Counter(step.base.hints) & Counter(step.again.hints)
        for role, name, hint in both - Counter(own.hints):
            known = (role, name, hint)
            if known not in told and here[role, name] == there[role, name]:
                told.add(known)
                yield f"{step.base.did}: {role} {name} has no {hint!r}"
