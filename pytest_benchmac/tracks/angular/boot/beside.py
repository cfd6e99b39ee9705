"""What is there beside what pages show: what hands can do, what elements say, what pages keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pytest_benchmac.tracks.angular.boot.counted import Counted, read, together
from pytest_benchmac.tracks.angular.boot.walked import Walks

#: What hands can do that shows with a frame only; `driver/step.mjs` has the words.
_BY_FRAMES = ("the wheel moves", "a finger moves")
#: What a page says to whoever hears it, whatever led there: the same words.
_OF_PAGES = "who hears is told"
#: How hints begin of which more is a fault as well, what hands meet at an element and what who has
#: it read out is told of it: `driver/elements.mjs` has the same.
_NO_MORE = ("to hands: ", "read out: description ")
#: What every page says of itself: `driver/page.mjs` has the same.
_TITLE, _PAPER = "title", "paper"


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

    Only of elements that both pages have as often. What else the case says is no fault, but for
    what hands meet there and for descriptions. Each is told once, whatever it is said of.
    """
    told: set[tuple[str, str]] = set()
    for step, own in together(steps):
        here, there = Counter(read(step.base.things)), Counter(read(own.things))
        base, again, case = (Counter(side.hints) for side in (step.base, step.again, own))
        more = [hint for hint in case - (base | again) if hint[2].startswith(_NO_MORE)]
        for which, hints in (("no", (base & again) - case), ("a new", more)):
            for role, name, hint in hints:
                if (which, hint) not in told and here[role, name] == there[role, name]:
                    told.add((which, hint))
                    yield f"{step.base.did}: {role} {name} has {which} {hint!r}"


def other_kept(base: Walks, steps: Iterable[Counted]) -> Iterator[str]:
    """What a page keeps, or says of itself, and the base does not, or otherwise.

    Titles may be put into other words; but where the base has another page's, it is the wrong one.
    How a page is printed need not be told.

    Args:
        base: its walks.
        steps: those that count.
    """
    titles = {title for walk in base for step in walk if (title := dict(step.kept).get(_TITLE))}
    told: set[str] = set()
    for step, own in together(steps):
        theirs, again, case = (dict(side.kept) for side in (step.base, step.again, own))
        for name in sorted({*theirs, *case}):
            wanted, kept = theirs.get(name), case.get(name)
            if kept in {wanted, again.get(name)} or wanted != again.get(name) or name in told:
                continue
            renamed = name == _TITLE and kept not in titles
            if renamed or (name == _PAPER and not kept):
                continue
            told.add(name)
            yield f"{step.base.did}: {name} is {kept!r}; in the base {wanted!r}"
