"""Files that the home folder of a sandbox begins with."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from pytest_benchmac.environment.recipe import STAGE_UID
from pytest_benchmac.files.archives import unpack


def home_archive(files: Mapping[str, bytes]) -> bytes:
    """Tar of `NetworkAttachment.home_files`, to be unpacked in a sandbox's home."""
    #: None for a folder.
    entries: dict[str, bytes | None] = {}
    for name, content in files.items():
        parents = [str(each) for each in reversed(PurePosixPath(name).parents) if each.name]
        entries |= dict.fromkeys(parents, None) | {name: content}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
            entry.mode = 0o755 if data is None else 0o644
            entry.size, entry.uid, entry.gid = len(data or b""), STAGE_UID, STAGE_UID
            tar.addfile(entry, io.BytesIO(data or b""))
    return packed.getvalue()


def fill_home(files: Mapping[str, bytes], home: Path, *, keep_owners: bool) -> None:
    """Write `NetworkAttachment.home_files` into a home that is a folder of the host.

    Raises:
        OSError: it cannot be written.
    """
    if files:
        with tempfile.NamedTemporaryFile() as archive:
            archive.write(home_archive(files))
            archive.flush()
            unpack(Path(archive.name), home, keep_owners=keep_owners)
