"""Files that cross the border of a sandbox: what comes out is bounded, and only plain files."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path, PurePosixPath
from typing import IO

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.sandbox.base import Copied, CopiedFile, Sandbox

_CHUNK = 1024 * 1024

#: A path that is longer than the host may take, or deeper than anybody needs, is an attack.
_MAX_PATH_BYTES = 1024
_MAX_NAME_BYTES = 255

#: Folders, links and the like are not files, but reading past them takes time too.
_ENTRIES_PER_FILE = 10


def read_file(
    sandbox: Sandbox, path: PurePosixPath, *, max_bytes: int, scratch: Path | None = None
) -> bytes | None:
    """Content of one regular file in a sandbox; None where there is none.

    Args:
        sandbox: started.
        path: of the file, absolute.
        max_bytes: bound on it.
        scratch: folder on the host that it is copied below; the system's own by default.

    Raises:
        CopyLimitError: it is larger than the bound.
        SandboxError: the sandbox failed.
    """
    with tempfile.TemporaryDirectory(prefix="benchmac-", dir=scratch) as folder:
        copied = sandbox.copy_out(path, Path(folder), max_bytes=max_bytes, max_files=1).files
        return (Path(folder) / copied[0].path).read_bytes() if copied else None


@dataclass(frozen=True)
class _Offered:
    """A regular file that a sandbox offers, relative to the folder asked for."""

    path: PurePosixPath
    size: int
    content: IO[bytes] | None = None
    #: Instead of content: another name, offered earlier, of the same file.
    same_as: PurePosixPath | None = None


def relative_to_root(path: PurePosixPath, root: PurePosixPath) -> PurePosixPath:
    """The path below `root`.

    Raises:
        ValueError: it is not below it, or has `..` in it: a mistake of the caller.
    """
    if ".." in path.parts or not path.is_relative_to(root):
        raise ValueError(f"{path} is not below {root}")
    return path.relative_to(root)


def copy_from_tar(
    stream: Iterable[bytes], destination: Path, *, max_bytes: int, max_files: int
) -> Copied:
    """Keep the regular files of a tar of one folder (or one file), as an engine sends it.

    Raises:
        CopyLimitError: there is more than the bounds allow; nothing was kept.
        tarfile.TarError: the tar is broken off or malformed.
    """
    reader = _Reader(stream)
    with tarfile.open(fileobj=reader, mode="r|", bufsize=_CHUNK) as tar:
        return _keep(
            _offered_by(tar, max_files), destination, max_bytes=max_bytes, max_files=max_files
        )


def copy_from_folder(
    root: Path, source: PurePosixPath, destination: Path, *, max_bytes: int, max_files: int
) -> Copied:
    """Keep the regular files of `root`/`source`, whose owner may be hostile; links are never used.

    Raises:
        CopyLimitError: there is more than the bounds allow; nothing was kept.
    """
    return _keep(
        _offered_below(root, source, max_files),
        destination,
        max_bytes=max_bytes,
        max_files=max_files,
    )


def write_file(content: bytes | Path, target: Path) -> None:
    """Write a file that everybody may read, and the folders in between."""
    # One by one: the mode of parents is subject to the harness's umask.
    for folder in reversed(target.parents):
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o755)
    if isinstance(content, Path):
        shutil.copyfile(content, target)
    else:
        target.write_bytes(content)
    target.chmod(0o644)


def _offered_by(tar: tarfile.TarFile, max_files: int) -> Iterator[_Offered]:
    for count, member in enumerate(tar):
        _check_entries(count, max_files)
        if member.islnk():
            same_as = _below_top(member.linkname)
            yield _Offered(_below_top(member.name), 0, same_as=same_as)
        elif member.isreg():
            yield _Offered(_below_top(member.name), member.size, tar.extractfile(member))


def _below_top(name: str) -> PurePosixPath:
    """The name without the folder that was asked for; that of a single file stays."""
    parts = PurePosixPath(name).parts
    return PurePosixPath(*(parts[1:] if len(parts) > 1 else parts))


def _offered_below(root: Path, source: PurePosixPath, max_files: int) -> Iterator[_Offered]:
    try:
        start = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        for part in source.parts[:-1]:
            start = _descend(start, part)
    except OSError:
        # Not there, or reached only through a link.
        return
    name = source.parts[-1] if source.parts else "."
    entries = 0
    # (folder, its path for the result, names left to visit): deep trees must not exhaust a stack
    # of Python frames, nor names grow beyond what one system call takes.
    pending = [(start, PurePosixPath(), iter([name]))]
    try:
        while pending:
            folder, prefix, left = pending[-1]
            entry = next(left, None)
            if entry is None:
                os.close(folder)
                pending.pop()
                continue
            entries += 1
            _check_entries(entries, max_files)
            try:
                mode = os.lstat(entry, dir_fd=folder).st_mode
            except OSError:
                continue
            top = len(pending) == 1
            if stat.S_ISDIR(mode):
                try:
                    opened = os.open(
                        entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder
                    )
                except OSError:
                    continue
                path = prefix if top else prefix / entry
                if len(os.fsencode(path)) > _MAX_PATH_BYTES:
                    os.close(opened)
                    raise CopyLimitError(f"a path below {source} is too long to be copied")
                names = sorted(os.listdir(opened))  # noqa: PTH208 - of a descriptor
                pending.append((opened, path, iter(names)))
            elif stat.S_ISREG(mode):
                try:
                    opened = os.open(
                        entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder
                    )
                except OSError:
                    continue
                with os.fdopen(opened, "rb") as content:
                    yield _Offered(prefix / entry, os.fstat(opened).st_size, content)
    finally:
        for folder, _, _ in pending:
            os.close(folder)


def _descend(folder: int, name: str) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _check_entries(count: int, max_files: int) -> None:
    if count > _ENTRIES_PER_FILE * (max_files + 100):
        raise CopyLimitError(f"more than {count} folders, links and other entries")


def _keep(
    offered: Iterable[_Offered], destination: Path, *, max_bytes: int, max_files: int
) -> Copied:
    """Write what is offered to a folder of its own, and move it to `destination` if all fits."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[PurePosixPath, CopiedFile] = {}
    left_out: list[str] = []
    total = 0
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=".partial-") as scratch:
        for each in offered:
            original = kept.get(each.same_as) if each.same_as else None
            if each.path in kept or (each.same_as and original is None):
                continue
            if not _representable(each.path):
                left_out.append(str(each.path))
                if len(left_out) > max_files:
                    raise CopyLimitError(f"more than {max_files} files with odd names")
                continue
            size = original.bytes if original else each.size
            total += size
            if len(kept) >= max_files:
                raise CopyLimitError(f"more than {max_files} files")
            if total > max_bytes:
                raise CopyLimitError(f"more than {max_bytes} bytes")
            target = Path(scratch) / each.path
            target.parent.mkdir(parents=True, exist_ok=True)
            if original:
                shutil.copyfile(Path(scratch) / original.path, target)
                kept[each.path] = CopiedFile(each.path, original.bytes, original.sha256)
            elif each.content:
                written, digest = _write(each.content, target, size)
                kept[each.path] = CopiedFile(each.path, written, digest)
        for path in kept:
            target = destination / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(scratch) / path, target)
    return Copied(tuple(kept.values()), tuple(left_out))


def _write(content: IO[bytes], target: Path, size: int) -> tuple[int, str]:
    """Write at most `size` bytes; how many there were, and their digest."""
    digest = hashlib.sha256()
    written = 0
    with target.open("xb") as file:
        while written < size and (piece := content.read(min(_CHUNK, size - written))):
            file.write(piece)
            digest.update(piece)
            written += len(piece)
    return written, digest.hexdigest()


def _representable(path: PurePosixPath) -> bool:
    """Can the name be a file on any host, a line in a record, and nothing but itself?

    Raises:
        CopyLimitError: the path is too long.
    """
    if path.is_absolute() or not path.parts or ".." in path.parts:
        return False
    if len(os.fsencode(path)) > _MAX_PATH_BYTES:
        raise CopyLimitError(f"a path is too long to be copied: {str(path)[:100]!r}...")
    name = str(path)
    return name.isprintable() and all(
        len(os.fsencode(part)) <= _MAX_NAME_BYTES for part in path.parts
    )


class _Reader(RawIOBase):
    """The pieces of a stream as a file."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = bytearray()
        while size < 0 or len(wanted) < size:
            if not self._rest:
                piece = next(self._pieces, None)
                if piece is None:
                    break
                self._rest = memoryview(piece)
            take = len(self._rest) if size < 0 else size - len(wanted)
            wanted += self._rest[:take]
            self._rest = self._rest[take:]
        return bytes(wanted)
