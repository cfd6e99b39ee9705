"""Harbor runs its own kind of tasks, and ours, in our sandboxes."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("harbor", reason="harbor is not installed here")

from harbor.models.task.task import Task
from harbor.models.trial.config import (
    AgentConfig,
    EnvironmentConfig,
    TaskConfig,
    TrialConfig,
    VerifierConfig,
)
from harbor.models.trial.result import TrialResult
from harbor.trial.trial import Trial

from pytest_benchmac.cli.main import main
from pytest_benchmac.environment.debian import make_base
from pytest_benchmac.harbor.places import EVALUATION, PATCH
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.settings import Settings, default_cache
from pytest_benchmac.sandbox.commands import PROJECT
from pytest_benchmac.tracks.registry import get_track
from tests.engines import require
from tests.with_harbor.conftest import TOY

EDITOR = "tests.with_harbor.agent:Editor"

TASK = """\
version = "1.0"
[verifier]
timeout_sec = 120.0
[agent]
timeout_sec = 120.0
[environment]
build_timeout_sec = 600.0
memory_mb = 1024
network_mode = "no-network"
"""
DOCKERFILE = """\
# As tasks of Harbor have it.
FROM ubuntu:24.04
RUN apt-get update && apt-get install -y \\
    ca-certificates git && rm -rf /var/lib/apt/lists/*
ENV GREETING="Hello, world!"
WORKDIR /app
COPY data/ ./data/
RUN mkdir out && echo "$GREETING" > out/built
"""
TEST = """\
#!/bin/bash
cd /app
echo 0 > /logs/verifier/reward.txt
sed -n '3,$ s/:.*//p' /proc/net/dev > /logs/verifier/net
cmp hello.txt out/built && [ "$(cat data/d.txt)" = d ] && echo 1 > /logs/verifier/reward.txt
"""


def _own_task(folder: Path) -> Path:
    """A task in Harbor's format that knows nothing of us."""
    files = {
        "task.toml": TASK,
        "instruction.md": "Write the greeting to hello.txt.",
        "environment/Dockerfile": DOCKERFILE,
        "environment/data/d.txt": "d",
        "solution/solve.sh": '#!/bin/bash\necho "$GREETING" > hello.txt\n',
        "tests/test.sh": TEST,
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def _trial(
    task: Path, agent: str, out: Path, sandbox: str = "bubblewrap", **more: Any
) -> tuple[TrialResult, Path]:
    """What comes of one trial, and its folder."""
    config = TrialConfig(
        task=TaskConfig(path=task),
        trials_dir=out,
        trial_name=f"{task.name[:10]}-{agent.rpartition(':')[2]}",
        agent=AgentConfig(name=agent),
        environment=EnvironmentConfig(
            import_path="pytest_benchmac.harbor:Environment", kwargs={"sandbox": sandbox}
        ),
        **more,
    )

    async def ran() -> TrialResult:
        return await (await Trial.create(config)).run()

    return asyncio.run(ran()), out / config.trial_name


def _rewards(result: TrialResult) -> dict[str, Any]:
    assert result.exception_info is None, result.exception_info
    assert result.verifier_result is not None
    assert result.verifier_result.rewards is not None
    return result.verifier_result.rewards


@pytest.mark.parametrize("sandbox", ["bubblewrap", "docker"])
@pytest.mark.parametrize(("agent", "reward"), [("oracle", 1), ("nop", 0)], ids=["oracle", "nop"])
def test_a_task_of_harbor(tmp_path: Path, agent: str, reward: int, sandbox: str) -> None:
    require(sandbox, Settings(reports=tmp_path))
    result, folder = _trial(_own_task(tmp_path / "hello"), agent, tmp_path / "trials", sandbox)
    assert _rewards(result) == {"reward": reward}
    # Nothing but loopback, as `no-network` says.
    assert (folder / "verifier" / "net").read_text().split() == ["lo"]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy instance as a task."""
    out = tmp_path_factory.mktemp("tasks")
    assert main(["export", "harbor", str(out), "--instances", str(TOY.parent)]) == 0
    return out


def test_an_exported_task_is_one_of_harbor(tasks: Path) -> None:
    task = Task(tasks / TOY.name)
    assert task.name == f"benchmac/{TOY.name}"
    assert task.config.verifier.environment_mode == "separate"
    assert "VERSION" in task.instruction or "version" in task.instruction
    # The solution and the instance are nowhere that the agent's container is made of.
    inside = [path.name for path in (tasks / TOY.name / "environment").iterdir()]
    assert sorted(inside) == ["Dockerfile", "project.tar"]
    job = json.loads((tasks / "job.json").read_text())
    assert job["verifier"]["import_path"] == "pytest_benchmac.harbor:Verifier"


def test_the_dockerfile_of_a_task_is_built(tasks: Path, tmp_path: Path) -> None:
    """On a bootstrapped base: the image that it names would be pulled."""
    require("docker", Settings(reports=tmp_path))
    (instance,) = load_instances([TOY]).values()
    recipe = get_track(instance.track).workplace(instance).recipe
    base = make_base(recipe.substitute or recipe, default_cache())
    imported, built = (f"benchmac-test/{name}:{uuid4().hex}" for name in ("base", "task"))
    try:
        _docker("import", str(base.tar), imported)
        # Packages come from Debian by the way that this machine has.
        where = str(tasks / TOY.name / "environment")
        _docker("build", "--network=host", f"--build-arg=BASE={imported}", "-t", built, where)
        command = "pwd; git -c safe.directory='*' tag; cat VERSION"
        said = _docker("run", "--rm", "--network=none", built, "sh", "-c", command)
    finally:
        subprocess.run(["docker", "image", "rm", "-f", built, imported], capture_output=True)
    assert said.split() == [str(PROJECT), "baseline", "1"]


def _docker(*arguments: str) -> str:
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_task_is_not_written_over(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "harbor", str(tasks), "--instances", str(TOY.parent)]) == 4
    assert "is there already" in capsys.readouterr().err


# The local sandbox checks no integrity: nothing judged there is clean, and earns a reward.
OURS = VerifierConfig(
    import_path="pytest_benchmac.harbor:Verifier", kwargs={"sandbox": "bubblewrap"}
)


@pytest.mark.parametrize(
    ("agent", "reward", "usage"),
    [
        ("oracle", 1, (None, None, None)),
        ("nop", 0, (None, None, None)),
        (EDITOR, 1, (0.25, 1, {"input": 100, "output": 20})),
    ],
    ids=["oracle", "nop", "editor"],
)
def test_an_agent_on_an_exported_task(
    tasks: Path, tmp_path: Path, agent: str, reward: int, usage: tuple[object, ...]
) -> None:
    """It is judged; then the patch of its job becomes a submission."""
    job, name = tmp_path / "job", agent.rpartition(":")[2].lower()
    result, folder = _trial(tasks / TOY.name, agent, job, verifier=OURS)
    rewards = _rewards(result)
    assert rewards["reward"] == rewards["resolved"] == reward
    assert set(rewards) > {"patch_applied", "book_bound", "version_reached", "words_kept"}
    assert json.loads((folder / "verifier" / "reward.json").read_text()) == rewards
    record = json.loads((folder / "verifier" / EVALUATION).read_text())
    assert record["resolved"] is bool(reward)
    patch = (folder / "artifacts" / PATCH.relative_to("/")).read_bytes()
    assert (b"+2\n" in patch) is bool(reward)

    out = tmp_path / "patches"
    assert main(["import", "harbor-job", str(job), "--out", str(out)]) == 0
    (sut,) = out.iterdir()
    assert sut.name == f"harbor%2F{name}"
    assert (sut / f"{TOY.name}.patch").read_bytes() == patch
    sidecar = json.loads((sut / f"{TOY.name}.json").read_text())
    assert (sidecar["cost_usd"], sidecar["steps"], sidecar["tokens"]) == usage
    assert sidecar["exit_reason"] == "submitted"
    assert ("trajectory" in sidecar) is (name == "editor")
    if name == "editor":
        (step,) = (sut / sidecar["trajectory"]).read_text().splitlines()
        assert "I write the version." in json.loads(step)["message"]


def test_without_the_verifier_there_is_no_reward(tasks: Path, tmp_path: Path) -> None:
    result, folder = _trial(tasks / TOY.name, "oracle", tmp_path / "trials")
    assert result.verifier_result is None
    assert "Verifier" in (folder / "verifier" / "test-stdout.txt").read_text()
