"""What a boot saw: the driver's own words, taken as hostile, and the record made of them."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import ForeignText, Model, Sha256
from pytest_benchmac.tracks.angular.boot.config import MAX_PAGES
from pytest_benchmac.tracks.angular.boot.dom import Dom
from pytest_benchmac.tracks.angular.boot.walked import PlacedText, PlacedTexts, Walks, Way

#: Bounds of the driver's answer, the same on both sides.
MAX_NODES = 5_000
MAX_MESSAGE = 2_000
MAX_ENTRIES = 100
MAX_SCRIPTS = 5_000
MAX_LOOKS = 500
MAX_FEATURES = 20_000
MAX_KINDS = 500

#: Scheme and host of an address, which may not be one.
_PLACE = re.compile(r"^[a-z]+://[^/?#]*")

Message = Annotated[str, StringConstraints(max_length=MAX_MESSAGE)]
Kept = Annotated[ForeignText, AfterValidator(lambda text: shown(text, MAX_MESSAGE))]
Entries = Field(max_length=MAX_ENTRIES)


class DrivenConsole(Model):
    """An error that was logged."""

    text: Message
    url: Message


class DrivenRequest(Model):
    """A request that was not answered with content."""

    method: Message
    url: Message
    kind: Message
    #: `refused`: not the application's own and no fixture; `missing`: the build has no such file.
    why: Annotated[str, StringConstraints(pattern="^(refused|missing)$")]


#: An element or a text: see `dom.Node`.
DrivenNode = tuple[Annotated[int, Field(ge=0)], Message, dict[Message, Message]]

#: Role and name of every node.
DrivenTree = Annotated[
    tuple[tuple[Annotated[str, StringConstraints(max_length=100)], Message], ...],
    Field(max_length=MAX_NODES),
]


class DrivenPage(Model):
    """One page as the driver wrote it down."""

    route: Message
    step: Annotated[int, Field(ge=0, le=MAX_PAGES)]
    url: Message
    title: Message
    #: The language that the document says it has.
    lang: Message = ""
    #: How long the page had lived by its own clock.
    lived_ms: Annotated[int, Field(ge=0)]
    first_render_ms: Annotated[int, Field(ge=0)] | None
    #: How long it had shown nothing by its own clock.
    blank_ms: Annotated[int, Field(ge=0)] | None = None
    settled: bool
    nodes: Annotated[tuple[DrivenNode, ...], Field(max_length=MAX_NODES)]
    texts: PlacedTexts
    #: Fields, by what their code calls them.
    fields: PlacedTexts = ()
    #: Digests of how elements look.
    looks: Annotated[
        tuple[Annotated[str, StringConstraints(pattern="^[0-9a-f]{16}$")], ...],
        Field(max_length=MAX_LOOKS),
    ]
    tree: DrivenTree
    screenshot: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,3}\.png$")] | None
    problem: Message
    console: Annotated[tuple[DrivenConsole, ...], Entries]
    exceptions: Annotated[tuple[Message, ...], Entries]
    requests: Annotated[tuple[DrivenRequest, ...], Entries]


class ForeignScript(Model):
    """A script that a page executed, and that is neither a file of the build nor in its page."""

    #: `elsewhere`: of another origin; `inline`: added to the document, or a handler in it;
    #: `blocked`: kept from running by the policy that the page is served with.
    kind: Annotated[
        str, StringConstraints(pattern="^(eval|blob|data|wasm|inline|elsewhere|blocked)$")
    ]
    sha256: Sha256
    address: Message
    #: How its text starts.
    start: Annotated[ForeignText, StringConstraints(max_length=MAX_MESSAGE)]


class Executed(Model):
    """What the pages of one boot executed, all together."""

    #: SHA-256 of the content by path below the folder of index.html.
    files: dict[Message, Sha256] = Field(default_factory=dict, max_length=MAX_SCRIPTS)
    foreign: Annotated[tuple[ForeignScript, ...], Entries] = ()
    #: Where the template functions that ran start, by the same path: UTF-16 code units.
    templates: dict[Message, tuple[int, ...]] = Field(default_factory=dict, max_length=MAX_SCRIPTS)
    #: Workers that were started.
    workers: Annotated[int, Field(ge=0)] = 0
    #: Was a connection to another browser made, or tried?
    peers: bool = False
    #: Did a page ever have a frame, be it for a moment?
    frames: bool = False
    #: Features of the browser that pages used, by the numbers that Chromium counts them under.
    features: Annotated[tuple[int, ...], Field(max_length=MAX_FEATURES)] = ()
    #: Kinds of events that pages listened to.
    listened: Annotated[tuple[Message, ...], Field(max_length=MAX_KINDS)] = ()
    #: Scripts that were not looked at, since there were too many.
    more: Annotated[int, Field(ge=0)] = 0


class DrivenControl(Model):
    """A page as a control visit saw it: in a browser whose time and chance are its own."""

    #: What the browser is on.
    kind: Annotated[str, StringConstraints(pattern="^(computer|telephone)$")]
    route: Message
    url: Message
    settled: bool
    tree: DrivenTree
    #: CSS pixels of the page's width that are seen at once.
    width: Annotated[int, Field(ge=0, le=10**6)]
    #: How many texts are there to be read.
    readable: Annotated[int, Field(ge=0, le=10**6)] = 0
    #: What the tab key leads to, in its order; on a telephone there is none.
    tabs: Annotated[tuple[Message, ...], Field(max_length=MAX_ENTRIES)]
    #: The tree after a visit to another site.
    later: DrivenTree
    #: First lines of what was logged as an error and of uncaught exceptions, and hosts that were
    #: asked in vain, for looks aside.
    errors: Annotated[tuple[Message, ...], Entries]
    hosts: Annotated[tuple[Message, ...], Entries]
    problem: Message


class Driven(Model):
    """The driver's whole answer."""

    browser: Annotated[str, StringConstraints(pattern=r"^[0-9.]{1,40}$")]
    pages: Annotated[tuple[DrivenPage, ...], Field(max_length=MAX_PAGES)]
    executed: Executed
    walks: Walks = ()
    walks_problem: Message = ""
    controls: Annotated[tuple[DrivenControl, ...], Field(max_length=2)] = ()
    way: Way = Way()


class PageRequest(Model):
    """A request that was not answered with content."""

    method: Kept
    url: Kept
    kind: Kept
    why: str


class Page(Model):
    """What one route showed, when it was opened (`step` 0) or after its nth interaction."""

    route: Kept
    step: int
    #: Path, query and fragment that the browser was at in the end.
    path: Kept = ""
    title: Kept = ""
    #: The language that the document says it has.
    lang: Kept = ""
    #: Has the root element content that the framework rendered?
    rendered: bool
    #: What the framework says it is, at the root element.
    version: Kept | None = None
    #: Tag name of the root element.
    root: Kept | None = None
    #: Normalised: see `dom`.
    dom: ForeignText = ""
    dom_sha256: Sha256
    #: Role and name of every node of the accessibility tree, in the document's order; white space
    #: in names is collapsed.
    tree: tuple[tuple[Kept, Kept], ...] = ()
    #: Visible text.
    text: ForeignText = ""
    console_errors: tuple[Kept, ...] = ()
    exceptions: tuple[Kept, ...] = ()
    requests: tuple[PageRequest, ...] = ()
    #: How long it had lived by its own clock, in milliseconds.
    lived_ms: int = 0
    #: Milliseconds from the request of the document until the root had content.
    first_render_ms: int | None = None
    #: How long it had shown nothing by its own clock, in milliseconds.
    blank_ms: int | None = None
    #: Did the page stop changing?
    settled: bool = False
    #: Name of the file beside the record; None when none could be taken.
    screenshot: str | None = None
    #: Every text with its box in that picture: left, top, width and height in CSS pixels.
    texts: tuple[PlacedText, ...] = ()
    #: The same of fields, by what their code calls them.
    fields: tuple[PlacedText, ...] = ()
    #: The different looks that style sheets give to elements, each as a digest.
    looks: tuple[str, ...] = ()
    #: What went wrong with the page itself, such as a field that is not there; else empty.
    problem: Kept = ""

    @property
    def name(self) -> str:
        """For tables and messages: `/journal`, `/journal [2]` after the second interaction."""
        return f"{self.route} [{self.step}]" if self.step else self.route


class Control(Model):
    """What a route showed in a control visit."""

    #: What the browser was on: `computer` or `telephone`.
    kind: str
    route: Kept
    #: Path, query and fragment that the browser was at in the end.
    path: Kept
    #: Did the page stop changing?
    settled: bool
    #: See `Page`.
    tree: tuple[tuple[Kept, Kept], ...]
    #: CSS pixels of the page's width that were seen at once.
    width: int
    #: How many texts were there to be read: not transparent, and of no hidden element.
    readable: int = 0
    #: What the tab key led to, in its order; none on a telephone.
    tabs: tuple[Kept, ...]
    #: The tree after a visit to another site, and the way back.
    later: tuple[tuple[Kept, Kept], ...]
    #: First lines of what was logged as an error and of uncaught exceptions, and hosts that were
    #: asked in vain, for looks aside.
    errors: tuple[Kept, ...] = ()
    hosts: tuple[Kept, ...] = ()
    #: Why the page could not be looked at; else empty.
    problem: Kept


class BootRecord(Model):
    """All that one boot saw."""

    #: Version of Chromium.
    browser: str
    pages: tuple[Page, ...]
    executed: Executed = Executed()
    walks: Walks = ()
    #: Why walks could not be looked for; else empty.
    walks_problem: Kept = ""
    controls: tuple[Control, ...] = ()
    way: Way = Way()


def text_of(tree: tuple[tuple[str, str], ...]) -> str:
    """Visible text of an accessibility tree, white space collapsed."""
    words = " ".join(name for role, name in tree if role == "StaticText")
    return re.sub(r"\s+", " ", words).strip()


def record_of(driven: Driven, root: str) -> BootRecord:
    """The record of a boot, from what the driver wrote down.

    Args:
        driven: its answer.
        root: CSS selector of the root element.
    """
    return BootRecord(
        browser=driven.browser,
        pages=tuple(_page(page, root) for page in driven.pages),
        walks=driven.walks,
        walks_problem=driven.walks_problem,
        controls=tuple(_control(each) for each in driven.controls),
        way=driven.way,
        executed=driven.executed,
    )


def _page(page: DrivenPage, root: str) -> Page:
    dom = Dom.of(page.nodes, root)
    return Page(
        route=page.route,
        step=page.step,
        path=_PLACE.sub("", page.url),
        title=page.title,
        lang=page.lang,
        rendered=dom.rendered,
        version=dom.version,
        root=dom.root,
        dom=dom.text,
        dom_sha256=hashlib.sha256(dom.text.encode("utf-8", "backslashreplace")).hexdigest(),
        tree=_collapsed(page.tree),
        text=text_of(page.tree),
        console_errors=tuple(
            f"{entry.text} ({entry.url})" if entry.url else entry.text for entry in page.console
        ),
        exceptions=page.exceptions,
        requests=tuple(
            PageRequest(method=each.method, url=each.url, kind=each.kind, why=each.why)
            for each in page.requests
        ),
        lived_ms=page.lived_ms,
        first_render_ms=page.first_render_ms,
        blank_ms=page.blank_ms,
        settled=page.settled,
        screenshot=page.screenshot,
        texts=page.texts,
        fields=page.fields,
        looks=page.looks,
        problem=page.problem,
    )


def _control(seen: DrivenControl) -> Control:
    return Control(
        kind=seen.kind,
        route=seen.route,
        path=_PLACE.sub("", seen.url),
        settled=seen.settled,
        tree=_collapsed(seen.tree),
        width=seen.width,
        readable=seen.readable,
        tabs=seen.tabs,
        later=_collapsed(seen.later),
        errors=seen.errors,
        hosts=seen.hosts,
        problem=seen.problem,
    )


def _collapsed(tree: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((role, " ".join(name.split())) for role, name in tree)
