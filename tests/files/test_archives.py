"""Archives of this package's own making are unpacked as they were packed."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from pytest_benchmac.files.archives import unpack


@pytest.mark.parametrize("keep_owners", [False, True])
def test_modes_links_and_owners(tmp_path: Path, *, keep_owners: bool) -> None:
    if keep_owners and os.geteuid() != 0:
        pytest.skip("only root may give files away")
    program = tmp_path / "program"
    program.write_text("x")
    program.chmod(0o751)
    with tarfile.open(tmp_path / "all.tar", "w") as tar:
        entry = tar.gettarinfo(program, "program")
        entry.uid = entry.gid = 1234
        with program.open("rb") as content:
            tar.addfile(entry, content)
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "program"
        tar.addfile(link)
    folder = tmp_path / "folder"
    folder.mkdir()
    unpack(tmp_path / "all.tar", folder, keep_owners=keep_owners)
    status = (folder / "program").stat()
    assert status.st_mode & 0o777 == 0o751
    assert status.st_uid == (1234 if keep_owners else os.geteuid())
    assert os.readlink(folder / "link") == "program"  # noqa: PTH115


def test_what_cannot_be_unpacked_is_told_in_tars_words(tmp_path: Path) -> None:
    (tmp_path / "bad.tar").write_bytes(b"no archive" * 100)
    with pytest.raises(OSError, match=r"tar: .*not look like a tar archive"):
        unpack(tmp_path / "bad.tar", tmp_path, keep_owners=False)
