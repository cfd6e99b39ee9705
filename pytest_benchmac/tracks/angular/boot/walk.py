"""Whether a case does on a walk what the base does: pure functions of what the walks saw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, TypedDict

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.angular.boot.config import Share
from pytest_benchmac.tracks.angular.boot.similarity import multiset_f1
from pytest_benchmac.tracks.angular.boot.walked import Thing, WalkedStep, Walks

#: What is named in a record; the rest is counted.
_NAMED = 20
#: F1 below which a page is another one. A redesigned header leaves 0.857 of the page that has least
#: else on it (the thesis's v16 to v17); a filter that no longer filters, 0.63 of ours.
_MIN_SIMILARITY = 0.7
#: Share of the reading requests that may be gone: what they bring is shown, and that is compared.
_READS_GONE = 0.25
#: A component is gone when less than this share of what it showed is shown anywhere.
_COMPONENT_SHARE = 0.5


class WalkResult(Model):
    """How a case's walks compare with the base's. Lists name at most twenty."""

    #: Steps that the base took twice with the same result, and how many of them the case took.
    steps: Annotated[int, Field(ge=0)]
    taken: Annotated[int, Field(ge=0)]
    #: Steps that the case did not take.
    not_taken: tuple[ForeignText, ...] = ()
    #: Steps after which it was elsewhere.
    elsewhere: tuple[ForeignText, ...] = ()
    #: Steps after which its page was less like the base's than it has to be.
    unlike: tuple[ForeignText, ...] = ()
    #: How many addresses that were opened, and how many other steps, are in one of these lists.
    wrong_addresses: Annotated[int, Field(ge=0)] = 0
    wrong_actions: Annotated[int, Field(ge=0)] = 0
    #: How many other steps may be: a redesign changes what a button does. Addresses may not.
    allowed_actions: Annotated[int, Field(ge=0)] = 0
    #: Mean and lowest F1 of (role, name) pairs over the steps taken; None without any.
    similarity: Share | None = None
    lowest: Share | None = None
    #: Requests that the base sent both times: how many kinds, and those that the case never sent.
    calls: Annotated[int, Field(ge=0)] = 0
    calls_gone: tuple[ForeignText, ...] = ()
    #: Those that only read (GET) and are gone, where they are few: no fault.
    reads_gone: tuple[ForeignText, ...] = ()
    #: Components that the base showed, and those that the case shows next to nothing of.
    components: Annotated[int, Field(ge=0)] = 0
    components_gone: tuple[ForeignText, ...] = ()


def compare_walks(
    base: Walks,
    again: Walks,
    case: Walks,
    *,
    max_other_steps: float,
) -> WalkResult:
    """Hold a case's walks against two of the base.

    What differs between the base's two is noise, and counts nowhere: a step counts when it was
    taken, settled and ended at the same path both times, a thing or request when it was there both
    times.

    Args:
        base: the walks as they were found on the base.
        again: the same steps taken on the base once more.
        case: the same steps taken on the case; missing ones count as not taken.
        max_other_steps: share of the steps that may go another way, see `Boot`.
    """
    pairs = list(_counted(base, again, case))
    taken = [(first, own) for first, own in pairs if own is not None and own.done]
    shares = [multiset_f1(_read(first.things), _read(own.things)) for first, own in taken]
    wrong = {
        at
        for at, (first, own) in enumerate(pairs)
        if own is None
        or not own.done
        or own.path != first.path
        or multiset_f1(_read(first.things), _read(own.things)) < _MIN_SIMILARITY
    }
    addresses = {at for at, (first, _) in enumerate(pairs) if first.did.startswith("open ")}
    calls = {call for first, _ in pairs for call in first.calls}
    sent = {call for walk in case for step in walk for call in step.calls}
    few = {call for call in calls - sent if call.method == "GET"}
    if len(few) > _READS_GONE * sum(call.method == "GET" for call in calls):
        few = set()
    return WalkResult(
        steps=len(pairs),
        taken=len(taken),
        not_taken=_some(
            f"{first.did}: {'' if own is None else own.problem}"
            for first, own in pairs
            if own is None or not own.done
        ),
        elsewhere=_some(
            f"{first.did}: ended at {own.path}; the base at {first.path}"
            for first, own in taken
            if own.path != first.path
        ),
        unlike=_some(
            f"{first.did}: similarity {share:.3f}"
            for (first, _), share in zip(taken, shares, strict=True)
            if share < _MIN_SIMILARITY
        ),
        wrong_addresses=len(wrong & addresses),
        wrong_actions=len(wrong - addresses),
        allowed_actions=int(max_other_steps * len(pairs)),
        similarity=round(sum(shares) / len(shares), 4) if shares else None,
        lowest=round(min(shares), 4) if shares else None,
        calls=len(calls),
        calls_gone=_some(sorted(map(str, calls - sent - few))),
        reads_gone=_some(sorted(map(str, few))),
        **_components([first for first, _ in pairs], case),
    )


def _counted(
    base: Walks,
    again: Walks,
    case: Walks,
) -> Iterator[tuple[WalkedStep, WalkedStep | None]]:
    """Steps of the base without noise, each with the case's."""
    for number, (walk, second) in enumerate(zip(base, again, strict=False)):
        own = case[number] if number < len(case) else ()
        for at, (step, other) in enumerate(zip(walk, second, strict=False)):
            alike = step.path == other.path and step.done and other.done
            if alike and step.settled and other.settled:
                noise = set(_read(step.things)) ^ set(_read(other.things))
                sent = set(other.calls)
                steady = _without(step, noise).model_copy(
                    update={"calls": tuple(each for each in step.calls if each in sent)}
                )
                yield steady, _without(own[at], noise) if at < len(own) else None


def _without(step: WalkedStep, noise: set[tuple[str, str]]) -> WalkedStep:
    things = tuple(each for each in step.things if each[1:] not in noise)
    return step.model_copy(update={"things": things})


def _read(things: Iterable[Thing]) -> list[tuple[str, str]]:
    return [(role, name) for _, role, name in things]


class _Components(TypedDict):
    components: int
    components_gone: tuple[str, ...]


def _components(base: Iterable[WalkedStep], case: Walks) -> _Components:
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
            if share < _COMPONENT_SHARE
        ),
    }


def _some(told: Iterable[str]) -> tuple[str, ...]:
    found = list(told)
    more = len(found) - _NAMED
    return tuple(found[:_NAMED]) + ((f"and {more} more",) if more > 0 else ())


def walk_faults(result: WalkResult) -> list[str]:
    """Everything that a walk holds against a case, one sentence each; empty for nothing."""
    gone = [
        *(f"walk: the base sends {each}; this never does" for each in result.calls_gone),
        *(f"walk: of what the base shows in {each} is left" for each in result.components_gone),
    ]
    if not result.wrong_addresses and result.wrong_actions <= result.allowed_actions:
        return gone
    return [
        *(f"walk: cannot {each}" for each in result.not_taken),
        *(f"walk: {each}" for each in result.elsewhere),
        *(f"walk: {each}" for each in result.unlike),
        *gone,
    ]
