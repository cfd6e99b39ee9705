"""What a step brings about beside the page that it leads to, compared while both walk together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from pytest_benchmac.tracks.angular.boot.counted import KNOWN_AGAIN, Counted, read, said, together
from pytest_benchmac.tracks.angular.boot.errors import MISSING_RESOURCE, error_keys, new_errors
from pytest_benchmac.tracks.angular.boot.figures import (
    other_figures,
    other_words,
    without_figures,
)
from pytest_benchmac.tracks.angular.boot.similarity import longest_common
from pytest_benchmac.tracks.angular.boot.walked import Thing, WalkedCall, WalkedStep, Walks

#: A read may be sent so many times as often as by the base, and so many times more.
_READS_TIMES, _READS_MORE = 2, 3
#: Share of a component's texts that are shown, at least, where their order is compared.
_SHARED = 0.9
#: All of a page, where the texts of each component are told by its name.
_PAGE = "page"


def dead_steps(steps: Iterable[Counted]) -> Iterator[str]:
    """Steps that change what the base shows, and nothing at all in the case, then or next."""
    for step, own in together(steps):
        before = step.before
        if before is None or before.case is None:
            continue
        if step.base.did.startswith("open ") or step.base.path != before.base.path:
            continue
        was, now = (Counter(read(each.base.things)) for each in (before, step))
        appeared, vanished = now - was, was - now
        shown = Counter(read(own.things))
        still = shown == Counter(read(before.case.things)) and own.path == before.case.path
        if not (appeared or vanished) or not still or own.calls:
            continue
        # What comes or goes by itself does so a little earlier or later.
        after = step.after
        late = Counter(read(after.things)) if after and after.path == own.path else shown
        if not appeared & (shown | late) and vanished & shown & late == vanished:
            told = [name for _, name in (*appeared, *vanished)]
            yield f"{step.base.did}: nothing happens; in the base: {', '.join(told[:3])}"


def wrong_figures(steps: Iterable[Counted]) -> Iterator[str]:
    """Numbers that the case shows on the same page instead of the base's, or in other units."""
    told = set()
    for step, own in together(steps):
        here, there = read(step.base.things), read(own.things)
        pairs = list(other_figures(here, there))
        base, case = (_by_component(side.things) for side in (step.base, own))
        for component, texts in base.items():
            pairs += other_words(texts, case.get(component, ()), here, there)
        for theirs, other in pairs:
            if (theirs, other) not in told:
                told.add((theirs, other))
                yield f"{step.base.did}: shows {other!r}; the base {theirs!r}"


def other_sounds(base: Walks, steps: Iterable[Counted]) -> Iterator[str]:
    """What is read out with other numbers than it shows, and nothing alike in the base.

    Args:
        base: its walks.
        steps: those that count.
    """
    known = {
        (role, without_figures(name))
        for walk in base
        for step in walk
        for role, name, _ in step.sounds
    }
    told: set[tuple[str, str]] = set()
    for step, own in together(steps):
        for role, name, shown in own.sounds:
            if (alike := (role, without_figures(name))) not in known | told:
                told.add(alike)
                yield f"{step.base.did}: {role} {shown!r} is read out as {name!r}"


def wrong_answers(
    base: Walks, steps: Iterable[Counted], literals: Set[str] = frozenset()
) -> Iterator[str]:
    """What the case says after a step instead of what the base says, and the base says elsewhere.

    An application may be put into other words; but what the base says when something else has
    happened is wrong here: that a thing is saved, say, which was refused. Neither is said before
    the step, and where it leads to another page, both are said within one component: other pages
    may be designed otherwise. After something was sent, what was said before as well is wrong
    within the same component where the base has stopped to say it. Where what was sent is refused,
    or never answered, the base need not say anything.

    Args:
        base: its walks.
        steps: those that count.
        literals: strings that its scripts have: what it says when something happens that it did not
            meet.
    """
    words = {thing for walk in base for step in walk for thing in step.things}
    told = set()
    for step, own in together(steps):
        before = step.before
        if before is None or before.case is None or step.base.troubled:
            continue
        was, had = set(before.base.things), set(before.case.things)
        here, there = set(step.base.things), set(own.things)
        known = was | here | set(step.again.things)
        # Of each component the longest: buttons and labels say less.
        missing = {
            component: name
            for _, component, role, name in sorted(
                (len(name), component, role, name) for component, role, name in here - was - there
            )
            if said(role)
        }
        stays = step.base.path == before.base.path and own.path == before.case.path
        anywhere = None
        if stays and not step.base.is_address:
            anywhere = max(missing.values(), key=len, default=None)
        # What was said of the last thing that was sent may be what is said of this one.
        stale = (there & had & was) - here - set(step.again.things) if _writes(step, own) else set()
        for thing in sorted(there - had - known | stale):
            component, role, name = thing
            if thing not in words and name not in literals:
                continue
            answer = missing.get(component, None if thing in stale else anywhere)
            if answer is None and step.base.refused and stays and thing not in stale:
                answer = "nothing new"
            if answer is None or not said(role) or len(name) < KNOWN_AGAIN:
                continue
            if (answer, name) not in told:
                told.add((answer, name))
                yield f"{step.base.did}: says {name!r}; the base {answer!r}"


def _writes(step: Counted, own: WalkedStep) -> bool:
    """Do both send something that writes?"""
    return all(any(not call.reads for call in side.calls) for side in (step.base, own))


def lost_texts(base: Walks, steps: Iterable[Counted]) -> Iterator[str]:
    """Texts that a visitor has entered, and the base shows as they are, and the case does not.

    Args:
        base: its walks.
        steps: those that count.
    """
    told = set()
    for step, own in together(steps):
        entered = {
            " ".join(text.split())
            for each in base[step.walk][: step.at + 1]
            for text in each.entered
        }
        shown = [name for _, name in read(own.things)]
        for role, name in read(step.base.things):
            here = [
                text for text in entered if said(role) and len(text) >= KNOWN_AGAIN and text in name
            ]
            for text in here:
                if text not in told and not any(text in each for each in shown):
                    told.add(text)
                    yield f"{step.base.did}: does not show {text!r}, which was entered"


def other_orders(steps: Iterable[Counted], may_move: float) -> Iterator[str]:
    """Components that show what they show in the base, both times alike, in another order.

    Where they show something else as well, or a little less, some of what both show may have been
    moved.

    Args:
        steps: those that count.
        may_move: share of it, see `Margins.moved`.
    """
    told: set[str] = set()
    for step, own in together(steps):
        base, again, case = (
            # Where nothing may move, the page counts as one more.
            _by_component(side.things) | ({} if may_move else {_PAGE: read(side.things)})
            for side in (step.base, step.again, own)
        )
        for component, texts in base.items():
            shown = case.get(component, [])
            if texts == shown or texts != again.get(component) or component in told:
                continue
            if component == _PAGE and told:
                continue
            both = (Counter(texts) & Counter(shown)).total()
            if both < _SHARED * len(texts):
                continue
            moved = 0 if both == len(texts) == len(shown) else may_move * both
            ordered = longest_common(texts, shown)
            if ordered < both - moved:
                told.add(component)
                theirs, other = next(
                    pair for pair in zip(texts, shown, strict=False) if pair[0] != pair[1]
                )
                yield (
                    f"{step.base.did}: <{component}> shows {other[1]!r} where the base has "
                    f"{theirs[1]!r}; {ordered} of {both} texts are in the base's order"
                )


def _by_component(things: Iterable[Thing]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for component, role, name in things:
        found.setdefault(component, []).append((role, name))
    return found


def other_states(steps: Iterable[Counted]) -> Iterator[str]:
    """Elements of the base that are there with another value, ticked or switched off otherwise."""
    told = set()
    for step, own in together(steps):
        base, again, case = (_states(side) for side in (step.base, step.again, own))
        shown = Counter(read(own.things))
        wanted = Counter(read(step.base.things))
        for element in wanted:
            if element in told or shown[element] != wanted[element]:
                continue
            states, others = base.get(element), case.get(element)
            if states == again.get(element) and states != others:
                told.add(element)
                role, name = element
                yield (
                    f"{step.base.did}: {role} {name} is {_told(others)!r}; "
                    f"in the base {_told(states)!r}"
                )


def _states(step: WalkedStep) -> dict[tuple[str, str], Counter[str]]:
    found: dict[tuple[str, str], Counter[str]] = {}
    for role, name, state in step.states:
        found.setdefault((role, name), Counter())[state] += 1
    return found


def _told(states: Counter[str] | None) -> str:
    return "; ".join(sorted(states.elements())) if states else ""


def _sent(steps: Sequence[WalkedStep]) -> Counter[WalkedCall]:
    return Counter(call.kind for step in steps for call in step.calls)


def other_counts(steps: Iterable[Counted]) -> Iterator[str]:
    """Requests that are sent more or less often than by the base.

    What writes has to be sent as often in every walk. What reads may be sent less often, and some
    times more often.
    """
    walks: dict[int, list[tuple[Counted, WalkedStep]]] = {}
    for step, own in together(steps):
        walks.setdefault(step.walk, []).append((step, own))
    reads: list[Counter[WalkedCall]] = [Counter(), Counter()]
    for walk in walks.values():
        base = _sent([step.base for step, _ in walk])
        again = _sent([step.again for step, _ in walk])
        case = _sent([own for _, own in walk])
        low, high = base & again, base | again
        for call in sorted({*low, *case}, key=str):
            if call.reads:
                continue
            if not low[call] <= case[call] <= high[call]:
                yield f"sends {call} {case[call]} times in a walk; the base {base[call]} times"
        reads[0] += high
        reads[1] += case
    for call, times in reads[1].items():
        if call.reads and reads[0][call]:
            allowed = _READS_TIMES * reads[0][call] + _READS_MORE
            if times > allowed:
                yield f"sends {call} {times} times; the base {reads[0][call]} times"


def new_writes(steps: Iterable[Counted]) -> Iterator[str]:
    """What the case sends where it leaves the base's way, and the base sends nothing alike."""
    for step in steps:
        if step.so_far and not step.together and step.case is not None:
            own = [call for call in step.case.calls if not call.reads]
            theirs = {(each.method, each.path) for each in (*step.base.calls, *step.again.calls)}
            for call in own:
                if (call.method, call.path) not in theirs:
                    yield f"{step.base.did}: sends {call}; the base does not"


def wrong_values(steps: Iterable[Counted], known: Set[str] = frozenset()) -> Iterator[str]:
    """Values of what is sent that are others than the base's, which it sent both times.

    Args:
        steps: of all walks.
        known: those that may be others, see `Boot.other_values`.
    """
    told = set()
    for step, own in together(steps):
        for kind in dict.fromkeys(call.kind for call in step.base.calls):
            first, second, case = (
                [dict(call.values) for call in side.calls if call.kind == kind]
                for side in (step.base, step.again, own)
            )
            wanted = [dict(a.items() & b.items()) for a, b in zip(first, second, strict=False)]
            for values, sent in _unlike(wanted, case):
                for at in sorted(values):
                    if f"{kind.method} {kind.path} {at}" in known:
                        continue
                    if values[at] != sent.get(at, "") and (kind, at) not in told:
                        told.add((kind, at))
                        own_value, where = sent.get(at, ""), at or "its body"
                        yield f"{kind}: sends {own_value!r} as {where}; the base {values[at]!r}"


def _unlike(
    wanted: Iterable[dict[str, str]], own: Iterable[dict[str, str]]
) -> list[tuple[dict[str, str], dict[str, str]]]:
    """What is left where what agrees has been put together, in whatever order it was sent."""
    left, missing = list(own), []
    for values in wanted:
        for sent in left:
            if all(sent.get(at, "") == value for at, value in values.items()):
                left.remove(sent)
                break
        else:
            missing.append(values)
    return list(zip(missing, left, strict=False))


def walk_errors(
    base: Walks, again: Walks, case: Walks, known: Set[str], left: Mapping[int, int]
) -> Iterator[tuple[str, bool]]:
    """Errors of the case that the base has nowhere, after steps after which it has none.

    With each, whether the case had gone another way before that step: what it does then is not
    what the base does there.

    Args:
        base: the base's walks.
        again: the same once more.
        case: the same steps taken on the case.
        known: keys of errors of the base's declared pages.
        left: for each walk that the case does not do all alike, the first step that it does not.
    """
    steps = [step for walks in (base, again) for walk in walks for step in walk]
    keys = error_keys(error for step in steps for error in step.errors) | known
    told = set()
    for number, walk in enumerate(case):
        for at, step in enumerate(walk):
            theirs = [side[number][at : at + 1] for side in (base, again) if number < len(side)]
            logged = [error for found in theirs for each in found for error in each.errors]
            if any(not error.startswith(MISSING_RESOURCE) for error in logged):
                # Versions put the same trouble into other words.
                continue
            for error in new_errors(step.errors, keys):
                apart = at > left.get(number, at)
                if apart or error not in told:
                    told |= set() if apart else {error}
                    yield f"{step.did}: {error}", apart


def new_hosts(base: Walks, again: Walks, case: Walks, known: Set[str]) -> list[str]:
    """Hosts that the case asks in vain and the base never; those of declared pages are `known`."""

    def asked(walks: Walks) -> set[str]:
        return {host for walk in walks for step in walk for host in step.hosts}

    return sorted(asked(case) - asked(base) - asked(again) - known)
