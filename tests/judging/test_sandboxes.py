"""What the sandboxes of a case may reach."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchmac.judging.sandboxes import ecosystems_of
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.tracks.registry import get_track


@dataclass(frozen=True)
class Registry:
    name: str
    required: bool


ALWAYS, OFTEN = Registry("always", required=True), Registry("often", required=False)


@pytest.mark.parametrize(
    ("provenance", "read"),
    [("pulled", (ALWAYS, OFTEN)), ("bootstrapped", (ALWAYS,)), ("none", (ALWAYS, OFTEN))],
)
def test_what_a_bootstrapped_base_brings_is_not_asked_of_a_registry(
    provenance: str, read: tuple[Registry, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    track = get_track("toy")
    monkeypatch.setattr(track, "ecosystems", (ALWAYS, OFTEN))
    image = PreparedImage(tag="t", digest="d", provenance=provenance, project=Path("p"))
    assert ecosystems_of(track, image) == read
