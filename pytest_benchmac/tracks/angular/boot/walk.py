"""Whether a case does on a walk what the base does: pure functions of what the walks saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Annotated, TypedDict

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.angular.boot.answered import gone_texts
from pytest_benchmac.tracks.angular.boot.beside import (
    lost_hands,
    lost_hints,
    other_focus,
    other_kept,
)
from pytest_benchmac.tracks.angular.boot.counted import Counted, counted, read, together
from pytest_benchmac.tracks.angular.boot.effects import (
    dead_steps,
    lost_texts,
    new_hosts,
    new_writes,
    other_counts,
    other_orders,
    other_sounds,
    other_states,
    walk_errors,
    wrong_answers,
    wrong_figures,
    wrong_values,
)
from pytest_benchmac.tracks.angular.boot.links import new_links, other_links
from pytest_benchmac.tracks.angular.boot.margins import ALIKE, Margins, Share
from pytest_benchmac.tracks.angular.boot.queries import new_queries
from pytest_benchmac.tracks.angular.boot.unsent import unsent_writes
from pytest_benchmac.tracks.angular.boot.walked import WalkedCall, WalkedStep, Walks

#: What is named in a record of each kind.
NAMED = 20
#: Share of the steps that may go another way in one boot, where they do not in another one: what is
#: late on a busy machine.
_PASSING = 0.1
#: Share of the base's steps that it has to take once more: what it does not counts nowhere.
_STEPS_TWICE = 0.5


class WalkResult(Model):
    """How a case's walks compare with the base's. Lists name at most twenty."""

    #: Steps that the base took (twice with the same result), and how many of them the case took.
    steps: Annotated[int, Field(ge=0)]
    taken: Annotated[int, Field(ge=0)]
    #: Did the base take them twice? Only where the case's differ: to tell a difference from noise.
    twice: bool = True
    #: Steps that the case did not take.
    not_taken: tuple[ForeignText, ...] = ()
    #: Steps after which it was elsewhere.
    elsewhere: tuple[ForeignText, ...] = ()
    #: Steps after which its page was less like the base's than it has to be.
    unlike: tuple[ForeignText, ...] = ()
    #: How many addresses that were opened, and how many other steps, are in one of these lists.
    wrong_addresses: Annotated[int, Field(ge=0)] = 0
    wrong_actions: Annotated[int, Field(ge=0)] = 0
    #: Those other steps, by the numbers of walk and step, and how many of them another boot of the
    #: same case took as the base does: see `once_more`.
    wrong_steps: tuple[tuple[int, int], ...] = ()
    passing: Annotated[int, Field(ge=0)] = 0
    #: How many values, and steps that send what is named above, only tell that it did.
    wrong_ways: Annotated[int, Field(ge=0)] = 0
    #: How many other steps may be: a redesign changes what a button does. Addresses may not.
    allowed_actions: Annotated[int, Field(ge=0)] = 0
    #: Mean and lowest F1 of (role, name) pairs over the steps taken; None without any.
    similarity: Share | None = None
    lowest: Share | None = None
    #: Requests that the base sent both times: how many kinds, and those that the case never sent.
    calls: Annotated[int, Field(ge=0)] = 0
    calls_gone: tuple[ForeignText, ...] = ()
    #: Those of them that the base sends only after steps where the case went another way, or at
    #: such a step beside another one that the case sent.
    calls_after: tuple[ForeignText, ...] = ()
    #: Those that only read (GET) and are gone, where they are few: no fault.
    reads_gone: tuple[ForeignText, ...] = ()
    #: Components that the base showed, and those that the case shows next to nothing of.
    components: Annotated[int, Field(ge=0)] = 0
    components_gone: tuple[ForeignText, ...] = ()
    #: Steps up to which the case did what the base did: what follows is compared after these only.
    together: Annotated[int, Field(ge=0)] = 0
    #: Steps that change what the base shows, and nothing here.
    dead: tuple[ForeignText, ...] = ()
    #: What hands can do in the base alone.
    hands: tuple[ForeignText, ...] = ()
    #: What elements say beside their names in the base alone.
    hints: tuple[ForeignText, ...] = ()
    #: What pages keep, or say of themselves, otherwise than the base's.
    kept: tuple[ForeignText, ...] = ()
    #: What has the focus, and not in the base.
    focus: tuple[ForeignText, ...] = ()
    #: Names and texts of the base's pages that the case's lack, where they are more than a few.
    gone: tuple[ForeignText, ...] = ()
    #: What is said instead of what the base says, which says it elsewhere.
    answers: tuple[ForeignText, ...] = ()
    #: Texts that were entered, and are not shown as in the base.
    lost: tuple[ForeignText, ...] = ()
    #: Texts of the back end that are not shown as in the base.
    answered: tuple[ForeignText, ...] = ()
    #: Links whose addresses lead elsewhere, where they are more than a few.
    links: tuple[ForeignText, ...] = ()
    #: Texts that are the base's with other numbers, or are read out with others.
    figures: tuple[ForeignText, ...] = ()
    #: Components that show the base's texts in another order, and fields with other values.
    orders: tuple[ForeignText, ...] = ()
    states: tuple[ForeignText, ...] = ()
    #: Requests that are sent more or less often, and values in them that are others.
    counts: tuple[ForeignText, ...] = ()
    values: tuple[ForeignText, ...] = ()
    #: What was entered, and sent by the base alone, though both show the same: see `is_sure`.
    unsent: tuple[ForeignText, ...] = ()
    #: Errors and hosts that the base has nowhere.
    errors: tuple[ForeignText, ...] = ()
    #: Those only after a step at which the case went another way; each counts as one more.
    errors_after: tuple[ForeignText, ...] = ()
    hosts: tuple[ForeignText, ...] = ()
    #: Pages with texts that nobody sees, and that are seen on the base's.
    hidden: tuple[ForeignText, ...] = ()

    @property
    def differs(self) -> bool:
        """Did the case do anything otherwise, be it noise or within what is allowed?"""
        wrong = self.wrong_addresses + self.wrong_actions + self.wrong_ways
        return bool(wrong or self.reads_gone or walk_faults(self))

    @property
    def is_sure(self) -> bool:
        """Is there something wrong that no busy machine brings about, so that one boot says it?"""
        return bool(self.unsent)


def compare_walks(
    base: Walks,
    again: Walks | None,
    case: Walks,
    *,
    max_other_steps: float,
    margins: Margins,
    other_values: Set[str] = frozenset(),
    literals: Set[str] = frozenset(),
    answered: Set[str] = frozenset(),
    known_errors: Set[str] = frozenset(),
    known_hosts: Set[str] = frozenset(),
    libraries: Set[str] = frozenset(),
    hidden: Mapping[tuple[int, int], Sequence[str]] = MappingProxyType({}),
) -> WalkResult:
    """Hold a case's walks against the base's.

    What differs between the base's two is noise, and counts nowhere: a step counts when it was
    taken, settled and ended at the same path both times, a thing or request when it was there both
    times.

    Args:
        base: the walks as they were found on the base.
        again: the same steps taken on the base once more; None where they were not: all of it
            counts then.
        case: the same steps taken on the case; missing ones count as not taken.
        max_other_steps: share of the steps that may go another way, see `Boot`.
        margins: how much less than the base's the case's may show.
        other_values: what of requests is compared with nothing, see `Boot`.
        literals: strings that the base's scripts have.
        answered: texts that the back end answers and that nothing else could know.
        known_errors: keys of errors that the base's declared pages have.
        known_hosts: hosts that they ask in vain.
        libraries: names of components that packages define, at the base and in the case.
        hidden: what is told of what nobody sees after a step, by the numbers of walk and step.
    """
    twice = again is not None
    again = base if again is None else again
    steps = list(counted(base, again, case, margins.step_similarity))
    taken = [step for step in steps if step.case is not None and step.case.done]
    wrong = [step for step in steps if not step.alike]
    # Where an application goes when its back end fails is a matter of its design, as buttons are,
    # and what an address shows after another way is a matter of that way (who is signed in, say).
    actions = [
        step for step in wrong if not step.base.is_address or not step.so_far or step.base.troubled
    ]
    calls = {
        call.kind
        for step in steps
        for call in step.base.calls
        if call.kind in {other.kind for other in step.again.calls}
    }
    sent = {call.kind for walk in case for step in walk for call in step.calls}
    with_case = {
        call.kind
        for step in steps
        if step.so_far
        for call in step.base.calls
        if not _beside(call, step)
    }
    few = {call for call in calls - sent if call.method == "GET"}
    if len(few) > margins.reads_gone * sum(call.method == "GET" for call in calls):
        few = set()
    gone = calls - sent - few
    after = gone - with_case
    unsent = sum(not after.isdisjoint(call.kind for call in step.base.calls) for step in steps)
    states = list(other_states(steps))
    redesigned = margins != ALIKE
    left: dict[int, int] = {}
    for step in steps:
        if not step.together:
            left.setdefault(step.walk, step.at)
    errors = list(walk_errors(base, again, case, known_errors, left))
    late = [error for error, apart in errors if apart]
    links, compared = other_links(steps, redesigned=redesigned)
    queries = () if redesigned else new_queries(base, again, steps)
    shares = [step.similarity for step in taken]
    return WalkResult(
        steps=len(steps),
        taken=len(taken),
        twice=twice,
        not_taken=_some(
            f"{step.base.did}: {'' if step.case is None else step.case.problem}"
            for step in steps
            if step.case is None or not step.case.done
        ),
        elsewhere=_some(
            f"{step.base.did}: ended at {step.case.path}; the base at {step.base.path}"
            for step in taken
            if step.case is not None and step.case.path != step.base.path
        ),
        unlike=_some(
            f"{step.base.did}: similarity {step.similarity:.3f}"
            for step in taken
            if step.similarity < margins.step_similarity
        ),
        wrong_addresses=len(wrong) - len(actions),
        wrong_actions=len(actions),
        wrong_steps=tuple((step.walk, step.at) for step in actions),
        wrong_ways=len(states) + unsent + len(late),
        allowed_actions=int(max_other_steps * len(steps)),
        similarity=round(sum(shares) / len(shares), 4) if shares else None,
        lowest=round(min(shares), 4) if shares else None,
        calls=len(calls),
        calls_gone=_some(sorted(map(str, gone & with_case))),
        calls_after=_some(sorted(map(str, after))),
        reads_gone=_some(sorted(map(str, few))),
        **_components([step.base for step in steps], case, margins.component_left),
        together=sum(step.together for step in steps),
        dead=_some(dead_steps(steps)),
        hands=_some(lost_hands(steps, redesigned=redesigned)),
        hints=_some(lost_hints(steps, redesigned=redesigned, libraries=libraries)),
        kept=_some(other_kept(base, steps, redesigned=redesigned)),
        focus=_some(() if redesigned else other_focus(steps)),
        gone=_some(_gone(steps, margins.words_gone)),
        answers=_some(wrong_answers(base, steps, literals)),
        lost=_some(lost_texts(base, steps)),
        answered=_some(gone_texts(steps, answered, margins.answers_gone)),
        links=_some(
            (
                *new_links(steps, redesigned=redesigned),
                *(links if len(links) > margins.links_other * compared else ()),
            )
        ),
        figures=_some([*wrong_figures(steps), *other_sounds(base, steps)]),
        orders=_some(other_orders(steps, margins.moved)),
        states=_some(states),
        counts=_some([*other_counts(steps), *new_writes(steps)]),
        values=_some(wrong_values(steps, other_values)),
        unsent=_some(unsent_writes(steps)),
        errors=_some(error for error, apart in errors if not apart),
        errors_after=_some(late),
        # A step that ended on another page counts as that: no texts are looked for there.
        hidden=_some(
            f"{step.base.did}: {told}"
            for step in steps
            if step.alike
            for told in hidden.get((step.walk, step.at), ())
        ),
        hosts=_some((*new_hosts(base, again, case, known_hosts), *queries)),
    )


def _beside(call: WalkedCall, step: Counted) -> bool:
    """Does a step send this only beside what it is for, which the case sent, and left the way then?

    A visitor who was asked to sign in first, say: some applications do then what was wanted before.
    """
    if step.case is None or step.alike:
        return False
    sent = {each.kind for each in step.case.calls if not each.reads}
    wanted = {each.kind for each in step.base.calls if not each.reads}
    return call.kind not in sent and bool(sent & wanted)


def unfinished_walks(base: Walks, again: Walks) -> str:
    """Why a base's walks say too little of a case: it had no time to take them twice; else empty.

    Args:
        base: the walks as they were found on the base; empty for a base that has none.
        again: the same steps taken on the base once more.
    """
    steps = sum(map(len, base))
    taken = sum(
        step.done and other.done
        for walk, second in zip(base, again, strict=False)
        for step, other in zip(walk, second, strict=False)
    )
    if taken >= _STEPS_TWICE * steps:
        return ""
    return f"the untouched base took {taken} of {steps} steps of its walks twice in its time"


class _Components(TypedDict):
    components: int
    components_gone: tuple[str, ...]


def _components(base: Iterable[WalkedStep], case: Walks, left: float) -> _Components:
    shown: dict[str, set[tuple[str, str]]] = {}
    for step in base:
        for component, role, name in step.things:
            shown.setdefault(component, set()).add((role, name))
    seen = {(role, name) for walk in case for step in walk for _, role, name in step.things}
    shares = {name: len(things & seen) / len(things) for name, things in shown.items()}
    return {
        "components": len(shown),
        "components_gone": _some(
            f"<{name}>: {round(share * len(shown[name]))} of {len(shown[name])}"
            for name, share in sorted(shares.items())
            if share < left
        ),
    }


def _gone(steps: Iterable[Counted], share: float) -> list[str]:
    """What the base's pages show and the case's do not, where it is more than a share of it all."""
    wanted: set[tuple[str, str]] = set()
    gone: dict[tuple[str, str], str] = {}
    for step, own in together(steps):
        shown = set(read(own.things))
        for thing in read(step.base.things):
            wanted.add(thing)
            if thing not in shown:
                gone.setdefault(thing, step.base.did)
    if len(gone) <= share * len(wanted):
        return []
    of = f"one of {len(gone)} of {len(wanted)} different names and texts that are gone"
    return [f"{did}: does not show {role} {name!r}, {of}" for (role, name), did in gone.items()]


def _some(told: Iterable[str]) -> tuple[str, ...]:
    found = list(told)
    more = len(found) - NAMED
    return tuple(found[:NAMED]) + ((f"and {more} more",) if more > 0 else ())


def once_more(result: WalkResult, earlier: WalkResult) -> WalkResult:
    """What the walks of a case's second boot say, with what its first one did.

    Args:
        result: of the second boot.
        earlier: of the first one, which took the same steps.
    """
    passing = set(result.wrong_steps) - set(earlier.wrong_steps)
    return result.model_copy(update={"passing": len(passing)})


def walk_faults(result: WalkResult) -> list[str]:
    """Everything that a walk holds against a case, one sentence each; empty for nothing."""
    # A redesign fills its forms in other moments, and what is sent after a step that it does
    # otherwise cannot be asked of it: these count among the steps that may differ.
    late = result.passing if result.passing <= _PASSING * result.steps else 0
    actions = result.wrong_actions - late
    # What is late may leave one thing unsaid that follows from it.
    few = actions + result.wrong_ways <= result.allowed_actions + late
    states = () if few else result.states
    calls = result.calls_gone if few else (*result.calls_gone, *result.calls_after)
    errors = result.errors if few else (*result.errors, *result.errors_after)
    gone = [
        *(f"walk: the base sends {each}; this never does" for each in calls),
        *(f"walk: of what the base shows in {each} is left" for each in result.components_gone),
        *(f"walk: {each}" for each in (*result.dead, *result.hands, *result.hints)),
        *(f"walk: {each}" for each in (*result.kept, *result.focus, *result.figures)),
        *(f"walk: {each}" for each in (*result.gone, *result.answers, *result.lost)),
        *(f"walk: {each}" for each in (*result.answered, *result.links)),
        *(f"walk: {each}" for each in (*result.orders, *states)),
        *(f"walk: {each}" for each in (*result.counts, *result.values, *result.unsent)),
        *(f"walk: {each}" for each in result.hidden),
        *(f"walk: error: {each}" for each in errors),
        *(f"walk: asks {each}, which the base never does" for each in result.hosts),
    ]
    if not result.wrong_addresses and actions <= result.allowed_actions:
        return gone
    return [
        *(f"walk: cannot {each}" for each in result.not_taken),
        *(f"walk: {each}" for each in result.elsewhere),
        *(f"walk: {each}" for each in result.unlike),
        *gone,
    ]
