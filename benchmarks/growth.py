"""What ten thousand cases cost before the first and after the last: collection, rows, session end.

    python benchmarks/growth.py [collect workers rows end unrelated] [--suts 200] [--instances 50]

Cases are of the toy track (`pip install -e tests/toy_track`), judged by nobody: sessions end as
soon as everything is collected. `rows` takes one predictions file with ten times as many rows
(attempts). `end` reads records of 57 KiB. `unrelated` is pytest in a folder with one test, with the
plugin and without it by turns, and no other plugin. Memory is the peak of what was resident. Stolen
is what the machine's host took away of its processors meanwhile. With another version's package
first in PYTHONPATH, that one is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from processors import processor_seconds

TOY = Path(__file__).parent.parent / "tests/toy_track/instances/tiny_v1_to_v2"
#: Where the sessions that this program starts, with itself as a plugin, note their memory.
NOTES = "BENCHMAC_GROWTH_NOTES"
#: Of a patch, about: lines that differ between all of them.
LINES = 200


# --- the plugin ----------------------------------------------------------------------------------


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note what collecting took; without workers, that is all."""
    if folder := os.environ.get(NOTES):
        note(Path(folder), collected=len(session.items))


def pytest_runtest_logstart() -> None:
    """In the process that reports: everybody has collected, and one begins."""
    if (folder := os.environ.get(NOTES)) and "PYTEST_XDIST_WORKER" not in os.environ:
        note(Path(folder), collected=0)
        os._exit(0)


def note(folder: Path, *, collected: int) -> None:
    """Write what this process took so far; the first time, without workers, was the last."""
    if (folder / f"{os.getpid()}.json").exists():
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "collected": collected,
        "at": time.time(),
        "mib": used.ru_maxrss / 1024,
        "cpu_s": used.ru_utime + used.ru_stime,
    }
    (folder / f"{os.getpid()}.json").write_text(json.dumps(found))


# --- what is measured ----------------------------------------------------------------------------


@contextmanager
def told(what: str) -> Iterator[None]:
    """Print the seconds of the block, and what was stolen meanwhile."""
    stolen, began = processor_seconds()[1], time.monotonic()
    yield
    took = time.monotonic() - began
    print(
        f"  {what}: {took:.1f} s wall, {processor_seconds()[1] - stolen:.1f} s stolen", flush=True
    )


def write_instances(folder: Path, count: int) -> list[str]:
    """Copies of the toy instance, each with an id of its own."""
    text = (TOY / "instance.toml").read_text().partition("[silver]")[0]
    names = [f"tiny_{number:03d}_v1_to_v2" for number in range(count)]
    for name in names:
        home = folder / name
        shutil.copytree(TOY / "source", home / "source")
        (home / "instance.toml").write_text(text.replace("tiny_v1_to_v2", name))
    return names


def patch_text(word: str) -> str:
    """A patch of some kilobytes that no other word has."""
    lines = "".join(f"+{word} line {number} of a page\n" for number in range(LINES))
    return f"--- /dev/null\n+++ b/pages/{word}.txt\n@@ -0,0 +1,{LINES} @@\n{lines}"


def write_patches(folder: Path, names: list[str], suts: int) -> None:
    """A folder per system, a patch and a sidecar per instance."""
    for sut in range(suts):
        home = folder / f"maker%2Fsystem-{sut:03d}"
        home.mkdir(parents=True)
        for name in names:
            (home / f"{name}.patch").write_text(patch_text(f"s{sut}-{name}"))
            (home / f"{name}.json").write_text(
                json.dumps({"cost_usd": 0.5, "steps": sut, "exit_reason": "submitted"})
            )


def write_rows(path: Path, names: list[str], suts: int, attempts: int) -> None:
    """A predictions file: every system tried every instance so often."""
    with path.open("w") as file:
        for sut in range(suts):
            for name in names:
                for attempt in range(1, attempts + 1):
                    row = {
                        "instance_id": name,
                        "model_name_or_path": f"maker/system-{sut:03d}",
                        "model_patch": f"+{name} {sut} {attempt}\n" * 10,
                        "attempt": attempt,
                    }
                    file.write(json.dumps(row) + "\n")


def session(scratch: Path, *arguments: str) -> None:
    """A pytest session that ends when all is collected, in a process group of its own."""
    notes = Path(tempfile.mkdtemp(dir=scratch))
    began = time.time()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "growth", "--sandbox=local"),
            *(f"--instances={scratch}/instances", "--no-page", *arguments),
        ],
        cwd=scratch,
        env={
            **os.environ,
            NOTES: str(notes),
            "PYTHONPATH": os.pathsep.join(
                [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
            ),
            "BENCHMAC_CACHE": str(scratch / "cache"),
        },
        capture_output=True,
        text=True,
    )
    found: list[dict[str, Any]] = [json.loads(path.read_text()) for path in notes.iterdir()]
    if not found:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    print(
        f"  {max(each['collected'] for each in found)} items collected after "
        f"{max(each['at'] for each in found) - began:.1f} s, {len(found)} process(es), "
        f"{sum(each['cpu_s'] for each in found):.1f} s CPU, "
        f"{max(each['mib'] for each in found):.0f} MiB at most each, "
        f"{sum(each['mib'] for each in found):.0f} MiB together"
    )


def measure_collect(scratch: Path, names: list[str], suts: int) -> None:
    """Folders of patches, one process: for the first time, and again."""
    for _ in range(2):
        with told("session"):
            session(scratch, f"--patch-dir={scratch}/patches")


def measure_workers(scratch: Path, names: list[str], suts: int) -> None:
    """The same with eight workers."""
    with told("session"):
        session(scratch, f"--patch-dir={scratch}/patches", "-n8")


def measure_rows(scratch: Path, names: list[str], suts: int) -> None:
    """A predictions file, read as a session reads it."""
    write_rows(scratch / "rows.jsonl", names, suts, 10)
    program = f"""
import resource, time
from pathlib import Path
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
instances = load_instances([Path({str(scratch / "instances")!r})])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.monotonic()
found = read_submissions([Path({str(scratch / "rows.jsonl")!r})], instances,
                         Path({str(scratch / "staging")!r}))
print(f"  {{len(found)}} rows: {{time.monotonic() - began:.1f}} s, "
      f"{{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}} MiB at most, "
      f"of them {{before / 1024:.0f}} before the first row")
"""
    with told("process"):
        subprocess.run([sys.executable, "-c", program], check=True)
    shutil.rmtree(scratch / "staging")


def measure_end(scratch: Path, names: list[str], suts: int) -> None:
    """The records of all cases counted, and `leaderboard.json` written; then with the page."""
    program = f"""
import json, resource, sys, time
from pathlib import Path
from types import SimpleNamespace
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation, Integrity
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case
from pytest_benchmac.plugin import tally
from pytest_benchmac.report.page.page import write_page
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
names, suts, reports = {names!r}, {suts}, Path({str(scratch / "judged")!r})
cases = [Case(instance_id=n, sut=f"maker/system-{{s:03d}}") for s in range(suts) for n in names]
text = json.loads(sys.stdin.read())
if not reports.exists():
    for case in cases:
        path = EvaluationStore(reports).path(case)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({{**text, "instance_id": case.instance_id, "sut": case.sut}}))
size = EvaluationStore(reports).path(cases[0]).stat().st_size
by_id = {{case.id: case for case in cases}}
plan = SimpleNamespace(settings=Settings(reports=reports), case_in=by_id.get, submissions={{}})
counted = tally.Tally(plan)
for case in cases:
    counted.note(SimpleNamespace(nodeid=case.id, failed=False, when="call",
                                 benchmac_status="completed", benchmac_key=text["reuse_key"]))
before, began = peak(), time.monotonic()
verdicts = counted.close()
verdicts.write()
if verdicts.errors:
    sys.exit(next(iter(verdicts.errors.values())))
print(f"  {{len(verdicts.results)}} records of {{size / 1024:.0f}} KiB: "
      f"{{time.monotonic() - began:.1f}} s, {{peak():.0f}} MiB at most, "
      f"of them {{before:.0f}} before", flush=True)
if "page" in sys.argv:
    began = time.monotonic()
    write_page(reports, [(result, reports) for result in verdicts.results])
    print(f"  and the page: {{time.monotonic() - began:.1f}} s, {{peak():.0f}} MiB at most")
"""
    for page in ([], ["page"]):
        with told("process"):
            subprocess.run(
                [sys.executable, "-c", program, *page],
                input=json.dumps(a_record()),
                text=True,
                check=True,
            )


def a_record() -> dict[str, Any]:
    """An evaluation of 57 KiB: most of it is what a stage observed."""
    stages = [
        {
            "name": name,
            "needs": needs,
            "outcome": "passed",
            "duration_s": 1.0,
            "observations": {"files": {f"pages/{n:04d}.txt": "0" * 64 for n in range(220)}},
        }
        for name, needs in (("patch", []), ("build", ["patch"]), ("check", ["build"]))
    ]
    return {
        "track": "toy",
        "kind": "patch",
        "status": "completed",
        "metrics": {"patch_applied": True, "book_bound": True, "version_reached": True},
        "resolved": True,
        "stages": stages,
        "environment": {
            "sandbox": "local",
            "network": "open",
            "harness_version": "0",
            "protocol_version": 1,
        },
        "patch_sha256": "0" * 64,
        "patch_bytes": 5000,
        "reuse_key": "0" * 64,
        "started_at": "2026-11-22T02:04:59+00:00",
        "duration_s": 3.0,
    }


def measure_unrelated(scratch: Path, names: list[str], suts: int) -> None:
    """One test of somebody else's, with the plugin and without, by turns."""
    folder = scratch / "unrelated"
    folder.mkdir()
    (folder / "test_sum.py").write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    ways = {"without": [], "with": ["-p", "pytest_benchmac.plugin.entry"]}
    times: dict[str, list[float]] = {way: [] for way in ways}
    stolen = processor_seconds()[1]
    for number in range(22):
        for way, arguments in ways.items():
            began = resource.getrusage(resource.RUSAGE_CHILDREN)
            clock = time.monotonic()
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", *arguments],
                cwd=folder,
                env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                check=True,
                stdout=subprocess.DEVNULL,
            )
            if number > 1:
                used = resource.getrusage(resource.RUSAGE_CHILDREN)
                times[way].append(time.monotonic() - clock)
                times[way + " CPU"] = [
                    *times.get(way + " CPU", []),
                    used.ru_utime + used.ru_stime - began.ru_utime - began.ru_stime,
                ]
    for kind in ("", " CPU"):
        least, most = (1000 * statistics.median(times[way + kind]) for way in ways)
        print(
            f"  {kind.strip() or 'wall'}: {least:.0f} ms without, {most:.0f} ms with, "
            f"{most - least:.0f} ms more"
        )
    print(f"  {processor_seconds()[1] - stolen:.1f} s stolen")


MEASURES: dict[str, Callable[[Path, list[str], int], None]] = {
    "collect": measure_collect,
    "workers": measure_workers,
    "rows": measure_rows,
    "end": measure_end,
    "unrelated": measure_unrelated,
}


def main() -> None:
    """Measure and print; nothing is asserted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="WHAT", help=", ".join(MEASURES))
    parser.add_argument("--suts", type=int, default=200)
    parser.add_argument("--instances", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        names = write_instances(scratch / "instances", args.instances)
        if not args.what or {"collect", "workers"} & set(args.what):
            write_patches(scratch / "patches", names, args.suts)
        for what in args.what or MEASURES:
            print(f"{what}:", flush=True)
            MEASURES[what](scratch, names, args.suts)


if __name__ == "__main__":
    main()
