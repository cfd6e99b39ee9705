"""`benchmac show`: one case in the terminal, and a page of it alone with its pictures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from pytest_benchmac.judging.store import EvaluationStore, interpreting
from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import Evaluation, Outcome
from pytest_benchmac.model.submission import Case
from pytest_benchmac.report.cases import (
    CaseResult,
    explanations_of,
    load_records,
    matrix_of,
    pages_of,
)
from pytest_benchmac.report.formats.columns import finding_line, one_line
from pytest_benchmac.report.page.case import case_key
from pytest_benchmac.report.page.page import packaged_silver_patches, write_page
from pytest_benchmac.report.view import RecordView
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.views import PageView

#: Where the page of one case goes, below its report folder.
FOLDER = "show"
#: Of a failed stage's standard error; the log has all.
_TAIL_LINES = 20


def add_show_parser(subparsers: Subparsers) -> None:
    """Add `benchmac show`."""
    parser = subparsers.add_parser(
        "show",
        help="show what happened in one case",
        description="Print the stages, metrics, findings and pages of one case, and write a page "
        "of it alone, with logs, patch, and the screenshots of base and case side by side.",
        epilog="examples:\n"
        "  benchmac show trailbook_v18_to_v19\n"
        "  benchmac show my-agent/trailbook_v18_to_v19 --reports reports/monday",
    )
    parser.add_argument("case", metavar="CASE", help="INSTANCE, SUT/INSTANCE or SUT/INSTANCE#2")
    parser.add_argument(
        "--reports",
        metavar="DIR",
        type=Path,
        default=Path("reports/latest"),
        help="report folder (default: %(default)s)",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    folder: Path = args.reports
    case = find_case(args.case, folder)
    store = EvaluationStore(folder)
    evaluation = store.load(case)
    if evaluation is None:
        raise InputError("the record is gone", where=store.path(case))
    with interpreting(store.path(case)):
        result = CaseResult.of(RecordView.of(evaluation), folder)
    console = Console(highlight=False)
    with interpreting(store.path(case)):
        for part in told(result, evaluation, folder):
            console.print(part)
    page = write_page(
        folder / FOLDER / case_key(case),
        [(result, folder)],
        title=case.id.strip("{}"),
        patches=packaged_silver_patches(),
    )
    address = f"{page.resolve().as_uri()}#/case/{case_key(case)}"
    console.print(f"page: {address}", markup=False, soft_wrap=True)
    return 0


def find_case(name: str, folder: Path) -> Case:
    """The one case of a report folder that a name fits.

    Args:
        name: an instance, or the case's id with or without its braces.
        folder: the report folder.

    Raises:
        InputError: no case has this name, or several have.
        RecordError: see `load_records`.
    """
    cases = [record.case for record, _ in load_records([folder])]
    wanted = name.strip("{}")
    found = [each for each in cases if wanted in _names(each)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.id.strip("{}") for each in (found or cases)[:20])
    raise InputError(
        f"{len(found)} cases are called {name!r}" if found else f"there is no case {name!r}",
        where=folder,
        remedy=f"Name one of: {names}.",
    )


def _names(case: Case) -> tuple[str, ...]:
    """With the SUT's name encoded, as ids have it, and as it is."""
    encoded = case.id.strip("{}")
    return encoded, f"{case.sut}/{encoded.rpartition('/')[2]}", case.instance_id


def told(result: CaseResult, evaluation: Evaluation, folder: Path) -> Iterator[RenderableType]:
    """What there is to say about a case of a report folder, for a terminal."""
    if evaluation.error is not None:
        yield _text(f"{evaluation.case.id}: infrastructure error: {evaluation.error.message}")
        return
    word = "resolved" if evaluation.resolved else "not resolved"
    yield _text(f"{evaluation.case.id}: {word}, integrity {result.verdict.value}")
    if result.diagnosis is not None:
        cause = result.diagnosis.cause.replace("_", " ")
        yield _text(f"{cause}: {result.diagnosis.first_error}".rstrip(": "))
        if codes := result.diagnosis.codes:
            counts = (f"{code} x{count}" if count > 1 else code for code, count in codes.items())
            yield _text(f"codes: {', '.join(counts)}")
    metrics = (f"{n.replace('_', ' ')}: {_value(v)}" for n, v in evaluation.metrics.items())
    yield _text(", ".join(metrics))
    stages = _table("stage", "outcome", "seconds", "reason")
    for stage in evaluation.stages:
        outcome = stage.outcome.value.replace("_", " ")
        stages.add_row(stage.name, outcome, f"{stage.duration_s:.1f}", _text(stage.reason))
    yield stages
    yield from _output(evaluation, folder)
    for finding in evaluation.integrity.findings:
        yield _text(finding_line(finding))
    for code in explanations_of(evaluation):
        yield _text(f"what {code} means: benchmac explain {code}")
    for stage in evaluation.stages:
        if pages := pages_of(evaluation.track, stage):
            yield _pages(pages)
        if rows := matrix_of(evaluation.track, stage):
            table = _table(f"{stage.name}: area", "passed", "first that failed")
            for row in rows:
                table.add_row(_text(row.area), f"{row.passed} of {row.total}", _text(row.first))
            yield table


def _output(evaluation: Evaluation, folder: Path) -> Iterator[Text]:
    """The end of what the stage that failed printed to standard error, and where all of it is."""
    failed = next((s for s in evaluation.stages if s.outcome is Outcome.FAILED), None)
    if failed is None or not failed.attempts:
        return
    attempt = failed.attempts[-1]
    if tail := attempt.stderr_tail.splitlines()[-_TAIL_LINES:]:
        yield _text(f"{failed.name}, last {len(tail)} line(s) of standard error:")
        yield from (_text(f"  {line}") for line in tail)
    if attempt.log is not None:
        yield _text(f"log: {folder / attempt.log}")


def _pages(pages: Sequence[PageView]) -> Table:
    """What a browser saw, page by page."""
    table = _table("page", *pages[0].alike, "what is wrong")
    for page in pages:
        shares = (_value(share) for share in page.alike.values())
        table.add_row(_text(page.name), *shares, _text("; ".join(page.wrong)))
    table.caption = "Shares that are alike to the base's page."
    table.caption_justify = "left"
    return table


def _text(text: str) -> Text:
    """Never read as markup, nor by the terminal."""
    return Text(one_line(text))


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _value(value: MetricValue) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{100 * value:.1f}%"
