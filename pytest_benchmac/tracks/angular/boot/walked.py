"""What applications showed and asked for on walks: the driver's own words, taken as hostile."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints

from pytest_benchmac.model.base import Model

#: Bounds of what the driver tells of a walk, the same on both sides.
MAX_WALKS = 10
MAX_STEPS = 100
MAX_THINGS = 1_000
MAX_HINTS = 3_000
MAX_KEPT = 60
MAX_CALLS = 50
MAX_VALUES = 60
MAX_WORKED = 60
MAX_SOUNDS = 20
MAX_ERRORS = 20
MAX_HOSTS = 20
MAX_QUERIES = 60
MAX_PICTURES = 13

#: How steps are told after which every application shows what it shows at an address: opening it,
#: loading it again, coming back to it, another window, having left it for a while, clicks that lead
#: nowhere, the way back and forward.
_SAME_PAGE = (
    *("open ", "reload", "return", "resize", "leave", "another"),
    *("clicks", "back", "forward"),
)

_Short = Annotated[str, StringConstraints(max_length=600)]
#: Tag name of the component around it, role, name.
Thing = tuple[_Short, _Short, _Short]
#: Role and name of an element, and what is to be seen of it beside its name.
State = tuple[_Short, _Short, _Short]


_Pixels = Annotated[int, Field(ge=-(10**9), le=10**9)]
#: A text, and its box in the page's picture: left, top, width and height in CSS pixels.
PlacedText = tuple[
    Annotated[str, StringConstraints(max_length=2_000)], _Pixels, _Pixels, _Pixels, _Pixels
]
PlacedTexts = Annotated[tuple[PlacedText, ...], Field(max_length=5_000)]


class WalkedCall(Model):
    """A request that an application sent to its back end."""

    method: _Short
    path: _Short
    #: Keys of the query.
    query: _Short
    #: Keys of the JSON that was sent; `-` for nothing.
    body: _Short
    media: _Short
    accept: _Short
    authorization: _Short
    #: What stands where in the query and in the JSON that was sent: `?page`, `2`; `.name`, `Ada`;
    #: and headers that begin with `x-`: `header x-name`, `sent` or `the guard`.
    values: Annotated[tuple[tuple[_Short, _Short], ...], Field(max_length=MAX_VALUES)] = ()

    @property
    def kind(self) -> WalkedCall:
        """The same without values."""
        return self.model_copy(update={"values": ()})

    @property
    def reads(self) -> bool:
        """Does it only read?"""
        return self.method in {"GET", "HEAD", "OPTIONS"}

    def __str__(self) -> str:
        """For messages."""
        told = [f"{self.method} {self.path}{'?' if self.query else ''}{self.query}"]
        told += [self.body] if self.body != "-" else []
        told += [f"{self.media} for {self.accept}" if self.media else f"for {self.accept}"]
        told += ["with Authorization"] if self.authorization else []
        return " ".join(told)


class WalkedStep(Model):
    """What an application showed and asked for after one step."""

    #: The step in words.
    did: _Short
    #: Was it taken while some or all of the back end failed?
    troubled: bool = False
    #: Was what it sends refused, or never answered?
    refused: bool = False
    #: Was it taken: was the element there?
    done: bool
    #: Did the page stop changing?
    settled: bool
    path: _Short
    #: In the document's order.
    things: Annotated[tuple[Thing, ...], Field(max_length=MAX_THINGS)]
    calls: Annotated[tuple[WalkedCall, ...], Field(max_length=MAX_CALLS)]
    problem: _Short
    #: What is entered, ticked, chosen or switched off.
    states: Annotated[tuple[State, ...], Field(max_length=MAX_THINGS)] = ()
    #: Role and name of an element, or tag name and component of a kind of elements, and what is
    #: said of it beside: by its attributes (`says title: ...`), to who has it read out (`read out:
    #: ...`), or by styles that no picture shows (`style cursor pointer`).
    hints: Annotated[tuple[State, ...], Field(max_length=MAX_HINTS)] = ()
    #: Role and name of the element that has the focus; empty for the page itself.
    focus: _Short = ""
    #: What the page keeps, or says of itself, beside what it shows: names and values.
    kept: Annotated[tuple[tuple[_Short, _Short], ...], Field(max_length=MAX_KEPT)] = ()
    #: Role, name and text of what is read out with other numbers than it shows.
    sounds: Annotated[tuple[State, ...], Field(max_length=MAX_SOUNDS)] = ()
    #: Names of links, and where they lead by their addresses: a path, another host and what follows
    #: it, or somebody to be reached (`mailto:...`). A link without a name has an empty one.
    links: Annotated[tuple[tuple[_Short, _Short], ...], Field(max_length=MAX_THINGS)] = ()
    #: What hands could do in the step, in words, that nothing else shows: the tab key, pasting.
    worked: Annotated[tuple[_Short, ...], Field(max_length=MAX_WORKED)] = ()
    #: Texts that were entered in it.
    entered: Annotated[tuple[_Short, ...], Field(max_length=MAX_VALUES)] = ()
    #: First lines of what was logged as an error, and of uncaught exceptions.
    errors: Annotated[tuple[_Short, ...], Field(max_length=MAX_ERRORS)] = ()
    #: Hosts that were asked in vain, for looks aside.
    hosts: Annotated[tuple[_Short, ...], Field(max_length=MAX_HOSTS)] = ()
    #: Hosts, and names and values of queries by which they were asked for pictures and the like.
    queries: Annotated[tuple[State, ...], Field(max_length=MAX_QUERIES)] = ()
    #: Name of the file beside the record, where one was taken, and every text with its box in it.
    picture: Annotated[str, StringConstraints(pattern=r"^walk-\d{1,2}-\d{1,2}\.png$")] | None = None
    texts: PlacedTexts = ()
    #: The same of fields, by what their code calls them.
    fields: PlacedTexts = ()

    @property
    def is_address(self) -> bool:
        """Does every application show then what it shows at an address?"""
        return self.did.startswith(_SAME_PAGE)


Walk = Annotated[tuple[WalkedStep, ...], Field(max_length=MAX_STEPS)]
Walks = Annotated[tuple[Walk, ...], Field(max_length=MAX_WALKS)]


class Way(Model):
    """What another boot needs to do what this one did: for the driver, and in its words."""

    #: How long each page of each route had lived, in milliseconds.
    lived: tuple[tuple[int, ...], ...] = ()
    #: Steps of the walks, and how it was seen that they were taken.
    walks: Annotated[tuple[JsonValue, ...], Field(max_length=MAX_WALKS)] = ()
