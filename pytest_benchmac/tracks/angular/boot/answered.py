"""Texts that a back end answers, as pages show them: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.counted import KNOWN_AGAIN, Counted, read, said, together
from pytest_benchmac.tracks.angular.boot.vary import bodies


def answered_texts(boot: Boot, fixtures: Sequence[HttpFixture]) -> frozenset[str]:
    """Every text in JSON that a back end answers, its white space counted as one space."""
    texts = (text for body in bodies(boot, fixtures) for text in _texts(body))
    return frozenset(" ".join(text.split()) for text in texts)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def gone_texts(steps: Iterable[Counted], answered: Set[str], answers_gone: float) -> Iterator[str]:
    """Answered texts that the base shows as they are and the case does not, on the same page.

    Told by component, where more of all that it shows of them is gone than may be.

    Args:
        steps: of all walks.
        answered: what the back end answers both applications, and nothing else could know.
        answers_gone: see `Margins`.
    """
    known = sorted(text for text in answered if len(text) >= KNOWN_AGAIN)
    found: dict[str, list[str]] = {}
    wanted: dict[str, set[str]] = {}
    gone: dict[str, dict[str, str]] = {}
    for step, own in together(steps):
        page = "\n".join(name for _, name in read(own.things)).casefold()
        for component, role, name in step.base.things:
            if not said(role):
                continue
            if name not in found:
                found[name] = [text for text in known if text in name]
            for text in found[name]:
                wanted.setdefault(component, set()).add(text)
                if text.casefold() not in page:
                    gone.setdefault(component, {}).setdefault(text, step.base.did)
    for component, texts in gone.items():
        if len(texts) > answers_gone * len(wanted[component]):
            text, did = next(iter(texts.items()))
            yield (
                f"{did}: does not show {text!r}, which the back end answered and the base shows in "
                f"<{component}>; so it is with {len(texts)} of {len(wanted[component])} texts there"
            )
