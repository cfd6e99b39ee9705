"""Where a command writes to, and what that may refuse: never a traceback, never a result's 1."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchmac.cli import main as command
from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.store import EvaluationStore
from tests.records import evaluation

MAIN = [sys.executable, "-m", "pytest_benchmac.cli.main"]


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    EvaluationStore(tmp_path / "reports").write(evaluation("Ä"))
    return tmp_path / "reports"


def shown(reports: Path, redirection: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`aggregate`, its standard output redirected by a shell."""
    argv = [*MAIN, "aggregate", str(reports), "--counts-only", "--format=markdown"]
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *argv],
        env=os.environ | env,
        capture_output=True,
        text=True,
    )


def test_a_terminal_that_knows_ascii_alone(reports: Path) -> None:
    done = shown(reports, "", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xc4" in done.stdout


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"], ids=["full", "closed"])
def test_an_output_that_takes_nothing(reports: Path, redirection: str) -> None:
    done = shown(reports, redirection)
    assert done.returncode == 3
    assert done.stderr.startswith("benchmac: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_is_none(reports: Path, port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", "--serve", f"--port={port}", str(reports)])
    assert ended.value.code == 4
    assert "--port" in capsys.readouterr().err


def test_a_cache_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way of the cache")
    monkeypatch.setenv("BENCHMAC_CACHE", str(tmp_path / "file" / "cache"))
    instances = Path(__file__).parents[1] / "toy_track" / "instances"
    assert main(["images", "build", f"--instances={instances}", "--sandbox=local"]) == 3
    assert "Not a directory" in capsys.readouterr().err


def test_a_defect_of_ours_is_no_result(
    reports: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def defective(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(command, "load_cases", defective)
    assert main(["rejudge", str(reports)]) == 3
    assert "please report it" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_a_folder_that_is_gone_and_an_engine_without_an_address(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        ["sh", "-c", 'cd gone && rmdir ../gone && "$@"', "sh", *MAIN, "doctor"],
        cwd=tmp_path,
        env=os.environ | {"DOCKER_HOST": "tcp://[bad"},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    assert "disk: reports" in done.stdout
    assert "DOCKER_HOST" in done.stdout


def test_sigterm_ends_a_command_as_control_c_does(reports: Path) -> None:
    argv = [*MAIN, "report", "--serve", "--port=0", str(reports)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert "Ctrl-C" in server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
