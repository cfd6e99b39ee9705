"""What the documents tell four kinds of users to type, typed: on the toy track, in order."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pytest_benchmac.model.settings import Settings
from tests.engines import require
from tests.toy_bench import TOY_TRACK, break_build, git, migrate, session_env

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What the toy track and the machine of a test need beside what a reader types.
SHIMS = {
    "pytest": 'exec {python} -m pytest --sandbox=local --network=open "$@"',
    "benchmac": """\
case $1 in
init) shift; set -- init --track=toy "$@" ;;
validate|shell) set -- "$@" --sandbox=local --network=open ;;
# Nothing is known of integrity without isolation.
aggregate) set -- "$@" --count-unchecked ;;
esac
exec {python} -m pytest_benchmac.cli.main "$@\"""",
}


class Reader:
    """Types what stands on a page, in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.env = session_env(root / "home", root / "cache")
        tools = root / "tools"
        tools.mkdir()
        for name, script in SHIMS.items():
            (tools / name).write_text("#!/bin/sh\n" + script.format(python=sys.executable) + "\n")
            (tools / name).chmod(0o755)
        self.env["PATH"] = f"{tools}:{os.environ['PATH']}"
        self.env |= {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@localhost"}

    def type(self, script: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            check=False,
        )

    def follow(self, page: str, folder: Path) -> list[str]:
        """Type each command of a page's section; what each printed."""
        said = []
        for line in commands(page):
            done = self.type(line, folder)
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            said.append(done.stdout)
        return said


def commands(page: str) -> list[str]:
    name, _, heading = page.partition("#")
    text = (ROOT / "docs" / name).read_text()
    if heading:
        text = re.split(r"^## ", text.split(f"## {heading}\n", 1)[1], flags=re.MULTILINE)[0]
    return [
        line.removeprefix("$ ")
        for block in FENCE.findall(text)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """`main` is the base; `after`, and a bot's branch, have it migrated."""
    folder = tmp_path / "my-app"
    template = TOY_TRACK / "instances" / "tiny_v1_to_v2" / "source"
    for path in template.rglob("*"):
        if path.is_file():
            target = folder / path.relative_to(template)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "tag", "before")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(folder, "checkout", "-q", "-b", "some-tool")
    migrate(folder)
    git(folder, "commit", "-qam", "upgrade")
    git(folder, "tag", "after")
    return folder


def test_a_maintainer_gets_from_a_repository_to_a_verdict(
    reader: Reader, repository: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    said = reader.follow("own-repository.md", work)
    assert "written: instances/my_app/instance.toml" in said[0]
    assert "some-tool/my_app}: resolved" in said[-1]
    assert "pages" in "".join(said)
    assert (work / "reports" / "latest" / "index.html").is_file()


def test_a_gatekeeper_gets_a_verdict_on_a_branch(reader: Reader, repository: Path) -> None:
    reader.follow("gate.md", repository)


def test_a_researcher_gets_tables_and_figures(
    reader: Reader, repository: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    reader.follow("own-repository.md", work)
    patch = (work / "patches" / "some-tool" / "my_app.patch").read_text()
    row = {"instance_id": "my_app", "model_name_or_path": "m", "model_patch": patch}
    (work / "predictions.jsonl").write_text(json.dumps(row | {"cost_usd": 0.5}) + "\n")
    reader.env["PYTEST_ADDOPTS"] = f"--instances={work / 'instances'}"
    reader.follow("reports.md#For a paper", work)
    assert "tab:toy-leaderboard" in (work / "tables.tex").read_text()
    assert (work / "figures" / "toy-cost.pdf").is_file()
    assert (work / "cases.parquet").is_file()


@pytest.mark.parametrize("good", [True, False], ids=["good", "broken"])
def test_the_action_judges_the_patches_of_a_checkout(
    reader: Reader, repository: Path, tmp_path: Path, good: bool
) -> None:
    if not good:
        break_build(repository)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "broken")
    work = tmp_path / "work"
    work.mkdir()
    reader.follow("own-repository.md#1. Write the instance", work)
    (work / "patches" / "some-tool").mkdir(parents=True)
    diff = reader.type("git diff --binary before some-tool", repository).stdout
    (work / "patches" / "some-tool" / "my_app.patch").write_text(diff)
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: each.get("default", "") for name, each in action["inputs"].items()}
    inputs |= {"patches": "patches", "instances": "instances", "fail-under": "resolved=100"}
    # The toy track is judged without isolation.
    inputs |= {"sandbox": "local"}
    ended = {}
    for step in action["runs"]["steps"]:
        if step.get("name") in ("Judge", "Tell", "Demand"):
            env = {
                name: re.sub(r"\$\{\{ inputs\.(.*?) \}\}", lambda found: inputs[found[1]], value)
                for name, value in step.get("env", {}).items()
            }
            summary = str(work / "summary.txt")
            ended[step["name"]] = reader.type(step["run"], work, **env, GITHUB_STEP_SUMMARY=summary)
    assert ended["Judge"].returncode == ended["Tell"].returncode == 0, ended
    assert ended["Demand"].returncode == (0 if good else 1), ended
    assert "| 1 | some" in (work / "summary.txt").read_text()
    assert ("::error" in ended["Tell"].stdout) == (not good)


@pytest.mark.parametrize("good", [True, False], ids=["good", "broken"])
def test_the_workflow_judges_a_pull_request(reader: Reader, repository: Path, good: bool) -> None:
    if not good:
        break_build(repository)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "broken")
    workflow = yaml.safe_load((ROOT / "examples" / "ci" / "upgrade-bot.yml").read_text())
    steps = {step.get("name"): step.get("run") for step in workflow["jobs"]["judge"]["steps"]}
    summary = repository / "summary.md"
    env = {"TARGET": "main", "GITHUB_STEP_SUMMARY": str(summary)}
    told = ""
    for name in ("Prepare", "Judge", "Tell"):
        done = reader.type(steps[name], repository, **env)
        assert done.returncode == 0, name + done.stdout + done.stderr
        told = done.stdout
    assert "| bot |" in summary.read_text()
    done = reader.type(steps["Demand"], repository)
    assert done.returncode == (0 if good else 1), done.stderr
    assert ("::error title=bot/app" in told) == (not good)
    assert ("first error" in summary.read_text()) == (not good)


def test_the_tutorial_ends_with_a_leaderboard(tmp_path: Path) -> None:
    """A real instance in a real sandbox; the base is the machine's own, if it has one."""
    require("auto", Settings(reports=tmp_path))
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    typed = [line for line in commands("tutorial.md") if not line.startswith("pip install")]
    assert len(typed) > 5
    for line in typed:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", line],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    (track,) = json.loads((tmp_path / "leaderboard.json").read_text())["tracks"]
    assert {row["sut"] for row in track["rows"]} == {"careful", "hasty"}
    records = tmp_path / "reports" / "latest" / "evaluations"
    for sut, resolved in (("careful", True), ("hasty", False)):
        record = json.loads((records / sut / "greeter_python_to_java.json").read_text())
        assert record["resolved"] is resolved
    assert (tmp_path / "reports" / "latest" / "index.html").is_file()
    again = subprocess.run(
        ["pytest", "--patch-dir=patches"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    # "Type the `pytest` line again: nothing changed, so nothing is judged."
    assert again.stdout.count("stored reused") == 2, again.stdout
