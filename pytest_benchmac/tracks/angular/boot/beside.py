"""What is there beside what pages show: what hands can do, what elements say, what pages keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set

from pytest_benchmac.tracks.angular.boot.counted import Counted, read, together
from pytest_benchmac.tracks.angular.boot.walked import WalkedStep, Walks

#: What hands can do that shows with a frame only; `driver/step.mjs` has the words.
_BY_FRAMES = ("the wheel moves", "a finger moves")
#: What applications do beside, which a redesign may do otherwise: questions in dialogs of the
#: browser, files, and what comes of hands that nothing on the page asks for; `driver/listened.mjs`
#: and `driver/step.mjs` have the words. A file may be handed out late.
_FILE = "a file "
_REDESIGNED = (
    *("it asks in a dialog", _FILE, "what is copied by "),
    *("a pointer at ", "a double click at ", "a drag at ", "the key "),
)
#: What a page says to whoever hears it, whatever led there: the same words.
_OF_PAGES = "who hears is told"
#: How hints begin of which more is a fault as well: what elements say by their attributes, styles
#: that no picture shows, and what who has an element read out is told of it; `driver/traits.mjs`
#: and `driver/elements.mjs` have the same.
_NO_MORE = ("says ", "style ", "read out: description ")
#: Where pages are redesigned, of what elements say and of such styles these alone may not be gone,
#: or come.
_STILL_SAID = ("says title: ", "says aria-current: ")
_STILL_NEW = (
    *("says inputmode: ", "read out: description "),
    *(
        f"style {each} "
        for each in (
            *("user-select", "cursor", "pointer-events", "touch-action", "caret-color"),
            *("-webkit-user-modify", "-webkit-user-drag", "scroll-behavior", "scroll-snap-type"),
            *("overscroll-behavior-x", "overscroll-behavior-y", "animation-timeline"),
            *("animation-trigger", "container-type"),
        )
    ),
)
#: Attributes that are no fault where they are new: what they change is read out, or is what
#: browsers do anyway.
_MAY_BE_NEW = (
    *("says aria-", "says role: ", "says alt: ", "says novalidate: "),
    *("says type: button", "says type: submit", "says type: text"),
)
#: But for these: what is read out in another order, as something else, or not at all.
_NEVER_NEW = (
    *("says aria-owns", "says aria-flowto", "says aria-modal: true", "says aria-busy: true"),
    *("says aria-roledescription: ", "says aria-braille", "says aria-hidden: true of what is used"),
)
#: Styles that nobody is the worse for without.
_MAY_BE_GONE = ("style user-select none", "style cursor none")
#: Styles by which nobody sees the pointer, or where he types: a fault where they are new, also at
#: new kinds of elements and within libraries' components, whose content has them as well.
_BLIND = ("style cursor none", "style caret-color rgba(0, 0, 0, 0)")
#: So are styles that follow how far something was moved, which no picture shows; but for these.
_FOLLOWS = ("style animation-timeline ", "style animation-trigger ", "style container-type ")
_BY_TIME = ("auto", "none")
#: What elements within components that packages define may say otherwise: packages are others.
_OF_LIBRARIES = ("there", "style ", "says aria-", "says role: ", "says tabindex: ")
#: What they put beside the application, for dialogs and lists: tag and component.
_OVERLAY = ("div", "")
_DIALOG = "dialog"
#: How steps are told that may lead to another page; `driver/step.mjs` has the words.
_LEADS = ("click", "press")
#: What every page says of itself: `driver/page.mjs` has the same.
_TITLE, _PAPER = "title", "paper"
#: And how it names what no picture shows: pseudo-elements.
_UNSEEN = "::"


def lost_hands(steps: Iterable[Counted], *, redesigned: bool = False) -> Iterator[str]:
    """What hands can do in a step of the base, both times, and cannot in the case's.

    What shows with a frame only has to be so at two steps: a frame may be late.

    Args:
        steps: those that count.
        redesigned: may pages ask, and make files, otherwise?
    """
    lost: list[tuple[str, str]] = []
    for step in steps:
        if step.case is not None and step.case.done and step.so_far:
            for what in step.base.worked:
                # What is said of another page is not this page's.
                elsewhere = what.startswith(_OF_PAGES) and step.case.path != step.base.path
                late = step.after.worked if step.after and what.startswith(_FILE) else ()
                if elsewhere or what in late or (redesigned and what.startswith(_REDESIGNED)):
                    continue
                if what in step.again.worked and what not in step.case.worked:
                    lost.append((step.base.did, what))
    times = Counter(what for _, what in lost)
    for did, what in lost:
        if times[what] > 1 or not what.startswith(_BY_FRAMES):
            yield f"{did}: of the base alone it is true that {what}"


def lost_hints(
    steps: Iterable[Counted], *, redesigned: bool, libraries: Set[str] = frozenset()
) -> Iterator[str]:
    """What elements say of themselves beside their names, in the base alone: a tooltip, say.

    Only of elements that both pages have as often, or of kinds of elements that both have. What
    else the case says is a fault where it is an attribute, a style that no picture shows or a
    description. Each is told once, whatever it is said of.

    Args:
        steps: those that count.
        redesigned: may pages look otherwise?
        libraries: names of components that packages define.
    """
    told: set[tuple[str, str]] = set()
    for step, own in together(steps):
        here, there = (
            Counter(read(side.things)) | Counter({each[:2] for each in side.hints})
            for side in (step.base, own)
        )
        base, again, case = (Counter(side.hints) for side in (step.base, step.again, own))
        for which, hints in (("no", (base & again) - case), ("a new", case - (base | again))):
            for role, name, hint in hints:
                same = here[role, name] == there[role, name]
                # What the base alone has is said of elements that it has.
                blinds = which != "no" and _blinds(hint)
                if (which, hint) in told or not (same or (not here[role, name] and blinds)):
                    continue
                if not blinds and _is_of_libraries(role, name, hint, libraries):
                    continue
                if _matters(hint, new=which != "no", redesigned=redesigned):
                    told.add((which, hint))
                    where = f"{role} {name}".strip()
                    yield f"{step.base.did}: {where} has {which} {hint!r}"


def _blinds(hint: str) -> bool:
    if hint.startswith(_FOLLOWS):
        _, _, value = hint.split(" ", 2)
        return any(each.strip() not in _BY_TIME for each in value.split(","))
    return hint in _BLIND


def _is_of_libraries(role: str, name: str, hint: str, libraries: Set[str]) -> bool:
    if name in libraries:
        return hint.startswith(_OF_LIBRARIES)
    return bool(libraries) and (role, name) == _OVERLAY and hint.startswith("style ")


def _matters(hint: str, *, new: bool, redesigned: bool) -> bool:
    if hint in _MAY_BE_GONE and not new:
        return False
    if redesigned and hint.startswith(_NO_MORE):
        return hint.startswith(_STILL_NEW if new else _STILL_SAID)
    may_be = hint.startswith(_MAY_BE_NEW) and not hint.lower().startswith(_NEVER_NEW)
    return not new or (hint.startswith(_NO_MORE) and not may_be)


def other_focus(steps: Iterable[Counted]) -> Iterator[str]:
    """Where the focus is, and is not in the base.

    What a step used, or what has become of it, may keep it or lose it: whether the element is the
    same one afterwards is a matter of how lists are rendered. It stays so as long as neither moves
    it. While a text is entered, where it is in the end is a matter of timing. So it is where
    dialogs open: the case has the focus on the dialog where the base has it on something in it, and
    in another step it is the reverse.
    """
    told: set[tuple[str, str]] = set()
    walked = [
        (step, own)
        for step, own in together(steps)
        if step.base.is_address or step.base.did.startswith(_LEADS)
    ]
    pairs = {(_role(own.focus), _role(step.base.focus)) for step, own in walked}
    turned = {
        (one, other)
        for one, other in pairs
        if one and other and one != other and _DIALOG in (one, other)
    }
    #: Where steps have left it, by walk and step: in the base and here.
    left: dict[tuple[int, int], tuple[str, str]] = {}
    for step, own in walked:
        theirs, focus = step.base.focus, own.focus
        if focus in {theirs, step.again.focus} or theirs != step.again.focus:
            continue
        used = all(_is_used(each, step.base) for each in (theirs, focus))
        if used or left.get((step.walk, step.at - 1)) == (theirs, focus):
            left[step.walk, step.at] = theirs, focus
            continue
        if (_role(theirs), _role(focus)) in turned:
            continue
        if (theirs, focus) not in told:
            told.add((theirs, focus))
            yield (
                f"{step.base.did}: the focus is on {focus or 'the page'!r}; "
                f"in the base on {theirs or 'the page'!r}"
            )


def _is_used(focus: str, step: WalkedStep) -> bool:
    """Is it the page itself, what a step used, or a thing of that role, called otherwise by now?"""
    return not focus or (not step.is_address and _role(focus) in step.did.split(" "))


def _role(focus: str) -> str:
    return focus.partition(" ")[0]


def other_kept(base: Walks, steps: Iterable[Counted], *, redesigned: bool = False) -> Iterator[str]:
    """What a page keeps, or says of itself, and the base does not, or otherwise.

    Titles may be put into other words; but where the base has another page's, it is the wrong one.
    How a page is printed need not be told.

    Args:
        base: its walks.
        steps: those that count.
        redesigned: may pages look otherwise?
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
            restyled = redesigned and name.startswith(_UNSEEN)
            if renamed or restyled or (name == _PAPER and not kept):
                continue
            told.add(name)
            yield f"{step.base.did}: {name} is {kept!r}; in the base {wanted!r}"
