"""Patches are copied as they are, whatever they are."""

from __future__ import annotations

import os
import resource
import socket
from pathlib import Path

import pytest

from tests.input.patch_files import APP, DOTTED, PATCH, Read, error_of, put


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\n" * 3_000_000])
def test_empty_patches(content: bytes, read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch", content)
    (submission,) = read(patches)
    assert submission.empty
    assert submission.patch_bytes == len(content)


def test_links_and_special_files(read: Read, patches: Path, tmp_path: Path) -> None:
    target = put(tmp_path, "target.patch")
    (patches / f"{APP}.patch").symlink_to(target)
    (submission,) = read(patches)
    assert submission.patch is not None
    assert submission.patch.read_bytes() == PATCH

    os.mkfifo(patches / f"{DOTTED}.patch")
    assert f"{DOTTED}.patch: is no regular file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    (patches / f"{DOTTED}.patch").symlink_to("/dev/zero")
    assert f"{DOTTED}.patch: is no regular file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    (patches / f"{DOTTED}.patch").symlink_to(tmp_path / "nowhere")
    assert f"{DOTTED}.patch: cannot be read: No such file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    os.mkfifo(patches / f"{APP}.json")
    assert f"{APP}.json: is no regular file" in error_of(read, patches)
    (patches / f"{APP}.json").unlink()

    put(tmp_path, f"run3/{APP}.patch")
    (patches / "latest").symlink_to(tmp_path / "run3")
    assert "latest: is a link to a folder" in error_of(read, patches)
    (patches / "latest").unlink()

    # A socket or pipe that is called otherwise is never opened.
    os.mkfifo(patches / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(patches / "s"))
        assert len(read(patches)) == 1


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
