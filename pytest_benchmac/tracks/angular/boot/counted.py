"""What of the base's walks counts: steps without noise, each with the case's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from pytest_benchmac.tracks.angular.boot.similarity import multiset_f1
from pytest_benchmac.tracks.angular.boot.walked import Thing, Walk, WalkedStep, Walks

#: So many characters, at least, has a text that is known again where it is shown.
KNOWN_AGAIN = 5


@dataclass(frozen=True)
class Counted:
    """A step that the base took twice with the same result, without what differed between both."""

    base: WalkedStep
    #: The same when it was taken once more.
    again: WalkedStep
    #: None where it is missing.
    case: WalkedStep | None
    #: The step before it in the same walk, where that counts too.
    before: Counted | None
    #: The case's next step, where it has one.
    after: WalkedStep | None
    #: How many things the base showed that it did not show again: times, random ids.
    noisy: int
    #: See `Margins`.
    step_similarity: float
    #: Number of its walk, and its own in the walk.
    walk: int
    at: int
    #: Has the case done all that the base did up to here, and was it at the same pages then?
    #: Only so long what it shows and sends is comparable in detail.
    together: bool
    #: Had it up to the step before this?
    so_far: bool

    @cached_property
    def similarity(self) -> float:
        """F1 of what is shown; 0 where the case did not take the step."""
        if self.case is None or not self.case.done:
            return 0.0
        shown = Counter(read(self.case.things))
        more = list((shown - Counter(read(self.base.things))).elements())
        # What is another each time is a third one here, which neither walk of the base has.
        shown -= Counter(more[: self.noisy])
        return multiset_f1(read(self.base.things), list(shown.elements()))

    @property
    def alike(self) -> bool:
        """Did the case take the step, and get to a page that is like the base's?"""
        same = self.case is not None and self.case.path == self.base.path
        return same and self.similarity >= self.step_similarity


def read(things: Iterable[Thing]) -> list[tuple[str, str]]:
    """Role and name, wherever they stand."""
    return [(role, name) for _, role, name in things]


def said(role: str) -> bool:
    """Is this a text, and not what an element is called?"""
    return role == "StaticText"


def together(steps: Iterable[Counted]) -> Iterator[tuple[Counted, WalkedStep]]:
    """The steps that are comparable in detail, each with the case's."""
    for step in steps:
        if step.together and step.case is not None:
            yield step, step.case


def counted(base: Walks, again: Walks, case: Walks, step_similarity: float) -> Iterator[Counted]:
    """The steps that count: taken, settled and ended at the same path both times.

    Args:
        base: the walks as they were found on the base.
        again: the same steps taken on the base once more.
        case: the same steps taken on the case.
        step_similarity: see `Margins`.
    """
    for number, (walk, second) in enumerate(zip(base, again, strict=False)):
        own = case[number] if number < len(case) else ()
        yield from _of_walk(number, walk, second, own, step_similarity)


def _of_walk(
    number: int, base: Walk, again: Walk, case: Walk, step_similarity: float
) -> Iterator[Counted]:
    together, before = True, None
    for at, (step, other) in enumerate(zip(base, again, strict=False)):
        own = case[at] if at < len(case) else None
        if not (step.done and other.done and step.path == other.path):
            together = together and own is not None and own.path in {step.path, other.path}
            before = None
            continue
        if not (step.settled and other.settled):
            before = None
            continue
        noise = set(read(step.things)) ^ set(read(other.things))
        found = Counted(
            base=_without(step, noise),
            again=_without(other, noise),
            case=own and _without(own, noise),
            before=before,
            after=case[at + 1] if at + 1 < len(case) else None,
            noisy=sum(thing in noise for thing in read(step.things)),
            step_similarity=step_similarity,
            walk=number,
            at=at,
            together=together,
            so_far=together,
        )
        together = together and found.alike
        before = replace(found, together=together)
        yield before


def _without(step: WalkedStep, noise: set[tuple[str, str]]) -> WalkedStep:
    things = tuple(each for each in step.things if each[1:] not in noise)
    return step.model_copy(update={"things": things})
