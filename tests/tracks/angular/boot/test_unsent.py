"""What was entered, is told to be taken, and was sent nowhere."""

from __future__ import annotations

from typing import Any

from pytest_benchmac.tracks.angular.boot.margins import ALIKE
from pytest_benchmac.tracks.angular.boot.walk import WalkResult, compare_walks, walk_faults
from pytest_benchmac.tracks.angular.boot.walked import Walk, WalkedCall, WalkedStep


def _sent(note: str) -> WalkedCall:
    return WalkedCall(
        method="POST",
        path="/api/hikes",
        query="",
        body="{note}",
        media="application/json",
        accept="json",
        authorization="",
        values=((".note", note),),
    )


def _step(did: str, *texts: str, **changes: Any) -> WalkedStep:
    told: dict[str, Any] = {
        "did": did,
        "done": True,
        "settled": True,
        "path": "/",
        "things": tuple(("app-page", "StaticText", text) for text in texts),
        "calls": (),
        "problem": "",
    }
    return WalkedStep(**(told | changes))


_OPENED = _step("open /", "Log a hike")
_SAVED = _step("form, button Save", "Hike saved.", entered=("Gulls",), calls=(_sent("Gulls"),))
_IDLE = _step("click link Home", "Home")


def _compared(base: Walk, case: Walk, again: Walk | None = None) -> WalkResult:
    return compare_walks((base,), (again or base,), (case,), margins=ALIKE, max_other_steps=0)


def _without(step: WalkedStep) -> WalkedStep:
    return step.model_copy(update={"calls": ()})


def test_what_is_told_to_be_saved_and_is_not_sent_is_sure() -> None:
    result = _compared((_OPENED, _SAVED, _IDLE), (_OPENED, _without(_SAVED), _IDLE))
    assert result.is_sure
    told = "walk: form, button Save: shows what the base shows, and does not send POST /api/hikes"
    assert any(fault.startswith(told) for fault in walk_faults(result))


def test_what_is_sent_late_or_is_not_told_to_be_saved_is_not_sure() -> None:
    late = _IDLE.model_copy(update={"calls": _SAVED.calls})
    assert not _compared((_OPENED, _SAVED, _IDLE), (_OPENED, _without(_SAVED), late)).is_sure
    silent = _step("form, button Save", "Log a hike")
    assert not _compared((_OPENED, _SAVED), (_OPENED, silent)).is_sure


def test_what_the_base_sends_by_itself_or_not_again_is_not_sure() -> None:
    beat = _SAVED.model_copy(update={"calls": (_sent("alive"),)})
    assert not _compared((_OPENED, beat), (_OPENED, _without(beat))).is_sure
    case = (_OPENED, _without(_SAVED))
    assert not _compared((_OPENED, _SAVED), case, (_OPENED, _without(_SAVED))).is_sure
