"""A boot's pictures, held against the baseline's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from pytest_benchmac.tracks.angular.boot.margins import Margins
from pytest_benchmac.tracks.angular.boot.pictures import (
    PictureError,
    difference,
    differing,
    share_of,
)
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Page
from pytest_benchmac.tracks.angular.boot.sight import (
    TEXTLESS,
    Sight,
    hidden_fields,
    hidden_texts,
    hidden_told,
)

#: Folder of the case's artifacts that has screenshots and full records.
ARTIFACTS = "boot"
#: Pictures beside a page's own: field of `PageResult`, and what the file's name says.
_NAMES = {"baseline_screenshot": "baseline", "difference": "difference"}


class Pictures:
    """Compares screenshots with the baseline's, and puts those and any differences beside them."""

    def __init__(self, folder: Path, before: Path, margins: Margins) -> None:
        """Of the case's boot in a folder, and of the baseline's in another."""
        self._folder, self._before, self._margins = folder, before, margins
        self.shares: dict[str, float | None] = {}
        #: By page: what is told of what nobody sees there.
        self.hidden: dict[str, list[str]] = {}
        #: The same of steps, by the numbers of walk and step.
        self.hidden_steps: dict[tuple[int, int], list[str]] = {}
        self._beside: dict[str, dict[str, str]] = {}

    def paths(self, page: str, screenshot: str | None) -> dict[str, str]:
        """Paths of a page's pictures below the case's artifacts, by field of `PageResult`."""
        names = {"screenshot": screenshot, **self._beside.get(page, {})}
        return {field: f"{ARTIFACTS}/{name}" for field, name in names.items() if name is not None}

    def compare(self, record: BootRecord, baseline: BootRecord) -> None:
        """Compare them all; of walks no picture is kept, nor any without texts."""
        before = {page.name: page for page in baseline.pages}

        def compare_page(page: Page) -> None:
            mine, base = page.screenshot, before.get(page.name)
            theirs = None if base is None else base.screenshot
            if mine is None or base is None or theirs is None:
                return
            sights = Sight.of(base, self._before), Sight.of(page, self._folder)
            self.hidden[page.name] = _hidden(*sights, self._margins.hidden)
            first = (self._before / theirs).read_bytes()
            second = (self._folder / mine).read_bytes()
            made = {"baseline_screenshot": first}
            share = 0.0
            # Most are the very same, and nothing is to be marked then.
            if first != second:
                try:
                    share, made["difference"] = difference(first, second)
                except PictureError:
                    return
            self.shares[page.name] = share
            names = {field: f"{Path(mine).stem}.{_NAMES[field]}.png" for field in made}
            for field, content in made.items():
                (self._folder / names[field]).write_bytes(content)
            self._beside[page.name] = names

        # Pillow computes without Python's lock.
        with ThreadPoolExecutor() as threads:
            # Takes what was raised.
            list(threads.map(compare_page, record.pages))
            pairs = {
                (walk, at): (Sight.of(before, self._before), Sight.of(step, self._folder))
                for walk, both in enumerate(zip(baseline.walks, record.walks, strict=False))
                for at, (before, step) in enumerate(zip(*both, strict=False))
                if before.path == step.path
            }
            looked = threads.map(
                lambda pair: _unlike(pair[0], pair[1], self._margins), pairs.values()
            )
            self.hidden_steps = dict(zip(pairs, looked, strict=True))
        for pattern in (f"*{TEXTLESS}", "walk-*.png"):
            for file in self._folder.glob(pattern):
                file.unlink(missing_ok=True)


def _unlike(base: Sight | None, case: Sight | None, margins: Margins) -> list[str]:
    """The same of a step, and whether its picture is another one."""
    told = _hidden(base, case, margins.hidden)
    if base is None or case is None or base.has_picture_of(case):
        return told
    with suppress(PictureError):
        share = share_of(differing(base.picture.read_bytes(), case.picture.read_bytes()))
        if share > margins.pixels_other:
            told.append(f"{share:.1%} of its pixels differ visibly")
    return told


def _hidden(base: Sight | None, case: Sight | None, margin: float) -> list[str]:
    """What is told of the base's texts and fields that nobody sees in the case."""
    if base is None or (case is not None and base.is_same(case)):
        return []
    told = []
    with suppress(PictureError):
        if case is None:
            # A page that cannot be pictured shows nothing.
            seen = sorted(base.visible().elements())
            told = [hidden_told(len(seen), seen, margin)]
        else:
            told = [
                hidden_told(*hidden_texts(base, case), margin),
                hidden_told(*hidden_fields(base, case), margin, "fields"),
            ]
    return [each for each in told if each]
