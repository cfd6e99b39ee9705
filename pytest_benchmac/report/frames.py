"""Cases and tables as pandas dataframes, and as CSV and Parquet files.

Dataframes and Parquet need the extra `dataframes` (pandas, pyarrow).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.asked import Asked, asked_in
from pytest_benchmac.report.cases import load_cases
from pytest_benchmac.report.formats.documents import csv_text
from pytest_benchmac.report.sheets import Cell, Sheet, sheets_of

if TYPE_CHECKING:
    import pandas as pd


def cases_df(*folders: str | Path, asked: Mapping[str, Asked] | None = None) -> pd.DataFrame:
    """One row per case of report folders, with those that were asked for and are missing.

    Columns: `report.sheets.CASE_COLUMNS`, then `stage_NAME` (passed, failed, not_reached) and
    `metric_NAME` (true, false, a share in [0, 1], or nothing where it was not reached). Dollars
    and seconds.

    Args:
        folders: report folders, as pytest got them as --reports.
        asked: track -> what every SUT is measured on (default: what the runs were asked for).

    Raises:
        InputError: pandas is not installed.
        RecordError: see `report.cases.load_cases`.
    """
    paths = [Path(folder) for folder in folders]
    results = [result for result, _ in load_cases(paths)]
    board = aggregate(results, asked_in(paths) if asked is None else asked)
    return sheets_df(list(sheets_of(board, results, ["cases"])))


def sheets_df(sheets: Sequence[Sheet]) -> pd.DataFrame:
    """The tables below each other, with the columns of all of them.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise _lacking(error) from error
    columns, rows = _together(sheets)
    frame = pd.DataFrame([[row.get(name) for name in columns] for row in rows], columns=columns)
    for name in columns:
        kinds = {type(value) for row in rows if (value := row.get(name)) is not None}
        if float in kinds:
            # A metric may be yes or no on one track, and a share on another.
            frame[name] = frame[name].astype("Float64")
        else:
            frame[name] = frame[name].convert_dtypes()
    return frame


def to_parquet(sheets: Sequence[Sheet]) -> bytes:
    """The same as a Parquet file.

    Raises:
        InputError: pandas or pyarrow is not installed.
    """
    buffer = io.BytesIO()
    try:
        sheets_df(sheets).to_parquet(buffer, index=False)
    except ImportError as error:
        raise _lacking(error) from error
    return buffer.getvalue()


def sheets_csv(sheets: Sequence[Sheet]) -> str:
    """The same as CSV. A text that a spreadsheet would run as a formula gets an apostrophe."""
    columns, rows = _together(sheets)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([csv_text(name) for name in columns])
    for row in rows:
        cells = (row.get(name) for name in columns)
        writer.writerow([csv_text(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def _together(sheets: Sequence[Sheet]) -> tuple[list[str], list[dict[str, Cell]]]:
    columns: dict[str, None] = {"track": None}
    rows: list[dict[str, Cell]] = []
    for sheet in sheets:
        columns |= dict.fromkeys(sheet.columns)
        rows += [
            {"track": sheet.track, **dict(zip(sheet.columns, row, strict=True))}
            for row in sheet.rows
        ]
    return list(columns), rows


def _lacking(error: ImportError) -> InputError:
    return InputError(
        f"dataframes need the Python package {error.name or 'pyarrow'}",
        where="pytest-benchmac",
        remedy="Install the extra: pip install 'pytest-benchmac[dataframes]'.",
    )
