"""What a registry's metadata says about a tarball."""

from __future__ import annotations

import base64
import hashlib

import pytest

from pytest_benchmac.ecosystems.cache import Digests
from pytest_benchmac.ecosystems.npm.repository import dist_integrity

SHA1 = hashlib.sha1(b"left").hexdigest()


def test_integrity_before_shasum() -> None:
    assert dist_integrity({"integrity": "sha512-x", "shasum": SHA1}) == "sha512-x"


def test_what_was_published_before_integrities() -> None:
    integrity = dist_integrity({"shasum": SHA1.upper()})
    assert integrity == "sha1-" + base64.b64encode(bytes.fromhex(SHA1)).decode()
    assert Digests({"sha1": SHA1}).satisfy(integrity)


@pytest.mark.parametrize(
    "dist", [{}, {"shasum": None}, {"shasum": "zz" * 20}, {"shasum": "00"}, {"integrity": 1}]
)
def test_neither(dist: dict[str, object]) -> None:
    assert dist_integrity(dist) is None
