"""Where links lead by their addresses: pages, other hosts, and people who are reached by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from pytest_benchmac.tracks.angular.boot.counted import Counted, together
from pytest_benchmac.tracks.angular.boot.walked import WalkedStep

#: How an address begins by which somebody is written to or called; `driver/links.mjs` has the same.
_REACHED = re.compile(r"(?:mailto|tel|sms|callto|facetime|sip|sips|whatsapp|xmpp):")
#: What is a version in a host's name and below it: documentation of another one has another place.
_HOST_VERSION = re.compile(r"^v\d{1,3}(?=\.)")
_VERSION = re.compile(r"(?<!\w)v?\d{1,3}(?:\.\d{1,4}){0,3}(?!\w)")
#: What only tells where a visitor comes from.
_CAMPAIGN = re.compile(r"(?<=[?&])utm_\w+=[^&#]*&?")
_END_OF_HOST = re.compile(r"[/?#]")
#: Of a number, so many figures at its end are looked for in what the base shows: it may be shown
#: without its country.
_FIGURES = 6
#: So many addresses, at most, are looked for there.
_ADDRESSES = 100


def other_links(steps: Iterable[Counted], *, redesigned: bool) -> tuple[list[str], int]:
    """Links of the base whose addresses lead elsewhere, each name told once.

    Of a redesign, hosts and paths of the application; else addresses as a whole, but for versions
    in those of other hosts.

    Returns:
        Those, and how many are compared.
    """
    told: dict[str, str] = {}
    compared = set()
    for step, own in together(steps):
        base, again, case = (_addresses(side) for side in (step.base, step.again, own))
        for name, leads in base.items():
            # Those without a name cannot be told apart.
            if leads != again.get(name) or name not in case or not name:
                continue
            compared.add(name)
            theirs, others = (
                {_place(each, redesigned=redesigned) for each in side}
                for side in (leads, case[name])
            )
            if theirs != others:
                wanted, other = (", ".join(sorted(each)) for each in (leads, case[name]))
                where = f"link {name!r} leads to {other}; in the base to {wanted}"
                told.setdefault(name, f"{step.base.did}: {where}")
    return list(told.values()), len(compared)


def new_links(steps: Iterable[Counted], *, redesigned: bool) -> Iterator[str]:
    """Links that the base has not, to hosts or people that no link of it leads to.

    Of a redesign, which may have new ones, those that the base has, to hosts: see `other_links`.
    Who is reached by a text of the base is known, too.
    """
    walked = list(together(steps))
    sides = [side for step, _ in walked for side in (step.base, step.again)]
    leading = {leads for side in sides for _, leads in side.links}
    hosts = {_host(leads) for leads in leading} | {""}
    people = _People(sides)
    told = set()
    for step, own in walked:
        base, case = (_addresses(side) for side in (step.base, own))
        new = case.keys() & base.keys() - {""} if redesigned else case.keys() - (base.keys() - {""})
        for name in sorted(new):
            for leads in sorted(case[name] - leading):
                strange = _host(leads) not in hosts
                if not strange and not redesigned and _REACHED.match(leads):
                    strange = not people.has(leads)
                if strange and (name, leads) not in told:
                    told.add((name, leads))
                    where = f"link {name!r} leads to {leads}; no link of the base does"
                    yield f"{step.base.did}: {where}"


class _People:
    """Who is shown, by their addresses or numbers, on pages of the base."""

    def __init__(self, steps: Iterable[WalkedStep]) -> None:
        """Those of some steps."""
        self._steps = steps
        self._known: dict[str, bool] = {}

    def has(self, leads: str) -> bool:
        """Is whoever an address reaches among them? Of many addresses nobody is."""
        if leads not in self._known:
            self._known[leads] = len(self._known) < _ADDRESSES and self._is_shown(leads)
        return self._known[leads]

    @cached_property
    def _texts(self) -> tuple[str, str]:
        """All that is shown, and its figures alone."""
        names = {name.lower() for step in self._steps for *_, name in step.things}
        return "\n".join(names), "\n".join(map(_figures, names))

    def _is_shown(self, leads: str) -> bool:
        scheme, _, reached = leads.partition(":")
        text, numbers = self._texts
        for each in filter(None, reached.split(",")):
            figures = _figures(each)[-_FIGURES:]
            is_number = scheme != "mailto" and len(figures) == _FIGURES
            whole = rf"(?<![\w.+-]){re.escape(each)}(?![\w-])"
            if not (figures in numbers if is_number else re.search(whole, text)):
                return False
        return True


def _addresses(step: WalkedStep) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, leads in step.links:
        found.setdefault(name, set()).add(leads)
    return found


def _host(leads: str) -> str:
    """The host that an address leads to; empty for the application, and for what has none."""
    if leads.startswith("/") or _REACHED.match(leads):
        return ""
    return _HOST_VERSION.sub("~", _END_OF_HOST.split(leads, maxsplit=1)[0])


def _place(leads: str, *, redesigned: bool) -> str:
    """What of an address is compared."""
    if leads.startswith("/"):
        return leads
    host = _host(leads)
    if redesigned or not host:
        return host or ("" if redesigned else leads)
    end = _END_OF_HOST.search(leads)
    below = _VERSION.sub("~", _CAMPAIGN.sub("", leads[end.start() :])) if end else ""
    return host + below.rstrip("/?&")


def _figures(text: str) -> str:
    return "".join(filter(str.isdigit, text))
