"""The `[boot]` section of an Angular instance."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from pytest_benchmac.model.base import Model
from pytest_benchmac.tracks.angular.boot.margins import ALIKE, REDESIGNED, Margins, Share

#: Pages of one boot, counting each interaction as one.
MAX_PAGES = 60

Selector = Annotated[
    str,
    StringConstraints(min_length=1, max_length=500),
    Field(description="a CSS selector"),
]
Address = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^/\s]+/[^\s?#]*$"),
    Field(description="an http or https address with a host and a path, without query and spaces"),
]


class BootFixture(Model):
    """An answer of the application's back end, by method and address without its query."""

    #: Several where versions of the application ask different hosts for the same.
    urls: Annotated[tuple[Address, ...], Field(min_length=1)]
    method: Annotated[
        str,
        StringConstraints(pattern=r"^(GET|HEAD|POST|PUT|PATCH|DELETE)$"),
        Field(description="GET, HEAD, POST, PUT, PATCH or DELETE"),
    ] = "GET"
    status: Annotated[int, Field(ge=200, le=599)] = 200
    content_type: str = "application/json"
    body: str = ""


class Interaction(Model):
    """One step of a visitor: fill fields, then click, then see a text. Each is optional."""

    #: CSS selector -> what to enter: text, an option's value or label, `true` or `false` to tick.
    fill: dict[Selector, str] = Field(default_factory=dict)
    click: Selector | None = None
    #: Text that has to be shown then; white space counts as one space.
    expect: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.fill and self.click is None and self.expect is None:
            raise ValueError("an interaction takes `fill`, `click` or `expect`")
        return self


class Route(Model):
    """A page to open, by its path, and what to do on it; a browser profile of its own."""

    path: Annotated[
        str,
        StringConstraints(pattern=r"^/[^\s]*$", max_length=500),
        Field(description="a path that starts with a slash, `#` and `?` included"),
    ]
    interactions: tuple[Interaction, ...] = ()


class Calibration(Model):
    """What the threshold comes from: tree similarities that were measured with the baseline."""

    #: The lowest page of any honest patch.
    honest: Share
    #: The highest page of any gutted or replaced application.
    fake: Share


OtherValue = Annotated[str, StringConstraints(pattern=r"^[A-Z]+ /\S* [?.]\S+$", max_length=300)]


class Boot(Model):
    """How to see that the application runs, and how like its baseline it has to be."""

    #: CSS selector of the element that the framework renders into.
    root: Selector
    routes: Annotated[tuple[Route, ...], Field(min_length=1, max_length=MAX_PAGES)]
    #: Width and height in CSS pixels.
    viewport: tuple[
        Annotated[int, Field(ge=200, le=4000)], Annotated[int, Field(ge=200, le=4000)]
    ] = (1280, 800)
    fixtures: tuple[BootFixture, ...] = ()
    #: What only random walks are answered, beside `fixtures` and before them: a back end that is
    #: there, say, or one that takes what is sent. `http://localhost/` stands for the application.
    walk_fixtures: tuple[BootFixture, ...] = ()
    #: Every page's accessibility tree has to be this much like the baseline's (multiset F1).
    min_tree_similarity: Share
    calibration: Calibration | None = None
    #: Share of the steps of random walks that may go another way than the baseline's. More than 0
    #: says that the history's own migration redesigns pages, and all other margins are wider then.
    max_other_steps: Share = 0
    #: Values of requests that the history's own migration changes, so that they are compared with
    #: nothing: method, path and where it stands, as in `GET /api/articles ?author`.
    other_values: tuple[OtherValue, ...] = ()

    @property
    def margins(self) -> Margins:
        """How much less than the baseline a case may show."""
        return REDESIGNED if self.max_other_steps else ALIKE

    @property
    def pages(self) -> int:
        """How many pages are looked at: every route, and again after each interaction."""
        return sum(1 + len(route.interactions) for route in self.routes)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.pages > MAX_PAGES:
            raise ValueError(
                f"{self.pages} pages to look at, interactions included; at most {MAX_PAGES}"
            )
        if (known := self.calibration) is not None and not (
            known.fake < self.min_tree_similarity <= known.honest
        ):
            raise ValueError("`min_tree_similarity` has to lie above `fake` and not above `honest`")
        paths = [route.path for route in self.routes]
        if len(set(paths)) < len(paths):
            raise ValueError("each route once: put all its interactions in one place")
        return self
