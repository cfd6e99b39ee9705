"""Source maps are read with bounds, and tell where a piece comes from."""

from __future__ import annotations

import json

import pytest

from pytest_benchmac.foreign.sourcemap import MapError, read_map, source_path
from tests.tracks.angular.integrity.outputs import vlq


def made(mappings: str, sources: object = ("src/a.ts", "webpack:///./src/b.ts?x")) -> bytes:
    return json.dumps({"version": 3, "sources": sources, "mappings": mappings}).encode()


def test_nearest_piece_at_or_before() -> None:
    line = ",".join([vlq(0, 0, 4, 0), vlq(10, 1, 16, 2), vlq(5), vlq(5, -1, -20, 0, 3)])
    found = read_map(made(f"{line};;{vlq(3, 1, 7, 0)}"))
    assert found.at(0, 0) == ("src/a.ts", 5)
    assert found.at(0, 9) == ("src/a.ts", 5)
    assert found.at(0, 10) == ("src/b.ts", 21)
    assert found.at(0, 16) is None
    assert found.at(0, 5000) == ("src/a.ts", 1)
    assert found.at(1, 3) is None
    assert found.at(2, 2) is None
    assert found.at(2, 3) == ("src/b.ts", 8)
    assert found.at(3, 0) is None


def test_lengths_of_pieces() -> None:
    line = ",".join([vlq(0, 0, 0, 0), vlq(10, 1, 0, 0), vlq(5)])
    assert read_map(made(line)).spans([40]) == [("src/a.ts", 10), ("src/b.ts", 5)]


@pytest.mark.parametrize(
    "content",
    [
        b"no JSON",
        b"[" * 100_000,
        b"[]",
        b'{"version": 3, "sections": []}',
        b'{"version": 3, "sources": "a", "mappings": ""}',
        made("A!AA"),
        made("AAAAAAAAAA"),
        made("AA"),
        made("g"),
        made("gggggggggB"),
        made(vlq(0, 2, 0, 0)),
        made(vlq(0, -1, 0, 0)),
        made("A" * 100),
    ],
)
def test_what_is_no_map_is_said(content: bytes) -> None:
    with pytest.raises(MapError):
        read_map(content)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("src/a.ts", "src/a.ts"),
        ("./src/a.ts", "src/a.ts"),
        ("webpack:///./src/a.ts", "src/a.ts"),
        ("webpack://trailbook/./src/a.ts?1234", "src/a.ts"),
        ("../outside.ts", "../outside.ts"),
        ("/etc/passwd", "/etc/passwd"),
    ],
)
def test_names_of_sources(name: str, path: str) -> None:
    assert source_path(name) == path
