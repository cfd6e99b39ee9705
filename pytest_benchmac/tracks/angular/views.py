"""The pages that the boot stage observed, as reports show them: docs/boot.md has the fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.views import PageView

_PICTURES = ("baseline_screenshot", "screenshot", "difference")


def pages_seen(stage: StageResult) -> list[PageView]:
    """The pages of a stage that looked at any."""
    pages = stage.observations.get("pages")
    if not isinstance(pages, list):
        return []
    return [_view(page) for page in pages if isinstance(page, Mapping)]


def _view(page: Mapping[str, Any]) -> PageView:
    route, step = str(page.get("route", "")), page.get("step")
    errors = [
        str(error)
        for kind in ("new_exceptions", "new_console_errors")
        for error in page.get(kind) or ()
    ]
    wrong = [
        page.get("problem") or "",
        "" if page.get("rendered", True) else "nothing is shown",
        f"does not show: {page['unmet']}" if page.get("unmet") else "",
    ]
    failed = [f"{kind}: {each}" for kind in ("refused", "missing") for each in page.get(kind) or ()]
    different = page.get("image_difference")
    named = (page.get(field) for field in _PICTURES)
    return PageView(
        name=f"{route} [{step}]" if step else route,
        alike={
            "tree": page.get("tree_similarity"),
            "text": page.get("text_similarity"),
            "picture": None if different is None else 1 - different,
        },
        wrong=[*filter(None, wrong), *errors],
        console=[*errors, *failed],
        pictures=[each for each in named if isinstance(each, str) and each],
    )
