"""The store of registry answers: what goes in comes out, or an error does."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import os
import time
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.ecosystems.address import File, MetadataAddress
from pytest_benchmac.ecosystems.cache import (
    DamagedEntryError,
    Digests,
    Document,
    HttpCache,
    IntegrityError,
)

LEFT = File("https://registry.invalid/left.tgz", "registry/left/files/left.tgz", "left", "left.tgz")


def document(name: str, registry: str = "registry") -> MetadataAddress:
    return MetadataAddress(f"https://{registry}.invalid/{name}", f"{registry}/{name}/index")


def integrity(content: bytes, algorithm: str = "sha512") -> str:
    digest = hashlib.new(algorithm, content).digest()
    return f"{algorithm}-{base64.b64encode(digest).decode()}"


@pytest.fixture
def cache(tmp_path: Path) -> HttpCache:
    return HttpCache(tmp_path / "http")


def test_documents(cache: HttpCache) -> None:
    short, long, version = document("a"), document("b"), document("c")
    assert cache.document(long) is None
    for number, metadata in enumerate((short, long, version)):
        body = gzip.compress(b"%d" % number)
        answer = Document(200, body, "application/json", etag='"1"', last_modified=None)
        cache.store_document(metadata, answer)
    for number, metadata in enumerate((short, long, version)):
        stored = cache.document(metadata)
        assert stored is not None
        assert stored.text(10) == b"%d" % number
        assert (stored.status, stored.etag, stored.last_modified) == (200, '"1"', None)
        assert stored.age_s < 60
    assert cache.document(document("b", "other")) is None


def test_what_was_stored_while_the_clock_ran_ahead_is_old(
    cache: HttpCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be served, unasked, until that time comes."""
    now = time.time()
    cache.store_document(document("a"), Document(200, b"x", "application/json"))
    monkeypatch.setattr(time, "time", lambda: now - 86_400)
    stored = cache.document(document("a"))
    assert stored is not None
    assert stored.age_s > 80_000


def test_age_counts_from_the_last_confirmation(cache: HttpCache) -> None:
    metadata = document("left")
    cache.confirm_document(metadata)
    cache.store_document(metadata, Document(404, b""))
    (path,) = (each for each in cache.root.rglob("*") if each.is_file())
    os.utime(path, (0, time.time() - 1000))
    stored = cache.document(metadata)
    assert stored is not None
    assert 990 < stored.age_s < 1100
    cache.confirm_document(metadata)
    stored = cache.document(metadata)
    assert stored is not None
    assert stored.age_s < 60


def test_a_decompression_bomb_is_damage(cache: HttpCache) -> None:
    bomb = Document(200, gzip.compress(b"0" * 1_000_000))
    with pytest.raises(DamagedEntryError):
        bomb.text(10_000)


@given(position=st.integers(min_value=0), change=st.integers(min_value=1, max_value=255))
def test_no_changed_byte_is_believed(
    tmp_path_factory: pytest.TempPathFactory, position: int, change: int
) -> None:
    cache = HttpCache(tmp_path_factory.mktemp("http"))
    metadata, content = document("left"), b"a tarball"
    written = Document(200, gzip.compress(b"{}", mtime=0), etag='"1"')
    cache.store_document(metadata, written)
    with cache.writer(LEFT, integrity(content)) as file:
        file.write(content)
    for path in [each for each in cache.root.rglob("*") if each.is_file()]:
        data = bytearray(path.read_bytes())
        data[position % len(data)] ^= change
        path.write_bytes(data)
    try:
        stored = cache.document(metadata)
    except DamagedEntryError:
        pass
    else:
        # White space of JSON is no content.
        assert stored is not None
        assert (stored.status, stored.body, stored.etag) == (200, written.body, '"1"')
    with contextlib.suppress(DamagedEntryError):
        assert cache.file(LEFT) is None


def test_files(cache: HttpCache) -> None:
    assert cache.file(LEFT) is None
    with cache.writer(LEFT, integrity(b"content")) as file:
        file.write(b"con")
        file.write(b"tent")
    assert cache.file(LEFT) == b"content"
    blob = cache.root / "blobs" / hashlib.sha512(b"content").hexdigest()[:2]
    assert [each.read_bytes() for each in blob.iterdir()] == [b"content"]
    assert list((cache.root / "tmp").iterdir()) == []


def test_nothing_is_kept_of_what_does_not_verify(cache: HttpCache) -> None:
    with (
        pytest.raises(IntegrityError, match=r"left\.tgz"),
        cache.writer(LEFT, integrity(b"content")) as file,
    ):
        file.write(b"other")
    assert [each for each in cache.root.rglob("*") if each.is_file()] == []


def test_nothing_is_kept_of_what_was_not_finished(cache: HttpCache) -> None:
    def broken_off() -> None:
        with cache.writer(LEFT, integrity(b"content")) as file:
            file.write(b"content")
            raise ConnectionError

    with pytest.raises(ConnectionError):
        broken_off()
    assert cache.file(LEFT) is None
    assert [each for each in cache.root.rglob("*") if each.is_file()] == []


def test_old_leftovers_are_removed(cache: HttpCache) -> None:
    cache.remove_leftovers()
    folder = cache.root / "tmp"
    folder.mkdir(parents=True)
    (folder / ".writing-old").write_bytes(b"")
    (folder / ".writing-new").write_bytes(b"")
    os.utime(folder / ".writing-old", (0, time.time() - 200_000))
    cache.remove_leftovers()
    assert [each.name for each in folder.iterdir()] == [".writing-new"]


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha384", "sha512"])
def test_integrity_strings(algorithm: str) -> None:
    digests = Digests.of(BytesIO(b"content"))
    right, wrong = integrity(b"content", algorithm), integrity(b"other", algorithm)
    assert digests.satisfy(right)
    assert digests.satisfy(right + "?option")
    assert digests.satisfy(f"{wrong} {right}")
    assert not digests.satisfy(wrong)
    assert not digests.satisfy("")
    assert not digests.satisfy(f"{algorithm}-")
    assert not digests.satisfy(f"{algorithm}-!!!")
    assert not digests.satisfy("md5-mgNkuembtIDdJeHwKEyFVQ==")


def test_the_strongest_algorithm_decides() -> None:
    digests = Digests.of(BytesIO(b"content"))
    assert not digests.satisfy(f"{integrity(b'content', 'sha1')} {integrity(b'other')}")
    assert digests.satisfy(f"{integrity(b'other', 'sha1')} {integrity(b'content')}")


def test_what_was_used_longest_ago_goes(tmp_path: Path) -> None:
    """Documents and files alike, once there is too much; what somebody may be at stays."""
    cache = HttpCache(tmp_path / "http", max_bytes=100_000)
    files = [
        File(f"https://registry.invalid/{n}", f"registry/{n}/f/{n}", n, n) for n in ("a", "b", "c")
    ]
    contents = {each.package: os.urandom(40_000) for each in files}
    for each in files:
        with cache.writer(each, integrity(contents[each.package])) as stream:
            stream.write(contents[each.package])
    cache.store_document(document("old"), Document(200, gzip.compress(b"old")))
    # More than 100,000 bytes, all of them new.
    cache.trim()
    assert all(cache.file(each) for each in files)
    for path in cache.root.rglob("*"):
        if path.is_file():
            os.utime(path, (time.time() - 10_000, path.stat().st_mtime))
    assert cache.file(files[0]) == contents["a"]
    assert cache.file(files[2]) == contents["c"]
    cache.trim()
    assert cache.file(files[0]) == contents["a"]
    assert cache.file(files[1]) is None
    assert cache.size(files[1]) is None
    assert cache.file(files[2]) == contents["c"]
    # And can be had again.
    with cache.writer(files[1], integrity(contents["b"])) as stream:
        stream.write(contents["b"])
    assert cache.file(files[1]) == contents["b"]
    assert cache.size(files[1]) == 40_000


def test_writing_keeps_the_bound(tmp_path: Path) -> None:
    cache = HttpCache(tmp_path / "http", max_bytes=1_000_000)
    for number in range(40):
        place = File(f"https://registry.invalid/{number}", f"registry/{number}", "n", "n")
        content = os.urandom(50_000)
        with cache.writer(place, integrity(content)) as stream:
            stream.write(content)
        for path in cache.root.rglob("*"):
            if path.is_file():
                os.utime(path, (time.time() - 10_000 + number, path.stat().st_mtime))
    kept = sum(path.stat().st_size for path in cache.root.rglob("*") if path.is_file())
    assert kept < 1_100_000
    assert cache.file(place) == content


def test_a_use_leaves_the_age(cache: HttpCache) -> None:
    cache.store_document(document("a"), Document(200, gzip.compress(b"a")))
    for path in cache.root.rglob("index"):
        os.utime(path, (time.time() - 5000, time.time() - 4000))
    for _ in range(2):
        stored = cache.document(document("a"))
        assert stored is not None
        assert 3900 < stored.age_s < 4500
