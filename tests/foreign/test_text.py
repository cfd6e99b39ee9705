"""Foreign text is decoded without failing, and shown without acting on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.foreign.text import decode, line_of, shown


@given(st.text(max_size=2000))
def test_shown_text_is_fit_for_terminals(text: str) -> None:
    assert shown(text).isprintable()
    assert len(shown(text)) <= 10 * 330


def test_shown_text_escapes_and_cuts() -> None:
    assert shown("a\x1b[31mb\n\udc80") == "a\\x1b[31mb\\n\\udc80"
    assert shown("x" * 1000).endswith("... (1000 characters)")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_decoded_by_its_mark(encoding: str) -> None:
    assert decode("é @ts".encode(encoding)) == "é @ts"
    assert decode(b"\xffa") == "\ufffda"


def test_lines_count_from_one() -> None:
    assert [line_of("a\nb\nc", position) for position in (0, 1, 2, 4)] == [1, 1, 2, 3]
