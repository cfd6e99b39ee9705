"""What applications showed and asked for on walks: the driver's own words, taken as hostile."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from pytest_benchmac.model.base import Model

#: Bounds of what the driver tells of a walk, the same on both sides.
MAX_WALKS = 10
MAX_STEPS = 40
MAX_THINGS = 1_000
MAX_CALLS = 50

_Short = Annotated[str, StringConstraints(max_length=600)]
#: Tag name of the component around it, role, name.
Thing = tuple[_Short, _Short, _Short]


class WalkedCall(Model):
    """A request that an application sent to its back end."""

    method: _Short
    path: _Short
    #: Keys of the JSON that was sent; `-` for nothing.
    body: _Short
    media: _Short
    accept: _Short
    authorization: _Short

    def __str__(self) -> str:
        """For messages."""
        told = [f"{self.method} {self.path}"]
        told += [self.body] if self.body != "-" else []
        told += [f"{self.media} for {self.accept}" if self.media else f"for {self.accept}"]
        told += ["with Authorization"] if self.authorization else []
        return " ".join(told)


class WalkedStep(Model):
    """What an application showed and asked for after one step."""

    #: The step in words.
    did: _Short
    #: Was it taken: was the element there?
    done: bool
    #: Did the page stop changing?
    settled: bool
    path: _Short
    things: Annotated[tuple[Thing, ...], Field(max_length=MAX_THINGS)]
    calls: Annotated[tuple[WalkedCall, ...], Field(max_length=MAX_CALLS)]
    problem: _Short


Walk = Annotated[tuple[WalkedStep, ...], Field(max_length=MAX_STEPS)]
Walks = Annotated[tuple[Walk, ...], Field(max_length=MAX_WALKS)]
