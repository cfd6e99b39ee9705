"""What our instances ship of their bases is what is learnt of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.input.selftests import baseline_submissions
from pytest_benchmac.judging.base_facts import LEARNT_FILE, shipped_facts, shipped_key
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.prepare import open_network, prepare_image
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.sandbox.select import select_engine
from tests.engines import require

MANAGERS = Path(__file__).parents[1] / "tracks" / "angular" / "managers"
LEARNT_AGAIN = "waymark_java8_to_17"
#: Sources that are not ours are named, and nothing that was built of them is shipped.
OURS = sorted(
    name for name, instance in load_instances().items() if instance.source.path is not None
)


@pytest.mark.parametrize("sandbox", ["docker", "bubblewrap"])
@pytest.mark.parametrize("name", OURS)
def test_what_is_shipped_is_of_this_version(
    name: str, sandbox: SandboxName, tmp_path: Path
) -> None:
    """After a change of what a track learns: `benchmac learn NAME`."""
    settings = Settings(reports=tmp_path, sandbox=sandbox)
    require(sandbox, settings)
    instance = load_instances(pattern=name)[name]
    (baseline,) = baseline_submissions({name: instance})
    with open_network(settings, None) as network:
        state = CaseState(instance, baseline, settings, network, lambda _: None)
        state.engine, _ = select_engine(sandbox, settings)
        key = shipped_key(state, prepare_image(state, SubmissionKind.BASELINE))
    shipped = shipped_facts(instance)
    assert shipped is not None
    assert shipped.key == key


def test_what_is_learnt_again_is_what_is_shipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    options = ["--sandbox=bubblewrap", "--reports", str(tmp_path / "reports")]
    assert main(["learn", LEARNT_AGAIN, "--check", *options]) == 0
    assert f"[1/1] {LEARNT_AGAIN}: the same as shipped (" in capsys.readouterr().out


def test_what_differs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    folder = tmp_path / LEARNT_AGAIN
    shutil.copytree(packaged_instances() / LEARNT_AGAIN, folder)
    shipped = folder / LEARNT_FILE
    changed = json.loads(shipped.read_bytes())
    changed["facts"]["cases"].append("other")
    changed["facts"]["own"]["ms"] = {"": 12_000}
    shipped.write_text(json.dumps(changed))
    options = ["--sandbox=bubblewrap", "--reports", str(tmp_path / "reports")]
    options += ["--instances", str(folder)]
    assert main(["learn", LEARNT_AGAIN, "--check", *options]) == 1
    assert "learnt otherwise than shipped: cases (" in capsys.readouterr().out
    # And is written where it is not only checked. How long tests take is the machine's own.
    assert main(["learn", LEARNT_AGAIN, *options]) == 0
    original = json.loads((packaged_instances() / LEARNT_AGAIN / LEARNT_FILE).read_bytes())
    written = json.loads(shipped.read_bytes())
    original["facts"]["own"].pop("ms")
    assert set(written["facts"]["own"].pop("ms")) == {""}
    assert written == original


def test_a_base_that_nothing_is_compared_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An Angular instance without a boot section."""
    options = [f"--instances={MANAGERS}", "--reports", str(tmp_path / "reports")]
    assert main(["learn", "pondlog_nx_*", *options]) == 0
    assert "nothing is compared with its base" in capsys.readouterr().out
    assert not list(MANAGERS.rglob(LEARNT_FILE))


def test_the_local_sandbox_learns_nothing_for_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--sandbox=local", "--network=open", "--reports", str(tmp_path)]
    assert main(["learn", LEARNT_AGAIN, *options]) == 4
    assert "holds on this machine only" in capsys.readouterr().err
