"""Which errors of a page are the same as another's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

_URL = re.compile(r"\b(?:https?|blob|data):[^\s'\")]*")
_DIGEST = re.compile(r"\b(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,}\b|(?<=[.-])[A-Z0-9]{8}(?=\.)")
#: All of an address but its path; what is no address stays as it is.
_AROUND_PATH = re.compile(r"^[a-z]+:(//[^/?#]*)?|[?#].*$")
#: How the browser's own words begin for what it could not load, or with a status of failure.
MISSING_RESOURCE = "Failed to load resource"
#: What the browser logs for a request that the harness refused, and lists by itself.
_REFUSED = ("Failed to load resource: net::ERR_BLOCKED_BY_CLIENT", "WebSocket connection to ")


def error_key(message: str) -> str:
    """What stays the same of an error from build to build and from version to version.

    The first line, without addresses, digests and numbers. Where the browser could not load
    something, its path stays, for it is all that tells one such error from another.
    """
    line = first_line(message.strip())
    kept = ""
    if line.startswith(MISSING_RESOURCE) and (match := _URL.search(line)):
        kept = " " + _DIGEST.sub("", _AROUND_PATH.sub("", match[0]))
    line = _DIGEST.sub("", _URL.sub("", line))
    return re.sub(r"\d+", "0", line).strip(" ()") + kept


def error_keys(errors: Iterable[str]) -> frozenset[str]:
    """The keys of all of them."""
    return frozenset(map(error_key, errors))


def new_errors(errors: Iterable[str], known: Set[str]) -> tuple[str, ...]:
    """Those with none of these keys; what the harness itself brought about is none."""
    return tuple(
        error
        for error in errors
        if not error.startswith(_REFUSED) and error_key(error) not in known
    )


def first_line(error: str) -> str:
    """The first line of an error in a record, where line ends are escaped."""
    return error.split("\\n", 1)[0][:200]
