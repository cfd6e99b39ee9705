"""What is fetched on a case's behalf is counted, and bounded, whatever becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.ecosystems import upstream
from pytest_benchmac.ecosystems.address import Registry
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage
from pytest_benchmac.ecosystems.cache import HttpCache, IntegrityError
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.ecosystems.upstream import TooLargeError
from tests.network.conftest import authority, registry, running_registry
from tests.network.tiny import TinyRegistry

__all__ = ["authority", "registry", "running_registry"]


def test_downloads_that_fail_count(
    registry: TinyRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a patch could have any number of bytes fetched that are never kept."""
    registry.publish("left", "1.0.0", b"x" * 1_000_000)
    registry.forged["left-1.0.0.tgz"] = b"y" * 3_000_000
    repository, usage = NpmRepository(Registry.parse(registry.url)), FetchUsage()
    answers = Answers(HttpCache(tmp_path / "http"))
    file = repository.tarball("left", "left-1.0.0.tgz")
    with pytest.raises(IntegrityError):
        answers.file(repository, file, usage)
    assert 3_000_000 < usage.fetched_bytes < 3_010_000
    # And what is broken off at a bound.
    monkeypatch.setattr(upstream, "MAX_BODY_BYTES", 1_000_000)
    with pytest.raises(TooLargeError, match="more than 1000000 bytes"):
        answers.file(repository, file, usage)
    assert 4_000_000 < usage.fetched_bytes < 6_010_000
    registry.forged.clear()
    monkeypatch.undo()


def test_documents_have_a_bound_of_their_own(
    registry: TinyRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.publish("left", "1.0.0")
    registry.compress = False
    monkeypatch.setattr(upstream, "_MAX_METADATA_BYTES", 100)
    repository, usage = NpmRepository(Registry.parse(registry.url)), FetchUsage()
    with pytest.raises(TooLargeError):
        Answers(HttpCache(tmp_path / "http")).document(repository.metadata("left"), usage)
    assert usage.fetched_bytes > 100
