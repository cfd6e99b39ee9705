"""Context managers that are entered beside what goes on."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_benchmac.judging.background import Background


class Thing:
    """Says what was done to it, and in which thread."""

    def __init__(self, *, fails: str = "") -> None:
        self.fails = fails
        self.done: list[tuple[str, int]] = []
        self.may_start = threading.Event()
        self.may_end = threading.Event()

    def note(self, what: str) -> None:
        self.done.append((what, threading.get_ident()))
        if what == self.fails:
            raise OSError(f"no {what}")

    @contextmanager
    def entered(self) -> Iterator[str]:
        self.may_start.wait()
        self.note("start")
        yield "there"
        self.may_end.wait()
        self.note("end")


def test_nobody_waits_for_its_start_or_its_end() -> None:
    thing = Thing()
    background = Background(thing.entered())
    assert thing.done == []
    thing.may_start.set()
    with background as value:
        assert value == "there"
    assert [what for what, _ in thing.done] == ["start"]
    thing.may_end.set()
    background.close()
    assert [what for what, _ in thing.done] == ["start", "end"]


def test_one_thread_of_its_own_starts_and_ends_it() -> None:
    thing = Thing()
    thing.may_start.set()
    thing.may_end.set()
    background = Background(thing.entered())
    background.close()
    ((first, one), (second, other)) = thing.done
    assert (first, second) == ("start", "end")
    assert one == other != threading.get_ident()


def test_a_start_that_fails_is_raised_where_it_is_wanted(caplog: pytest.LogCaptureFixture) -> None:
    thing = Thing(fails="start")
    thing.may_start.set()
    background = Background(thing.entered())
    with pytest.raises(OSError, match="no start"), background:
        raise AssertionError("not entered")
    with caplog.at_level(logging.WARNING, "benchmac"):
        background.close()
    assert not caplog.records


def test_a_start_that_failed_unwanted_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    thing = Thing(fails="start")
    thing.may_start.set()
    background = Background(thing.entered())
    with caplog.at_level(logging.WARNING, "benchmac"):
        background.close()
    assert "no start" in caplog.text


def test_an_end_that_fails_is_raised_at_the_close() -> None:
    thing = Thing(fails="end")
    thing.may_start.set()
    thing.may_end.set()
    background = Background(thing.entered())
    with background:
        pass
    with pytest.raises(OSError, match="no end"):
        background.close()
