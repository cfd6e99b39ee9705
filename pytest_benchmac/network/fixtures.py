"""Recorded answers, as messages to the proxy."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_benchmac.ecosystems.address import DEFAULT_PORTS, origin
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.instance import HttpFixture


def fixture_message(fixture: HttpFixture, directory: Path | None) -> dict[str, Any]:
    """A fixture as the proxy is told it.

    Args:
        fixture: of an instance.
        directory: folder that its `body_file` is relative to.

    Raises:
        InstanceError: that file cannot be read.
    """
    body = fixture_body(fixture, directory)
    parts = urlsplit(fixture.url)
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return {
        "url": origin(parts.scheme, (parts.hostname or "").lower(), port) + parts.path,
        "status": fixture.status,
        "content_type": fixture.content_type,
        "body": base64.b64encode(body).decode(),
    }


def fixture_body(fixture: HttpFixture, directory: Path | None) -> bytes:
    """What a fixture answers.

    Args:
        fixture: of an instance.
        directory: folder that its `body_file` is relative to.

    Raises:
        InstanceError: that file cannot be read.
    """
    if fixture.body is not None:
        return fixture.body.encode()
    if directory is None or fixture.body_file is None:
        raise InstanceError(
            f"`body_file` {fixture.body_file!r} has no folder to be relative to", where=fixture.url
        )
    path = (directory / fixture.body_file).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise InstanceError(
            f"`body_file` of {fixture.url} leaves the instance's folder", where=path
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise InstanceError(
            f"`body_file` of {fixture.url} cannot be read: {error.strerror}",
            where=path,
            remedy="Add the file, or correct `http_fixtures` in instance.toml.",
        ) from error
