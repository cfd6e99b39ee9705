"""The example pipelines: valid by the vendors' schemas, and their commands run as they stand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from pytest_benchmac.cli.schemas import LEADERBOARD_SCHEMA_FILE
from pytest_benchmac.model.errors import RecordError
from pytest_benchmac.report.cases import load_cases
from tests.toy_bench import BASE, Bench, make_bench, make_template

CI = Path(__file__).parents[2] / "examples" / "ci"


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("vendor.github-workflows", "github-actions.yml"),
        ("vendor.github-workflows", "upgrade-bot.yml"),
        ("vendor.gitlab-ci", "gitlab-ci.yml"),
    ],
)
def test_valid_by_the_vendors_schema(schema: str, name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(CI / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Five cases of three SUTs on two tiny instances."""
    root = tmp_path_factory.mktemp("ci")
    (root / "template").mkdir()
    make_template(root / "template")
    bench = make_bench(root / "bench", root / "template", root / "cache")
    for name in (BASE, "other_v1_to_v2"):
        bench.instance(name)
        bench.patch("good", name, "good-sut")
        bench.patch("wrong_version", name, "lazy-sut")
    bench.patch("broken_build", BASE, "broken-sut")
    return bench


def shell(bench: Bench, script: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the runners do: bash, stopping at the first failure."""
    tools = bench.root / "tools"
    tools.mkdir(exist_ok=True)
    local = " ".join(bench.command()[1:]).replace(" --no-page", "")
    for name, command in (
        # The example's own arguments come after those that make the bench's sessions quick.
        ("pytest", f'exec {sys.executable} {local} "$@"'),
        ("benchmac", f'exec {sys.executable} -m pytest_benchmac.cli.main "$@"'),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{command}\n")
        (tools / name).chmod(0o755)
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=bench.root,
        env={**bench.env, "PATH": f"{tools}:{os.environ['PATH']}", **env},
        capture_output=True,
        text=True,
        check=False,
    )


def steps(job: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["run"] for step in job["steps"] if "name" in step and "run" in step}


def test_github_judges_merges_and_demands(bench: Bench) -> None:
    workflow = yaml.safe_load((CI / "github-actions.yml").read_text())
    judge = steps(workflow["jobs"]["judge"])["Judge"].replace("-n 2 ", "").replace("/4", "/2")
    for number in ("1", "2"):
        done = shell(bench, judge, SHARD=number)
        assert done.returncode == 0, done.stdout + done.stderr
        shard = bench.root / "shards" / f"shard-{number}"
        shard.mkdir(parents=True)
        shutil.move(bench.root / "reports", shard / "reports")
        assert "<testsuite" in (bench.root / f"junit-{number}.xml").read_text()
    report = steps(workflow["jobs"]["report"])
    summary = bench.root / "step-summary"
    env = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_REPOSITORY": "o/r"}
    done = shell(bench, report["Merge"], **env)
    assert done.returncode == 0, done.stdout + done.stderr
    # The local sandbox lets nothing be known of integrity, and one SUT has one patch of two.
    assert re.search(r"good&#45;sut \|.*\| 0/2 \|.*\| 2 \| 2 \| 0 \|", summary.read_text())
    assert re.search(r"broken&#45;sut \|.*\| 0/2 \|.*\| 1 \| 0 \| 1 \|", summary.read_text())
    assert (bench.root / "page" / "index.html").exists()
    (track,) = json.loads((bench.root / "leaderboard.json").read_text())["tracks"]
    assert {row["sut"]: row["judged"] for row in track["rows"]} == {
        "good-sut": 2,
        "lazy-sut": 2,
        "broken-sut": 1,
    }
    done = shell(bench, report["Demand"], **env)
    # xargs tells that a command it ran ended with 1 to 125.
    assert done.returncode == 123
    assert "lazy-sut: resolved 0.0%, wanted 80%" in done.stderr
    assert "missing: 1 (cases that were asked for and have no record): broken-sut/" in done.stderr

    # What the run keeps balances the next one.
    done = shell(bench, report["Keep the durations"])
    assert done.returncode == 0, done.stderr
    assert len(load_cases([bench.root / "earlier"])) == 5
    done = shell(bench, judge, SHARD="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert 1 <= len(load_cases([bench.root / "reports"])) < 5
    shutil.rmtree(bench.root / "reports")


def test_gitlab_judges_and_merges(bench: Bench) -> None:
    pipeline = yaml.safe_load((CI / "gitlab-ci.yml").read_text())
    for folder in bench.root.glob("shards/*"):
        shutil.rmtree(folder)
    shutil.rmtree(bench.root / "earlier", ignore_errors=True)
    for number in ("1", "2"):
        script = "\n".join(pipeline["judge"]["script"]).replace("-n 2 ", "")
        done = shell(bench, script, CI_NODE_INDEX=number, CI_NODE_TOTAL="2")
        assert done.returncode == 0, done.stdout + done.stderr
    *merge, demand = pipeline["report"]["script"]
    done = shell(bench, "\n".join(merge), CI_PROJECT_PATH="group/project")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lazy" in (bench.root / "summary.md").read_text()
    assert shell(bench, demand).returncode == 123


def test_an_empty_shard_is_nothing_collected(bench: Bench) -> None:
    session = bench.judge("--shard=6/6", "--reports=reports/none")
    assert session.status == 5, session
    assert "--shard=6/6" in session.out + session.err
    assert bench.judge("--shard=7/6").status == 4
    with pytest.raises(RecordError):
        load_cases([bench.root / "reports" / "none"])


def test_a_session_leaves_a_page(bench: Bench) -> None:
    command = [word for word in bench.command("--patch-dir=patches") if word != "--no-page"]
    done = subprocess.run(
        command, cwd=bench.root, env=bench.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout
    assert "index.html" not in done.stdout
    schema = json.loads(LEADERBOARD_SCHEMA_FILE.read_text())
    jsonschema.Draft202012Validator(schema).validate(bench.leaderboard())
    page = bench.reports
    data = (page / "page" / "data.js").read_text()
    assert "missing-page" in data
    assert '"statistics":{' in data
    assert len(list((page / "page" / "cases").iterdir())) == 5
