"""The page: `index.html` with its data in scripts beside it, so that it opens from disk.

Browsers refuse `fetch` of side files from `file://`, but load `<script src>`: the overview's data
is `page/data.js`, and each case is a script of its own that is loaded when it is looked at.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path

from pytest_benchmac import __version__
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.judging.store import EvaluationStore, interpreting
from pytest_benchmac.model.errors import RecordError, StoreError
from pytest_benchmac.report.aggregate import aggregate, with_statistics
from pytest_benchmac.report.asked import Asked
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.page.case import PICTURES, case_content, case_entry, case_key

#: Folder beside index.html that has all the rest.
ASSETS = "page"


def write_page(
    out: Path,
    cases: Sequence[tuple[CaseResult, Path]],
    *,
    asked: Mapping[str, Asked] | None = None,
    title: str = "Benchmark report",
    live: bool = False,
    running: Sequence[str] = (),
    stamp: str = "",
    patches: Mapping[str, Path] | None = None,
) -> Path:
    """Write `index.html` and what it loads.

    Args:
        out: the folder for index.html; made when needed.
        cases: what `load_cases` found, each with its report folder.
        asked: see `aggregate`.
        title: heads the page.
        live: will the page be written again while it is looked at?
        running: ids of the cases that are being judged.
        stamp: changes whenever a live page has something new.
        patches: sha256 -> file, for patches that the report folders do not hold: the silver ones.

    Returns:
        The path of index.html.

    Raises:
        StoreError: no disk space or no rights.
        RecordError: a record vanished or changed while it was read.
    """
    results = [result for result, _ in cases]
    leaderboard = with_statistics(aggregate(results, asked), results)
    _copy_static(out)
    scripts = out / ASSETS / "cases"
    entries = []
    kept: set[str] = set()
    for result, folder in cases:
        evaluation = EvaluationStore(folder).load(result.case)
        if evaluation is None:
            raise RecordError("the record is gone", where=EvaluationStore(folder).path(result.case))
        key = case_key(result.case)
        kept.add(f"{key}.js")
        with interpreting(EvaluationStore(folder).path(result.case)):
            content = case_content(evaluation, folder, out / ASSETS, patches or {})
        kept.update(Path(picture).name for picture in content["pictures"].values())
        script = f"receiveCase({_script(key)}, {_script(content)});\n"
        write_whole(scripts / f"{key}.js", script.encode())
        entries.append(case_entry(key, result, evaluation))
    _remove_others(scripts, kept)
    _remove_others(out / ASSETS / PICTURES, kept)
    data = {
        "title": title,
        "harness_version": __version__,
        "generated_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "live": live,
        "running": list(running),
        "stamp": stamp,
        "tracks": leaderboard.model_dump(mode="json")["tracks"],
        "cases": entries,
    }
    write_whole(out / ASSETS / "data.js", f"receiveData({_script(data)});\n".encode())
    return out / "index.html"


def packaged_silver_patches() -> dict[str, Path]:
    """sha256 -> file of every silver patch that the packaged instances bring as a file."""
    found = {}
    for instance in load_instances([]).values():
        if instance.silver is not None and instance.silver.patch is not None:
            path = instance.directory / instance.silver.patch
            found[hashlib.sha256(path.read_bytes()).hexdigest()] = path
    return found


def _script(value: object) -> str:
    """JSON that is a JavaScript expression, in ASCII: nothing in it can end a script or a line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _copy_static(out: Path) -> None:
    try:
        (out / ASSETS / "cases").mkdir(parents=True, exist_ok=True)
        with as_file(files("pytest_benchmac.report.page") / "static") as static:
            shutil.copytree(static, out / ASSETS, dirs_exist_ok=True)
        (out / ASSETS / "index.html").replace(out / "index.html")
    except OSError as error:
        raise StoreError(f"cannot write the page to {out}: {error.strerror or error}") from error


def _remove_others(folder: Path, kept: set[str]) -> None:
    """What an earlier page had and this one has not."""
    for path in folder.glob("*.*"):
        if path.name not in kept:
            path.unlink(missing_ok=True)
