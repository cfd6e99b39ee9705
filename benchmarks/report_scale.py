"""How long and how much memory reports take: aggregating, writing the page, opening it.

    python benchmarks/report_scale.py [--suts 50] [--instances 1000] [--page]

Records are made from one of the Angular track, with stages, attempts and observations of the size
that real ones have; `--page` takes 19 systems on 9 instances, with logs and patches.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MIB = 1024 * 1024


def record(sut: str, instance: str, chance: random.Random) -> dict[str, Any]:
    """An evaluation whose build passed or failed by chance."""
    good = chance.random() < 0.6
    case = f"{sut.replace('/', '%2F')}/{instance}"
    stages = []
    for name, needs in (
        ("patch", []),
        ("install", ["patch"]),
        ("version", ["install"]),
        ("build", ["version"]),
    ):
        passed = good or name != "build"
        tail = (
            ""
            if passed
            else "✘ [ERROR] TS2322: Type 'string' is not assignable to type 'number'.\n" * 8
        )
        log = f"logs/{case}/{name}.1.log"
        attempt = {
            "command": f"npx {name} --configuration production",
            "exit_code": int(not passed),
            "timed_out": False,
            "limits_hit": [],
            "duration_s": 12.345,
            "log": log,
            "stderr_tail": tail,
        }
        observations: dict[str, Any] = {}
        if name == "patch":
            observations = {"applied": True, "prefix": "a/ b/", "message": ""}
        elif name == "version":
            observations = {
                "parsed": True,
                "installed": {"@angular/cli": "19.2.1", "@angular/core": "19.2.1"},
            }
        stages.append(
            {
                "name": name,
                "needs": needs,
                "outcome": "passed" if passed else "failed",
                "command": attempt["command"],
                "attempts": [attempt],
                "exit_code": attempt["exit_code"],
                "timed_out": False,
                "duration_s": 12.345,
                "log": log,
                "reason": "" if passed else "exit code 1",
                "observations": observations,
            }
        )
    patch = hashlib.sha256(case.encode()).hexdigest()
    return {
        "instance_id": instance,
        "sut": sut,
        "track": "angular",
        "kind": "patch",
        "criteria": {"source_version": "18.2.14", "target_version": "19"},
        "status": "completed",
        "metrics": {
            "patch_application_success": True,
            "install_success": True,
            "target_version_achieved": True,
            "build_success": good,
        },
        "resolved": good,
        "stages": stages,
        "patch_sha256": patch,
        "patch_bytes": 50_000,
        "environment": {
            "sandbox": "docker",
            "network": "open",
            "harness_version": "0.1.0",
            "protocol_version": 1,
            "node": "20.19.5",
            "npm": "10.8.2",
            "image": "benchmac",
            "image_digest": "sha256:" + patch,
            "limits": {"pids": 512},
        },
        "metadata": {
            "cost_usd": round(chance.random(), 3),
            "steps": chance.randrange(10, 100),
            "duration_s": 300.0,
        },
        "artifacts": [
            {"path": f"dist/chunk-{n}.js", "bytes": 1000 + n, "sha256": patch} for n in range(12)
        ],
        "artifacts_dir": f"artifacts/{case}",
        "reuse_key": patch,
        "started_at": "2026-11-22T02:04:59+00:00",
        "duration_s": 62.5,
    }


def write_run(folder: Path, suts: int, instances: int, *, content: bool) -> None:
    """A report folder; with `content` also logs and patches."""
    chance = random.Random(1)
    for s in range(suts):
        sut = f"maker/system-{s:02d}"
        home = folder / "evaluations" / f"maker%2Fsystem-{s:02d}"
        home.mkdir(parents=True)
        for i in range(instances):
            evaluation = record(sut, f"app_{i:04d}_v18_to_v19", chance)
            (home / f"{evaluation['instance_id']}.json").write_text(
                json.dumps(evaluation, indent=2)
            )
            if content:
                for stage in evaluation["stages"]:
                    log = folder / stage["log"]
                    log.parent.mkdir(parents=True, exist_ok=True)
                    log.write_text(
                        "\x1b[31mnpm warn\x1b[0m deprecated some-package@1.0.0: no longer kept\n"
                        * 80
                        + stage["attempts"][0]["stderr_tail"]
                    )
                patch = folder / "patches" / f"{evaluation['patch_sha256']}.patch"
                patch.parent.mkdir(exist_ok=True)
                hunk = "@@ -1,3 +1,3 @@\n same\n-old\n+new\n same\n"
                patch.write_text(
                    "".join(
                        f"diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n{hunk * 20}"
                        for n in range(30)
                    )
                )


def measured(*arguments: str) -> None:
    """Run `benchmac` in a process of its own; wall time and peak memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "pytest_benchmac.cli.main", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"benchmac {arguments[0]}: {time.monotonic() - began:.1f} s wall, "
        f"{used.ru_utime - before.ru_utime:.1f} s CPU, "
        f"{used.ru_maxrss / 1024:.0f} MiB at most"
    )


def open_page(page: Path) -> None:
    """Sizes, and the time until Chromium has drawn the overview."""
    from playwright.sync_api import sync_playwright

    once = [
        page / "index.html",
        *(p for p in (page / "page").rglob("*") if p.is_file() and p.parent.name != "cases"),
    ]
    cases = list((page / "page" / "cases").iterdir())
    print(
        f"page: {sum(p.stat().st_size for p in once) / MIB:.2f} MiB; {len(cases)} case scripts, "
        f"{sum(p.stat().st_size for p in cases) / MIB:.1f} MiB"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for _ in range(3):
            tab = browser.new_page()
            began = time.monotonic()
            tab.goto(page.joinpath("index.html").as_uri(), wait_until="commit")
            tab.wait_for_selector("main[data-ready=overview]")
            opened = time.monotonic() - began
            tab.wait_for_selector("main[data-drawn]")
            print(f"opened: {opened:.2f} s; with all charts: {time.monotonic() - began:.2f} s")
            tab.close()
        browser.close()


def main() -> None:
    """Measure; nothing is asserted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suts", type=int, default=50)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--page", action="store_true", help="the page of 19 systems on 9 instances")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        if args.page:
            write_run(folder, 19, 9, content=True)
            measured("report", str(folder))
            open_page(folder)
        else:
            write_run(folder, args.suts, args.instances, content=False)
            measured("aggregate", str(folder), "--output", f"{scratch}/all.json")


if __name__ == "__main__":
    main()
