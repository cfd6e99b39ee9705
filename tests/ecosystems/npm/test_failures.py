"""What npm says when the registry, or the way to it, fails."""

from __future__ import annotations

import pytest

from pytest_benchmac.ecosystems.npm.ecosystem import npm


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        ("npm error code ECONNRESET\nnpm error network aborted\n", "npm error network aborted"),
        ("npm ERR! code E503\n", "npm ERR! code E503"),
        ("npm warn old\nnpm error code ETIMEDOUT\n", "npm error code ETIMEDOUT"),
        ("npm error code EUSAGE\n", ""),
        ("npm error code E404\n", ""),
        ("the patch prints: npm error code ECONNRESET\n", ""),
        ("", ""),
    ],
)
def test_a_network_that_failed_is_nobodys_finding(stderr: str, line: str) -> None:
    assert npm.network_failure(stderr) == line
