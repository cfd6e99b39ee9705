"""Recorded answers of back ends, as the driver is told them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.fixtures import fixture_body
from pytest_benchmac.tracks.angular.boot.config import BootFixture


def answers(
    declared: Sequence[BootFixture], fixtures: Sequence[HttpFixture], directory: Path
) -> Iterator[dict[str, Any]]:
    """Every recorded answer, the boot's own first, with bodies in base64."""
    for own in declared:
        body = own.body.encode()
        for url in own.urls:
            yield _answer(own.method, url, own.status, own.content_type, body)
    for shared in fixtures:
        body = fixture_body(shared, directory)
        yield _answer("GET", shared.url, shared.status, shared.content_type, body)


def _answer(method: str, url: str, status: int, content_type: str, body: bytes) -> dict[str, Any]:
    return {
        "method": method,
        "url": url,
        "status": status,
        "content_type": content_type,
        "body": base64.b64encode(body).decode(),
    }
