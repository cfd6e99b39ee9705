"""A model that is played works on the tiny project through Inspect, and is judged."""

import asyncio
import base64
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from inspect_ai.util._sandbox.environment import SandboxUserUnsupportedError

from pytest_benchmac.api import load_instances, silver_patch
from pytest_benchmac.inspect.environment import BenchmacSandbox, SandboxConfig
from pytest_benchmac.model.settings import Settings
from tests.engines import require

TOY = Path(__file__).parents[1] / "toy_track/instances/tiny_v1_to_v2"


def _played(tmp_path: Path, *commands: str) -> EvalLog:
    """What comes of a model that runs these commands, and submits."""
    outputs = [
        *(ModelOutput.for_tool_call("mockllm", "bash", {"command": each}) for each in commands),
        ModelOutput.for_tool_call("mockllm", "submit", {"answer": "Done."}),
    ]
    for each in outputs:
        # Else tokens are counted, with a vocabulary from the network.
        each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    (log,) = inspect_eval(
        "pytest_benchmac/toy",
        model=get_model("mockllm/model", custom_outputs=outputs),
        task_args={
            "instances": str(TOY.parent),
            "sandbox": "bubblewrap",
            "reports": str(tmp_path / "reports"),
        },
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success", log.error
    # The log on disk is what `inspect view` shows.
    return read_eval_log(log.location)


def _score(log: EvalLog) -> Score:
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.error is None, sample.error
    assert sample.scores is not None
    return sample.scores["verdict"]


@pytest.fixture(autouse=True)
def _engine(tmp_path: Path) -> None:
    require("bubblewrap", Settings(reports=tmp_path))


def test_the_silver_patch_is_resolved(tmp_path: Path) -> None:
    (instance,) = load_instances([TOY]).values()
    encoded = base64.b64encode(silver_patch(instance)).decode()
    log = _played(tmp_path, f"echo {encoded} | base64 -d | git apply -", "cat VERSION; id -u")
    assert log.samples is not None
    said = [each.text for each in log.samples[0].messages if each.role == "tool"]
    assert said[1].split() == ["2", "1000"]
    score = _score(log)
    assert score.value == {"resolved": 1, "reward": 1}
    assert score.answer is not None
    assert "+2" in score.answer
    assert score.explanation is not None
    assert "| check | passed |" in score.explanation
    assert score.metadata is not None
    (record,) = Path(score.metadata["reports"]).glob("evaluations/*/*.json")
    assert record.is_file()


def test_nothing_done_is_nothing_earned(tmp_path: Path) -> None:
    assert _score(_played(tmp_path)).value == {"resolved": 0, "reward": 0}


def test_a_fake_is_rejected_and_earns_nothing(tmp_path: Path) -> None:
    fake = "echo 2 > VERSION; mkdir -p out; printf 'version 2\\n' > out/book.txt"
    score = _score(_played(tmp_path, fake))
    assert score.value == {"resolved": 0, "reward": 0}
    assert score.explanation is not None
    assert "- fatal `ready-made`" in score.explanation


def test_files_and_commands_of_the_sandbox(tmp_path: Path) -> None:
    settings = Settings(reports=tmp_path / "reports", sandbox="bubblewrap", network="offline")
    config = SandboxConfig(instance=TOY, settings=settings)

    async def used() -> None:
        environments = await BenchmacSandbox.sample_init("toy", config, {})
        place = environments["default"]
        try:
            await place.write_file("new/a b.txt", "one\r\ntwo\n")
            assert await place.read_file("new/a b.txt") == "one\r\ntwo\n"
            await place.write_file("raw", b"\x00\xff")
            assert await place.read_file("raw", text=False) == b"\x00\xff"
            for name, error in (
                ("none", FileNotFoundError),
                ("new", IsADirectoryError),
                ("/etc/shadow", PermissionError),
            ):
                with pytest.raises(error):
                    await place.read_file(name)
            with pytest.raises(PermissionError):
                await place.write_file("/etc/mine", "x")
            ran = await place.exec(
                ["sh", "-c", "cat; echo $WORD; pwd >&2; exit 3"],
                input="given ",
                cwd="new",
                env={"WORD": "a b"},
            )
            assert (ran.success, ran.returncode, ran.stdout) == (False, 3, "given a b\n")
            assert ran.stderr.strip().endswith("/new")
            with pytest.raises(TimeoutError):
                await place.exec(["sleep", "60"], timeout=1)
            with pytest.raises(SandboxUserUnsupportedError):
                await place.exec(["true"], user="root")
        finally:
            await BenchmacSandbox.sample_cleanup("toy", config, environments, interrupted=False)

    asyncio.run(used())
    told = BenchmacSandbox.config_deserialize(config.model_dump(mode="json"))
    assert told == config
