"""Patches are copied as they are, whatever they are."""

from __future__ import annotations

import os
import resource
import socket
from pathlib import Path

import pytest

from pytest_benchmac.input.staging import open_regular
from pytest_benchmac.model.errors import SubmissionError
from tests.input.patch_files import APP, DOTTED, PATCH, Read, error_of, put


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\n" * 3_000_000])
def test_empty_patches(content: bytes, read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch", content)
    (submission,) = read(patches)
    assert submission.empty
    assert submission.patch_bytes == len(content)


def test_a_large_patch_that_ends_in_white_space_is_not_empty(read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch", PATCH + b"\n" * 3_000_000)
    (submission,) = read(patches)
    assert not submission.empty


def test_special_files(read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch")
    os.mkfifo(patches / f"{DOTTED}.patch")
    assert f"{DOTTED}.patch: is no regular file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    os.mkfifo(patches / f"{APP}.json")
    assert f"{APP}.json: is no regular file" in error_of(read, patches)
    (patches / f"{APP}.json").unlink()

    # A socket or pipe that is called otherwise is never opened.
    os.mkfifo(patches / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(patches / "s"))
        assert len(read(patches)) == 1


@pytest.mark.parametrize("name", [f"{APP}.patch", f"tool/{APP}.patch"])
def test_no_link_is_followed(read: Read, patches: Path, tmp_path: Path, name: str) -> None:
    """What it leads to would be copied and shown: a file of the host, or another SUT's patch."""
    target = put(tmp_path, "secret.txt")
    inside = put(patches, f"other/{DOTTED}.patch")
    (patches / "tool").mkdir()
    for leads_to in (target, inside, Path("/dev/zero"), tmp_path / "nowhere"):
        (patches / name).symlink_to(leads_to)
        told = error_of(read, patches)
        assert f"{name}: is a link, or reached through one, and none is followed" in told
        assert "cp -rL" in told
        (patches / name).unlink()
    put(patches, name)
    sidecar = (patches / name).with_suffix(".json")
    sidecar.symlink_to(put(tmp_path, "sidecar.json", b"{}"))
    assert "is a link" in error_of(read, patches)
    sidecar.unlink()
    assert len(read(patches)) == 2
    staged = list((tmp_path / "staging").iterdir())
    assert [each.read_bytes() for each in staged] == [PATCH]


def test_no_link_to_a_folder_is_followed(read: Read, patches: Path, tmp_path: Path) -> None:
    put(patches, f"{APP}.patch")
    put(tmp_path, f"run3/{APP}.patch")
    (patches / "latest").symlink_to(tmp_path / "run3")
    assert "latest: is a link to a folder, and none is followed" in error_of(read, patches)


def test_no_link_below_the_folder_is_followed_and_above_it_any(tmp_path: Path) -> None:
    """A folder may have become a link since it was listed."""
    file = put(tmp_path, f"run3/{APP}.patch")
    (tmp_path / "given").mkdir()
    (tmp_path / "given/tool").symlink_to(tmp_path / "run3")
    through = tmp_path / "given/tool" / file.name
    refused = pytest.raises(SubmissionError, match="is a link, or reached through one")
    with refused, open_regular(through, tmp_path / "given"):
        pass
    for root in (None, tmp_path / "given/tool"):
        with open_regular(through, root) as opened:
            assert opened.read() == PATCH


def test_what_the_user_names_may_be_a_link(read: Read, patches: Path, tmp_path: Path) -> None:
    put(patches, f"{APP}.patch")
    (tmp_path / "latest").symlink_to(patches)
    assert len(read(tmp_path / "latest")) == 1


def test_a_huge_patch(read: Read, patches: Path, tmp_path: Path) -> None:
    size = 200 * 1024 * 1024
    chunk = os.urandom(1024 * 1024)
    path = patches / f"{APP}.patch"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(chunk)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (left,) = read(patches)
    assert left.patch == path
    assert list((tmp_path / "staging").glob("*")) == []
    (staged,) = read(patches, max_patch_bytes=size)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert staged.patch_bytes == left.patch_bytes == size
    assert staged.patch_sha256 == left.patch_sha256
    assert staged.patch == tmp_path / "staging" / f"{staged.patch_sha256}.patch"
    assert staged.patch.stat().st_size == size
    assert grown_kib < 32 * 1024
    path.unlink()
    staged.patch.unlink()


def test_staging_is_shared_mended_and_swept(read: Read, patches: Path, tmp_path: Path) -> None:
    put(patches, f"x/{APP}.patch")
    put(patches, f"y/{APP}.patch")
    one, other = read(patches)
    assert one.patch == other.patch
    assert one.patch is not None
    staging = tmp_path / "staging"
    assert len(list(staging.iterdir())) == 1
    # A machine that lost power may leave a file of the right name without its content.
    one.patch.write_bytes(b"")
    leftover = staging / ".writing-00"
    leftover.write_bytes(b"x")
    os.utime(leftover, (0, 0))
    read(patches)
    assert one.patch.read_bytes() == PATCH
    assert list(staging.iterdir()) == [one.patch]
