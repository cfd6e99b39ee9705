"""How like two boots are, and whether one of them succeeded: pure functions.

tracks/angular/boot/README.md has the formulas with their sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.control import (
    ControlResult,
    compare_controls,
    control_faults,
)
from pytest_benchmac.tracks.angular.boot.errors import error_keys, first_line, new_errors
from pytest_benchmac.tracks.angular.boot.figures import other_figures, other_words
from pytest_benchmac.tracks.angular.boot.margins import REDESIGNED, Margins, Share
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Page
from pytest_benchmac.tracks.angular.boot.similarity import multiset_f1
from pytest_benchmac.tracks.angular.boot.walk import NAMED, WalkResult, walk_faults
from pytest_benchmac.tracks.protocol import Observations

_HOST = re.compile(r"[a-z]+://([^/?#]*)")
#: What builders put into a page or leave out of it, by version.
_LOOKS = ("font", "stylesheet")
#: What differs from time to time in the query of a script, and how much of an address is told:
#: `driver/step.mjs` has the same.
_VARYING = re.compile(r"(?<==)(?:[\d.]{10,}|[\w-]{16,})(?=&|$)", re.ASCII)
_NAME = 200
#: How much longer a page may show nothing, in milliseconds of its own clock, which stands while
#: scripts are loaded and run: many times what it takes.
_BLANK_MS = 1_500


class PageResult(Model):
    """One page of a case, compared: all that the metrics need. Shares lie in [0, 1]."""

    route: ForeignText
    step: int
    #: Where the browser was in the end, and where it was for the baseline; None without one.
    path: ForeignText
    baseline_path: ForeignText | None = None
    title: ForeignText = ""
    #: Of the baseline, and the languages that both documents say they have.
    baseline_title: ForeignText = ""
    lang: ForeignText = ""
    baseline_lang: ForeignText = ""
    rendered: bool
    version: ForeignText | None
    settled: bool
    first_render_ms: int | None
    #: How long it showed nothing by its own clock, in milliseconds, and the baseline's.
    blank_ms: int | None = None
    baseline_blank_ms: int | None = None
    problem: ForeignText = ""
    #: The text that an interaction has to lead to, where it is missing.
    unmet: ForeignText | None = None
    #: Errors that the baseline's boot does not have anywhere.
    new_console_errors: tuple[ForeignText, ...] = ()
    new_exceptions: tuple[ForeignText, ...] = ()
    console_errors: int = 0
    exceptions: int = 0
    #: Requests that were refused, and files that the build does not have: method and address.
    refused: tuple[ForeignText, ...] = ()
    missing: tuple[ForeignText, ...] = ()
    #: Hosts that the baseline's boot asks nowhere.
    new_hosts: tuple[ForeignText, ...] = ()
    #: Multiset F1 of (role, name) over the accessibility trees; None for the baseline itself.
    tree_similarity: Share | None = None
    #: Dice's coefficient of word pairs.
    text_similarity: Share | None = None
    #: Share of pixels that differ visibly; None without both screenshots.
    image_difference: Share | None = None
    #: What cannot be seen of the texts and fields that are seen on the baseline's page; else empty.
    hidden: ForeignText = ""
    #: Numbers that are shown instead of the baseline's; at most twenty.
    figures: tuple[ForeignText, ...] = ()
    same_dom: bool | None = None
    #: Paths below the case's artifacts; no `difference` of pictures that are the very same.
    screenshot: str | None = None
    baseline_screenshot: str | None = None
    difference: str | None = None

    @property
    def name(self) -> str:
        """For tables and messages."""
        return f"{self.route} [{self.step}]" if self.step else self.route


class BootResult(Observations):
    """What the boot stage observed; the metrics follow from it."""

    #: Version of Chromium.
    browser: str = ""
    #: The major that the running framework has to have.
    expected_major: int
    min_tree_similarity: Share
    #: How much less than the base the case may show beside that.
    margins: Margins = REDESIGNED  # of records before version 18
    #: What the conditions were drawn from: `--boot-seed` takes it.
    seed: int = 0
    #: Did the base fail under drawn window, language and time zone, but not under plain ones?
    plain: bool = False
    #: How often it was carried out: once more where something was wrong.
    boots: int = 1
    #: What was wrong the first time, where it was carried out twice; at most twenty.
    first_faults: tuple[ForeignText, ...] = ()
    #: Was there a baseline to compare with? Not for the baseline itself.
    compared: bool
    #: Pages that the instance declares.
    declared: int = Field(ge=1)
    pages: tuple[PageResult, ...] = ()
    #: How many different looks elements have on all pages, and for the baseline.
    looks: int = 0
    baseline_looks: int = 0
    #: How random walks compare; None where the base took none.
    walk: WalkResult | None = None
    #: Pages that were opened in a browser whose time and chance are its own.
    controls: tuple[ControlResult, ...] = ()
    #: What pages use of the browser or listen to, and the base's never do; at most twenty.
    uses: tuple[ForeignText, ...] = ()
    #: Why there was nothing to boot, or why the boot broke off; else empty.
    problem: ForeignText = ""


# --- similarities -------------------------------------------------------------------------------


def tree_similarity(first: Page, second: Page) -> float:
    """Multiset F1 of the (role, name) pairs of two accessibility trees, static text included."""
    return multiset_f1(first.tree, second.tree)


def text_similarity(first: str, second: str) -> float:
    """Multiset F1 of the pairs of neighbouring words, the ends of the text counted as words.

    Shingles of two words (Broder 1997), compared by Dice's coefficient.
    """
    return multiset_f1(_word_pairs(first), _word_pairs(second))


def _word_pairs(text: str) -> list[tuple[str, str]]:
    words = text.split()
    return list(zip(["", *words], [*words, ""], strict=True)) if words else []


# --- the comparison -----------------------------------------------------------------------------


def compare(
    boot: BootRecord,
    baseline: BootRecord | None,
    declared: Boot,
    image_differences: Mapping[str, float | None],
    hidden: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[PageResult, ...]:
    """Compare the pages of a boot with the baseline's, each with the one of the same name.

    Args:
        boot: of the case.
        baseline: of the untouched base; None when the case is the untouched base.
        declared: what the instance asks for.
        image_differences: by page name; None where a screenshot is missing.
        hidden: by page name, what is told of what nobody sees there.
    """
    before = {page.name: page for page in baseline.pages} if baseline else {}
    console = error_keys(error for page in before.values() for error in page.console_errors)
    exceptions = error_keys(error for page in before.values() for error in page.exceptions)
    hosts = hosts_of(before.values())
    expected = {
        (route.path, step): interaction.expect
        for route in declared.routes
        for step, interaction in enumerate(route.interactions, 1)
        if interaction.expect
    }
    return tuple(
        _compared(
            page,
            before.get(page.name),
            expected=expected.get((page.route, page.step)),
            new_console=new_errors(page.console_errors, console) if baseline else (),
            new_exceptions=new_errors(page.exceptions, exceptions) if baseline else (),
            new_hosts=tuple(sorted(hosts_of([page]) - hosts)) if baseline else (),
            image_difference=image_differences.get(page.name),
            hidden="; ".join(hidden.get(page.name, ())),
        )
        for page in boot.pages
    )


def looks_of(record: BootRecord | None) -> int:
    """How many different looks elements have on all pages; 0 without a record."""
    return len({look for page in record.pages for look in page.looks}) if record else 0


def hosts_of(pages: Iterable[Page]) -> set[str]:
    """Hosts that pages ask in vain, and for which scripts, as `driver/step.mjs` tells them.

    For looks alone, they may well ask others after an upgrade.
    """
    asked = [
        each
        for page in pages
        for each in page.requests
        if each.why == "refused" and each.kind not in _LOOKS
    ]
    scripts = {_VARYING.sub("~", each.url)[:_NAME] for each in asked if each.kind == "script"}
    return scripts | {match[1] for each in asked if (match := _HOST.match(each.url)) is not None}


def _compared(
    page: Page,
    before: Page | None,
    *,
    expected: str | None,
    new_console: tuple[str, ...],
    new_exceptions: tuple[str, ...],
    new_hosts: tuple[str, ...],
    image_difference: float | None,
    hidden: str,
) -> PageResult:
    met = expected is None or " ".join(expected.split()) in page.text
    return PageResult(
        route=page.route,
        step=page.step,
        path=page.path,
        baseline_path=before.path if before else None,
        title=page.title,
        baseline_title=before.title if before else "",
        lang=page.lang,
        baseline_lang=before.lang if before else "",
        rendered=page.rendered,
        version=page.version,
        settled=page.settled,
        first_render_ms=page.first_render_ms,
        blank_ms=page.blank_ms,
        baseline_blank_ms=before.blank_ms if before else None,
        problem=page.problem,
        unmet=None if met else expected,
        new_console_errors=new_console,
        new_exceptions=new_exceptions,
        console_errors=len(page.console_errors),
        exceptions=len(page.exceptions),
        refused=tuple(f"{r.method} {r.url}" for r in page.requests if r.why == "refused"),
        new_hosts=new_hosts,
        missing=tuple(f"{r.method} {r.url}" for r in page.requests if r.why == "missing"),
        tree_similarity=round(tree_similarity(before, page), 4) if before else None,
        text_similarity=round(text_similarity(before.text, page.text), 4) if before else None,
        image_difference=None if image_difference is None else round(image_difference, 4),
        hidden=hidden,
        figures=_figures(before, page) if before else (),
        same_dom=before.dom_sha256 == page.dom_sha256 if before else None,
        screenshot=page.screenshot,
    )


def _figures(before: Page, page: Page) -> tuple[str, ...]:
    pairs = [
        *other_figures(before.tree, page.tree),
        *other_words(before.tree, page.tree, before.tree, page.tree),
    ]
    told = dict.fromkeys(f"shows {own!r}; the base {theirs!r}" for theirs, own in pairs)
    return tuple(told)[:NAMED]


# --- the metrics --------------------------------------------------------------------------------


def faults(result: BootResult) -> list[str]:
    """Everything that keeps a boot from being a success, one sentence each; empty for one."""
    if result.problem:
        return [result.problem]
    found = [fault for page in result.pages for fault in _faults_of(page, result)]
    found += _lost_titles(result.pages)
    if result.looks < result.margins.looks_left * result.baseline_looks:
        found.append(
            f"elements have {result.looks} different looks; the baseline's {result.baseline_looks}"
        )
    if len(result.pages) < result.declared:
        found.append(f"{result.declared - len(result.pages)} pages were not reached")
    for control in result.controls:
        found += control_faults(control, result.min_tree_similarity)
    if result.walk is not None:
        found += walk_faults(result.walk)
    found += result.uses
    return found


def _lost_titles(pages: Sequence[PageResult]) -> Iterator[str]:
    """Pages of one title that have several in the baseline: in a browser's tabs they are one."""
    titles: dict[str, dict[str, str]] = {}
    for page in pages:
        if not page.problem and page.baseline_title:
            titles.setdefault(page.title, {}).setdefault(page.baseline_title, page.name)
    for title, names in titles.items():
        if len(names) > 1:
            told = " and ".join(list(names.values())[:2])
            yield f"{told} have one title, {title!r}; the baseline has {len(names)}"


def _faults_of(page: PageResult, result: BootResult) -> list[str]:
    found: list[str] = []
    if page.problem:
        # Most of the rest would only follow from it.
        return [f"{page.name}: {page.problem}"]
    if not page.rendered:
        found.append(f"{page.name}: the root element is empty, or not the framework's")
    elif _major(page.version) != result.expected_major:
        seen = page.version or "no version"
        found.append(f"{page.name}: {seen} is running; wanted: {result.expected_major}.x")
    if page.baseline_path is not None and page.path != page.baseline_path:
        found.append(f"{page.name}: ended at {page.path}; the baseline at {page.baseline_path}")
    if page.blank_ms is not None and page.baseline_blank_ms is not None:
        longer = page.blank_ms - page.baseline_blank_ms
        if longer > _BLANK_MS:
            found.append(f"{page.name}: shows nothing for {longer} ms longer than the baseline")
    if page.baseline_lang and _language(page.lang) != _language(page.baseline_lang):
        found.append(f"{page.name}: says its language is {page.lang!r}, not {page.baseline_lang!r}")
    if page.unmet is not None:
        found.append(f"{page.name}: does not show {page.unmet!r}")
    for what, errors in (
        ("uncaught exception", page.new_exceptions),
        ("error logged", page.new_console_errors),
    ):
        found += [f"{page.name}: {what}: {first_line(error)}" for error in errors]
    found += [f"{page.name}: asks {host}, which the base never does" for host in page.new_hosts]
    found += [f"{page.name}: {each}" for each in page.figures]
    if page.hidden:
        found.append(f"{page.name}: {page.hidden}")
    if page.tree_similarity is not None and page.tree_similarity < result.min_tree_similarity:
        found.append(
            f"{page.name}: tree similarity {page.tree_similarity:.3f} is below "
            f"{result.min_tree_similarity:g}"
        )
    most = result.margins.pixels_other
    if page.image_difference is not None and page.image_difference > most:
        found.append(f"{page.name}: {page.image_difference:.1%} of its pixels differ visibly")
    return found


def base_faults(record: BootRecord, boot: Boot, source_major: int) -> list[str]:
    """What keeps the boot of the untouched base from being one, compared with itself.

    Args:
        record: of the base.
        boot: what the instance declares.
        source_major: major version of the framework at the base.
    """
    return faults(
        BootResult(
            expected_major=source_major,
            min_tree_similarity=boot.min_tree_similarity,
            compared=False,
            declared=boot.pages,
            pages=compare(record, record, boot, {}),
            controls=compare_controls(record.controls, record.controls),
        )
    )


def _language(tag: str) -> str:
    """The primary language of a tag (RFC 5646)."""
    return tag.split("-")[0].lower()


def _major(version: str | None) -> int | None:
    match = re.match(r"(\d{1,4})\.", version or "")
    return int(match[1]) if match else None


def boot_similarity(result: BootResult) -> float | None:
    """Mean tree similarity over the declared pages, those not reached counted as 0.

    None for the baseline itself.
    """
    if not result.compared:
        return None
    shares = [page.tree_similarity or 0.0 for page in result.pages]
    return round(sum(shares) / max(result.declared, len(shares)), 4)
