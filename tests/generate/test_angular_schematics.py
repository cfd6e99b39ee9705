"""`--sut angular-schematics`: what counts as a result, and the real thing on a real application."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pytest_benchmac.environment.source import materialise
from pytest_benchmac.input.instances import load_instance, packaged_instances
from pytest_benchmac.model.errors import InfrastructureError, NetworkError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.trajectory import read_trajectory
from pytest_benchmac.tracks.adapter import ExitReason
from pytest_benchmac.tracks.angular.schematics import AngularSchematics, update_command
from tests.generate.conftest import INSTANCE, MACHINE_CACHE, Generated

Run = Callable[..., Generated]
REAL = "trailbook_v16_to_v17"


@pytest.fixture
def registry() -> Iterator[str]:
    """A package registry that has nothing."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Not on the test's output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def npmrc(instances: Path) -> Callable[[str], None]:
    """Sets the project's configuration of npm."""

    def write(registry: str) -> None:
        text = f"registry={registry}\nfetch-retries=0\n"
        (instances / INSTANCE / "source" / ".npmrc").write_text(text)

    return write


def test_an_update_that_fails_is_a_result(
    run: Run, registry: str, npmrc: Callable[[str], None]
) -> None:
    npmrc(registry)
    generated = run(AngularSchematics())
    assert generated.record.exit_reason is ExitReason.SUBMITTED
    assert generated.record.detail == "ng update exited 1"
    assert generated.record.cost_usd == 0
    install, update = generated.steps
    assert (install.command, install.exit_code) == ("sh tools/install.sh", 0)
    assert (update.command, update.exit_code) == (update_command("17"), 1)
    assert "E404" in update.output
    assert generated.patch == b""


def test_a_registry_that_does_not_answer_is_no_result(
    run: Run, npmrc: Callable[[str], None], tmp_path: Path
) -> None:
    npmrc("http://127.0.0.1:9/")
    with pytest.raises(NetworkError, match="ECONNREFUSED"):
        run(AngularSchematics())
    assert not list(tmp_path.glob("out/*/*"))


def test_a_base_that_does_not_install_is_no_result(run: Run, instances: Path) -> None:
    install = instances / INSTANCE / "source" / "tools" / "install.sh"
    install.write_text("echo broken; exit 3\n")
    with pytest.raises(InfrastructureError, match="exited 3: broken"):
        run(AngularSchematics())


def test_instances_of_other_tracks_are_refused_beforehand(
    benchmac: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    selected = ("--instance", "waymark_java8_to_17")
    done = benchmac("--sut", "angular-schematics", *selected, "--out", tmp_path / "out")
    assert done.returncode == 4
    assert "waymark_java8_to_17 is no Angular instance" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_exact_version_is_for_the_targets_of_its_major(
    run: Run, registry: str, npmrc: Callable[[str], None]
) -> None:
    npmrc(registry)
    adapter = AngularSchematics(core=("16.2.12", "17.3.12"), cli=("17.3.17", "16.2.16"))
    _, update = run(adapter).steps
    assert update.command == update_command("17", "17.3.12", "17.3.17")
    assert update.command.startswith("npx --yes @angular/cli@17.3.17 update ")
    assert "@angular/core@17.3.12 @angular/cli@17.3.17 " in update.command


@pytest.mark.parametrize("option", ["--core-version", "--cli-version"])
def test_a_version_that_is_none(
    benchmac: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, option: str
) -> None:
    done = benchmac("--sut", "angular-schematics", option, "17", "--out", tmp_path)
    assert done.returncode != 0
    assert option in done.stderr
    assert "exact version" in done.stderr


def test_a_real_application(
    benchmac: Callable[..., subprocess.CompletedProcess[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """In a container, with the packages that the registry has today."""
    # The machine's own cache: the base image and the packages are there, or of use later.
    monkeypatch.setenv("BENCHMAC_CACHE", str(MACHINE_CACHE))
    out = tmp_path / "out"
    done = benchmac(
        *("--sut", "angular-schematics", "--instance", REAL),
        *("--sandbox", "docker", "--out", out),
    )
    assert done.returncode == 0, done.stderr
    folder = out / "angular-schematics"
    record = json.loads((folder / f"{REAL}.json").read_text())
    steps = read_trajectory(folder / f"{REAL}.trajectory.jsonl")
    assert (record["exit_reason"], record["detail"]) == ("submitted", ""), steps[-1].output

    instance = load_instance(packaged_instances() / REAL / "instance.toml")
    settings = Settings(reports=out)
    source = materialise(instance, settings).path
    tree = tmp_path / "tree"
    subprocess.run(["cp", "-r", str(source), str(tree)], check=True)
    patch = folder / f"{REAL}.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=tree, check=True)
    manifest = json.loads((tree / "package.json").read_text())
    assert manifest["dependencies"]["@angular/core"].lstrip("^~").startswith("17.")
    assert manifest["devDependencies"]["@angular/cli"].lstrip("^~").startswith("17.")
    lock = json.loads((tree / "package-lock.json").read_text())
    assert lock["packages"]["node_modules/@angular/core"]["version"].startswith("17.")
    # The base's lock file has no addresses, and this machine's registry is nobody's business.
    assert b'"resolved"' not in patch.read_bytes()
    assert b"node_modules/" not in b"".join(
        line for line in patch.read_bytes().splitlines() if line.startswith(b"diff --git")
    )
