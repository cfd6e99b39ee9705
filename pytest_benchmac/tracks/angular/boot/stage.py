"""The boot stage, and what it learns from the untouched base."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.model.base import BaselineFacts, Model
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.angular.boot.browser import BootPlan, BrokenBootError, Site
from pytest_benchmac.tracks.angular.boot.compare import BootResult, compare, faults
from pytest_benchmac.tracks.angular.boot.pictures import PictureError, difference
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Page
from pytest_benchmac.tracks.protocol import StageContext

#: Where `BaselineFacts` have the boot of the baseline.
FACTS = "boot"
#: Folder of the case's artifacts that has screenshots and full records.
ARTIFACTS = "boot"

#: Pictures beside a page's own: field of `PageResult`, and what the file's name says.
_NAMES = {"baseline_screenshot": "baseline", "difference": "difference"}

_NO_INDEX = "the build left no index.html"


class BaselineBoot(Model):
    """The boot of the untouched base: its record, and its screenshots in base64 by file name."""

    record: BootRecord
    screenshots: dict[str, str]

    @classmethod
    def of(cls, record: BootRecord, file: Callable[[str], Path]) -> BaselineBoot:
        """A boot with the content of its screenshots, which lie where `file` says of a name."""
        named = [page.screenshot for page in record.pages if page.screenshot is not None]
        screenshots = {name: base64.b64encode(file(name).read_bytes()).decode() for name in named}
        return cls(record=record, screenshots=screenshots)


def boot_and_compare(
    context: StageContext[Instance],
    plan: BootPlan,
    *,
    expected_major: int,
    build_output: Callable[[], Path],
) -> BootResult:
    """Boot what the case built, and compare it with the baseline's boot where there is one.

    Args:
        context: of the boot stage.
        plan: what the instance declares.
        expected_major: major version that the running framework has to have.
        build_output: the folder on the host with what was built.

    Raises:
        BaselineError: the facts are of no use.
        CopyLimitError: the application is too large.
        InfrastructureError: the sandbox or the harness failed.
    """
    boot = plan.boot
    known = context.baseline_facts.get(FACTS)
    baseline = None if known is None else _baseline(known)
    result = BootResult(
        expected_major=expected_major,
        min_tree_similarity=boot.min_tree_similarity,
        compared=baseline is not None,
        declared=boot.pages,
    )
    site = Site.find(build_output())
    if site is None:
        return result.model_copy(update={"problem": _NO_INDEX})
    with TemporaryDirectory(dir=context.scratch) as folder:
        kept = Path(folder) / ARTIFACTS
        try:
            record = _booted(context, site, plan, kept)
        except BrokenBootError as error:
            return result.model_copy(update={"problem": str(error)})
        pictures = _Pictures(kept)
        if baseline is not None:
            pictures.compare(record, baseline)
            _write(kept / "baseline.json", baseline.record)
        _write(kept / "boot.json", record)
        before = None if baseline is None else baseline.record
        pages = [
            page.model_copy(update=pictures.paths(page.name, page.screenshot))
            for page in compare(record, before, boot, pictures.shares)
        ]
        context.keep(kept, ARTIFACTS)
    return result.model_copy(update={"browser": record.browser, "pages": tuple(pages)})


def learn_boot(
    context: StageContext[Instance], plan: BootPlan, built: Path, *, source_major: int
) -> BaselineFacts:
    """Boot the untouched base.

    Args:
        context: for learning.
        plan: what the instance declares.
        built: folder on the host with what the base built.
        source_major: major version of the framework at the base.

    Raises:
        BaselineError: the base does not do what every patch is asked to.
        InfrastructureError: the sandbox or the harness failed.
    """
    boot = plan.boot
    site = Site.find(built)
    if site is None:
        raise BaselineError(f"{context.instance.id}: {_NO_INDEX}")
    with TemporaryDirectory(dir=context.scratch) as folder:
        kept = Path(folder) / ARTIFACTS
        try:
            record = _booted(context, site, plan, kept)
        except BrokenBootError as error:
            raise BaselineError(f"{context.instance.id}: {error}") from error
        result = BootResult(
            expected_major=source_major,
            min_tree_similarity=boot.min_tree_similarity,
            compared=False,
            declared=boot.pages,
            pages=compare(record, record, boot, {}),
        )
        if wrong := faults(result):
            raise BaselineError(
                f"{context.instance.id}: the untouched base does not boot: {'; '.join(wrong)}",
                remedy="Correct [boot] in instance.toml; `benchmac propose-boot` proposes one.",
            )
        known = BaselineBoot.of(record, lambda name: kept / name)
    return {FACTS: known.model_dump(mode="json")}


def _booted(
    context: StageContext[Instance], site: Site, plan: BootPlan, screenshots: Path
) -> BootRecord:
    with context.standby(plan.standby) as browser:
        return plan.drive(
            browser.sandbox,
            lambda timeout_s: browser.finish(timeout_s=timeout_s).attempt.exit_code,
            site,
            scratch=context.scratch,
            screenshots=screenshots,
        )


def _baseline(known: Any) -> BaselineBoot:
    try:
        return BaselineBoot.model_validate(known)
    except ValidationError as error:
        raise BaselineError(
            f"what is known of the baseline's boot cannot be read: {error.errors()[0]['msg']}",
            remedy="Remove the folder `facts` of the cache: it is learnt anew.",
        ) from error


def _write(file: Path, record: BootRecord) -> None:
    file.write_text(json.dumps(record.model_dump(mode="json"), indent=1) + "\n")


class _Pictures:
    """Compares screenshots with the baseline's, and puts those and any differences beside them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.shares: dict[str, float | None] = {}
        self._beside: dict[str, dict[str, str]] = {}

    def paths(self, page: str, screenshot: str | None) -> dict[str, str]:
        """Paths of a page's pictures below the case's artifacts, by field of `PageResult`."""
        names = {"screenshot": screenshot, **self._beside.get(page, {})}
        return {field: f"{ARTIFACTS}/{name}" for field, name in names.items() if name is not None}

    def compare(self, record: BootRecord, baseline: BaselineBoot) -> None:
        before = {page.name: page.screenshot for page in baseline.record.pages}

        def compare_page(page: Page) -> None:
            mine, theirs = page.screenshot, before.get(page.name)
            if mine is None or theirs is None:
                return
            first = base64.b64decode(baseline.screenshots[theirs])
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
