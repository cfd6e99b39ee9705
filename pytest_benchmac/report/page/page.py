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
from typing import Any

from pytest_benchmac import __version__
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import InputError, RecordError, StoreError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, SubmissionKind
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.cases import CaseResult, read_ends, read_inside, read_steps
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.tracks.angular.views import page_errors, page_name, pages_seen

#: Folder beside index.html that has all the rest.
ASSETS = "page"
#: Of a log or patch, this much of its beginning and of its end is put into the page.
_SHOWN_BYTES = 256 * 1024
_PATCH_BYTES = 2 * MIB
_PICTURE_BYTES = 8 * MIB
_PNG = b"\x89PNG\r\n\x1a\n"
#: Fields of an observed page that name pictures.
_PICTURE_FIELDS = ("baseline_screenshot", "screenshot", "difference")
#: Folder of the pictures, below `ASSETS`.
_PICTURES = "pictures"


def write_page(
    out: Path,
    cases: Sequence[tuple[CaseResult, Path]],
    *,
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
    leaderboard = _with_statistics(aggregate(results), results)
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
        content = _case(evaluation, folder, patches or {})
        content |= _pages(evaluation, folder, out / ASSETS)
        kept.update(Path(picture).name for picture in content["pictures"].values())
        script = f"receiveCase({_script(key)}, {_script(content)});\n"
        write_whole(scripts / f"{key}.js", script.encode())
        entries.append(_entry(key, result, evaluation))
    _remove_others(scripts, kept)
    _remove_others(out / ASSETS / _PICTURES, kept)
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


def case_key(case: Case) -> str:
    """Name of a case's script and word in its address: the same in every report."""
    return hashlib.sha256(case.id.encode()).hexdigest()[:16]


def _script(value: object) -> str:
    """JSON that is a JavaScript expression, in ASCII: nothing in it can end a script or a line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _with_statistics(leaderboard: Leaderboard, results: Sequence[CaseResult]) -> Leaderboard:
    try:
        from pytest_benchmac.report.analysis import analyse
    except InputError:
        # Without the extra the page has counts, and says how to get the rest.
        return leaderboard
    return analyse(leaderboard, results)


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


def _entry(key: str, result: CaseResult, evaluation: Evaluation) -> dict[str, Any]:
    """What the overview knows of a case."""
    diagnosis = result.diagnosis
    return {
        "key": key,
        "track": result.track,
        "sut": result.case.sut,
        "instance": result.case.instance_id,
        "attempt": result.case.attempt,
        "kind": result.kind.value,
        "judged": result.judged,
        "resolved": result.resolved,
        "verdict": result.verdict.value,
        "stages": [
            {"name": stage.name, "outcome": stage.outcome.value, "s": stage.duration_s}
            for stage in evaluation.stages
        ],
        "cause": diagnosis.cause if diagnosis is not None else None,
        "evidence": _told(evaluation, result),
        "codes": diagnosis.codes if diagnosis is not None else {},
        "signs": list(result.signs),
        "cost_usd": result.cost_usd,
        "steps": result.steps,
        "evaluation_s": result.evaluation_s,
        "partial_credit": result.partial_credit,
    }


def _told(evaluation: Evaluation, result: CaseResult) -> str:
    if evaluation.error is not None:
        return evaluation.error.message
    return result.diagnosis.evidence if result.diagnosis is not None else ""


def _case(evaluation: Evaluation, folder: Path, patches: Mapping[str, Path]) -> dict[str, Any]:
    """Everything that the page shows of one case."""
    logs = {}
    for stage in evaluation.stages:
        for attempt in stage.attempts:
            if attempt.log is not None:
                text = read_ends(folder / attempt.log, folder, _SHOWN_BYTES)
                if text is not None:
                    logs[attempt.log] = text
    patch, note = _patch(evaluation, folder, patches)
    return {
        "record": evaluation.model_dump(mode="json"),
        "logs": logs,
        "patch": patch,
        "patch_note": note,
        "trajectory": _trajectory(evaluation, folder),
    }


def _pages(evaluation: Evaluation, folder: Path, assets: Path) -> dict[str, Any]:
    """What a browser saw: pictures, copied into the page by content, and what its console said.

    Any stage may observe `pages` that name pictures below the case's artifacts.
    """
    artifacts = EvaluationStore(folder).artifacts(evaluation.case)
    pictures: dict[str, str] = {}
    consoles: dict[str, list[str]] = {}
    for stage in evaluation.stages:
        for page in pages_seen(stage):
            named = (page.get(field) for field in _PICTURE_FIELDS)
            for name in (each for each in named if isinstance(each, str) and each):
                content = read_inside(artifacts / name, folder, _PICTURE_BYTES)
                if content is not None and content.startswith(_PNG):
                    place = f"{_PICTURES}/{hashlib.sha256(content).hexdigest()[:32]}.png"
                    if not (assets / place).exists():
                        write_whole(assets / place, content)
                    pictures[name] = place
            said = page_errors(page)
            for kind in ("refused", "missing"):
                said += [f"{kind}: {request}" for request in page.get(kind) or ()]
            if said:
                consoles[page_name(page)] = said
    return {"pictures": pictures, "consoles": consoles}


def _patch(
    evaluation: Evaluation, folder: Path, patches: Mapping[str, Path]
) -> tuple[str | None, str]:
    """The patch as text with what there is to say about it; None where there is none to show."""
    digest = evaluation.patch_sha256
    if evaluation.kind is SubmissionKind.BASELINE:
        return None, "The baseline is the untouched base: it has no patch."
    if digest is None:
        return None, "The record names no patch."
    kept = folder / "patches" / f"{digest}.patch"
    text = read_ends(kept, folder, _PATCH_BYTES)
    silver = patches.get(digest)
    if text is None and silver is not None:
        text = read_ends(silver, silver.parent, _PATCH_BYTES)
    if text is None:
        return None, f"The patch (sha256 {digest}) was not kept with this report."
    note = "Its middle is left out." if evaluation.patch_bytes > 2 * _PATCH_BYTES else ""
    return text, note


def _trajectory(evaluation: Evaluation, folder: Path) -> list[dict[str, Any]] | None:
    if evaluation.metadata.trajectory is None:
        return None
    steps = read_steps(evaluation.case, folder)
    return None if steps is None else [step.model_dump(mode="json") for step in steps]
