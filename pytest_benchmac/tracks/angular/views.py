"""What a stage observed of an application's pages, whichever track it is: see tracks/angular/boot/README.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_benchmac.model.evaluation import StageResult


def pages_seen(stage: StageResult) -> list[Mapping[str, Any]]:
    """What a stage observed of pages, if it looked at any: see tracks/angular/boot/README.md for the fields."""
    pages = stage.observations.get("pages")
    return [page for page in pages if isinstance(page, Mapping)] if isinstance(pages, list) else []


def page_name(page: Mapping[str, Any]) -> str:
    """Route and step of an observed page, for tables."""
    step = page.get("step")
    return f"{page.get('route', '')} [{step}]" if step else str(page.get("route", ""))


def page_errors(page: Mapping[str, Any]) -> list[str]:
    """What went wrong on an observed page that the base's did not do."""
    errors = page.get("new_exceptions") or (), page.get("new_console_errors") or ()
    return [str(each) for kind in errors for each in kind]
