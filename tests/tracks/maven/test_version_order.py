"""Which of two versions Maven takes for the older one."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from pytest_benchmac.tracks.maven.version_order import is_lower, numbers

#: As Maven's documentation and tests have them.
ORDER = (
    "1-alpha2",
    "1-alpha-123",
    "1-beta-2",
    "1-m2",
    "1-rc",
    "1-SNAPSHOT",
    "1",
    "1-sp",
    "1-abc",
    "1.1-rc1",
    "1.1",
    "1.2",
    "1.10",
    "2",
    "12345678901234567890",
)


@pytest.mark.parametrize(("lower", "higher"), list(pairwise(ORDER)))
def test_versions_have_an_order(lower: str, higher: str) -> None:
    assert is_lower(lower, higher)
    assert not is_lower(higher, lower)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0.0"),
        ("1.0-rc", "1-RC"),
        ("1.0.0-SNAPSHOT", "1-SNAPSHOT"),
        ("1.ga", "1"),
        ("", "0"),
    ],
)
def test_versions_that_are_the_same(one: str, other: str) -> None:
    assert not is_lower(one, other)
    assert not is_lower(other, one)


def test_numbers_of_a_version() -> None:
    assert numbers("1.3.0-SNAPSHOT") == "1.3.0"
    assert numbers("${revision}") == numbers("next") == ""


def test_no_version_keeps_the_rules_busy() -> None:
    began = time.process_time()
    for text in ("9" * 100_000, "0." * 50_000, "a1" * 50_000, "0.a" * 30_000):
        assert not is_lower(text, text)
    assert time.process_time() - began < 5
