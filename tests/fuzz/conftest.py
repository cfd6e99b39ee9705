"""Counts the inputs that are tried, for the last lines of scripts/test."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def inputs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of Hypothesis: each call of the test that it repeats."""
    repeated = getattr(request.function, "hypothesis", None)
    if repeated is None:
        yield
        return
    test, tried = repeated.inner_test, 0

    @functools.wraps(test)
    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal tried
        tried += 1
        return test(*arguments, **named)

    monkeypatch.setattr(repeated, "inner_test", counted)
    yield
    request.node.user_properties.append(("benchmac_promise", ("input", tried)))
