"""Tests that only `--slow` runs."""

from __future__ import annotations

from typing import Any

import pytest


def usual(*values: object, always: bool, id: str | None = None) -> Any:  # noqa: A002 - pytest's
    """Parameters whose test is run always, or with `--slow` only."""
    return pytest.param(*values, id=id, marks=[] if always else [pytest.mark.slow])
