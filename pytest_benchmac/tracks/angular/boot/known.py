"""Boots of untouched bases that are known already: cases of a run are held against the same one."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter, ValidationError

from pytest_benchmac.files.once import PARTIAL
from pytest_benchmac.files.uses import last_use, note_use
from pytest_benchmac.files.whole import remove_whole
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from pytest_benchmac.tracks.angular.boot.walked import Walks

_RECORD = "record.json"
_PICTURES = "pictures"
#: Seconds for which a boot is kept that nobody uses: the seeds of runs that are over come back only
#: with `--boot-seed`.
_KEPT_S = 86_400
_WALKS: TypeAdapter[Walks] = TypeAdapter(Walks)


@dataclass(frozen=True)
class KnownBoots:
    """Kept by keys that stand for all that decides a boot, the seed of its case among it."""

    #: It need not exist.
    folder: Path

    @classmethod
    def of(cls, cache: Path) -> KnownBoots:
        """Those in a cache."""
        return cls(cache / "boots")

    def find(self, key: str) -> BootRecord | None:
        """What was seen; None where it is not known."""
        try:
            record = (self.folder / key / _RECORD).read_bytes()
            found = BootRecord.model_validate_json(record)
        except (FileNotFoundError, ValidationError):
            return None
        note_use(self.folder / key)
        return found

    def take(self, key: str, screenshots: Path) -> BootRecord | None:
        """What was seen, with the screenshots in a new folder; None where it is not known."""
        found = self.find(key)
        if found is not None:
            shutil.copytree(self.folder / key / _PICTURES, screenshots)
        return found

    def keep(self, key: str, record: BootRecord, screenshots: Path) -> None:
        """Keep what was seen, unless it is kept already; screenshots are the files of a folder."""
        if (self.folder / key).exists():
            return
        with self._new() as folder:
            new = folder / key
            new.mkdir()
            (new / _RECORD).write_text(json.dumps(record.model_dump(mode="json")))
            shutil.copytree(screenshots, new / _PICTURES)
            # Another process may have been first, with the same.
            with suppress(OSError):
                new.rename(self.folder / key)

    def later(self, key: str) -> Walks | None:
        """Its walks, taken once more; None where they are not known."""
        try:
            return _WALKS.validate_json(self._later(key).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def keep_later(self, key: str, walks: Walks) -> None:
        """Keep the walks that were taken once more."""
        with self._new() as folder:
            new = folder / _RECORD
            new.write_bytes(_WALKS.dump_json(walks))
            new.rename(self._later(key))

    def _later(self, key: str) -> Path:
        return self.folder / f"{key}.later"

    @contextmanager
    def _new(self) -> Iterator[Path]:
        """A folder to make one in, after those of runs long over are gone."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.iterdir():
            # Another process may remove it as well.
            with suppress(OSError):
                if time.time() - last_use(old.stat()) > _KEPT_S:
                    remove_whole(old)
        with TemporaryDirectory(dir=self.folder, prefix=PARTIAL) as folder:
            yield Path(folder)
