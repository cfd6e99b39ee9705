import builtins
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac import PROTOCOL_VERSION, __version__
from pytest_benchmac.cli.main import main


def test_the_version_says_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        main(["--version"])
    assert exited.value.code == 0
    first, _, third, fourth = capsys.readouterr().out.splitlines()
    assert first == f"benchmac {__version__}"
    assert third.startswith(f"protocol {PROTOCOL_VERSION}, tracks: angular ")
    assert "report yes" in fourth
    assert "dev" not in fourth


def test_bash_completes_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "benchmac.bash"
    script.write_text(capsys.readouterr().out)
    asked = (
        f"source {script}; COMP_WORDS=(benchmac rejud); COMP_CWORD=1; "
        '_shtab_benchmac; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", asked], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.split() == ["rejudge"]


def test_an_extra_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ordinary = builtins.__import__

    def without_shtab(name: str, *rest: Any, **more: Any) -> Any:
        if name == "shtab":
            raise ImportError(name)
        return ordinary(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_shtab)
    assert main(["completion", "zsh"]) == 4
    assert "pytest-benchmac[completion]" in capsys.readouterr().err
