"""Trees of `node_modules` that were laid once and are kept, by what decided them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_benchmac.files.locking import if_unused, shared, used_lock
from pytest_benchmac.files.once import made_once
from pytest_benchmac.files.whole import remove_whole

#: The latest used ones that are kept; each has some 40,000 names, and no content of its own.
_KEPT = 24
_PACKAGES = "node_modules"


class KeptTrees:
    """Trees by key. Safe for any number of processes.

    Args:
        folder: where they are; on the file system of the store, and open to sandboxes' users.
        kept: how many stay when nobody uses them.
    """

    def __init__(self, folder: Path, *, kept: int = _KEPT) -> None:
        self._folder = folder
        self._kept = kept

    @contextmanager
    def use(self, decisive: bytes, make: Callable[[Path], object]) -> Iterator[Path]:
        """The tree that some inputs decide; it stays for as long as the block runs.

        Args:
            decisive: all that decides it.
            make: makes `node_modules` in the folder that it is given, where it is not kept yet.

        Yields:
            The folder of packages. Nothing of it may be written.

        Raises:
            whatever `make` raises; OSError: the disk failed.
        """
        place = self._folder / hashlib.sha256(decisive).hexdigest()[:32]
        with shared(used_lock(place)):
            with made_once(place) as partial:
                if partial is not None:
                    partial.mkdir()
                    make(partial)
            # The time of its last use.
            place.touch()
            yield place / _PACKAGES
        self._make_room()

    def _make_room(self) -> None:
        """Remove the trees that were used longest ago, unless somebody uses them now."""
        used: list[tuple[float, Path]] = []
        for lock in self._folder.glob(used_lock(Path("*")).name):
            place = lock.with_suffix("")
            try:
                used.append((place.stat().st_mtime, place))
            except FileNotFoundError:
                continue
        for _, place in sorted(used)[: -self._kept]:
            with if_unused(used_lock(place)) as alone:
                if alone and place.is_dir():
                    remove_whole(place)
