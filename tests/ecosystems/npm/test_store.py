"""The store's bound: what was used longest ago goes, and nothing that is in use."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.store import PackageStore
from pytest_benchmac.judging.cache import PARTS, trim
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.kept import list_images, remove_images
from tests.ecosystems.npm.publishing import publish
from tests.network.tiny import TinyRegistry

NAMES = ("one", "two", "three", "@scope/four")


@pytest.fixture
def store(registry: TinyRegistry, tmp_path: Path) -> PackageStore:
    """Four packages of some 1,000 bytes, used a day apart, the first one longest ago."""
    found = PackageStore(PublishedPackages(registry.url, tmp_path), tmp_path / "packages")
    for days, name in enumerate(reversed(NAMES), start=1):
        publish(registry, name, files={"a.js": b"a" * 1000})
        package = found.package(name, "1.0.0")
        assert package is not None
        used = time.time() - 86_400 * days
        os.utime(package.folder.parent, (used, used))
    return found


def there(tmp_path: Path) -> set[str]:
    return {each.parent.parent.name for each in (tmp_path / "packages").glob("*/*/*/package")}


def make_room_for(cache: Path, to_bytes: int) -> None:
    trim(cache, to_bytes, [part for part in PARTS if part.name == "packages"])


def test_what_was_used_longest_ago_goes(store: PackageStore, tmp_path: Path) -> None:
    make_room_for(tmp_path, 100_000)
    assert len(there(tmp_path)) == 4
    # Its use is noted.
    store.package("one", "1.0.0")
    make_room_for(tmp_path, 3_500)
    assert there(tmp_path) == {"one", "@scope%2Ffour"}
    # And it is simply unpacked again.
    package = store.package("two", "1.0.0")
    assert package is not None
    assert (package.folder / "a.js").read_bytes() == b"a" * 1000


def test_nothing_goes_while_the_store_is_in_use(store: PackageStore, tmp_path: Path) -> None:
    with store.in_use():
        make_room_for(tmp_path, 1)
        assert len(there(tmp_path)) == 4
    make_room_for(tmp_path, 1)
    assert there(tmp_path) == set()


def test_images_prune_leaves_what_is_in_use(store: PackageStore, tmp_path: Path) -> None:
    settings = Settings(reports=tmp_path / "reports", cache=tmp_path)

    def packages() -> list[str]:
        return [each.kind for each in list_images(settings) if each.kind in ("packages", "tree")]

    assert packages() == ["packages"]
    own = [each for each in list_images(settings) if each.kind == "packages"]
    assert own[0].bytes > 4_000
    with store.in_use():
        remove_images(settings, own)
        assert packages() == ["packages"]
    remove_images(settings, own)
    assert packages() == []
