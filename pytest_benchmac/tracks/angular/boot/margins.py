"""How much less than its base a case may show and do: margins for two kinds of histories."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pytest_benchmac.model.base import Model

Share = Annotated[float, Field(ge=0, le=1)]


class Margins(Model):
    """Shares of what the base shows, has or does; README.md has where they come from."""

    #: F1 of (role, name) below which the page that a step leads to is another one.
    step_similarity: Share
    #: Reading requests that may be gone: what they bring is shown, and that is compared.
    reads_gone: Share
    #: Links whose addresses may be others: histories rename pages.
    links_other: Share
    #: A component is gone when less than this of what it showed is shown anywhere.
    component_left: Share
    #: Different names and texts of all pages that the case may lack where the base has them.
    words_gone: Share
    #: Texts that the back end answered and a component shows as they are, and that may be gone.
    answers_gone: Share
    #: Texts of a component that may have been moved, where it shows other things as well.
    moved: Share
    #: Texts, or fields, of a page that may be there and not be seen.
    hidden: Share
    #: Different looks that elements of all pages together have to have.
    looks_left: Share
    #: Pixels of a page's picture that may differ visibly.
    pixels_other: Share


#: Pages stay as they are: of 25 silvers and schematics patches that were measured, all that does so
#: are alike in everything. What is allowed beyond is for what comes and goes by time.
ALIKE = Margins(
    step_similarity=0.95,
    reads_gone=0,
    links_other=0,
    component_left=0.9,
    words_gone=0.01,
    answers_gone=0,
    moved=0,
    hidden=0.05,
    looks_left=0.9,
    pixels_other=0.1,
)
#: A redesign. Its header leaves 0.857 of the page that has least else on it (the thesis's v16 to
#: v17); a filter that no longer filters, 0.63 of ours. It may fold texts away and rename pages.
REDESIGNED = Margins(
    step_similarity=0.7,
    reads_gone=0.25,
    links_other=0.2,
    component_left=0.5,
    words_gone=1,
    answers_gone=0.1,
    moved=0.1,
    hidden=0.2,
    looks_left=0.4,
    pixels_other=1,
)
