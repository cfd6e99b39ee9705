"""What needs Harbor says so where it is not there."""

import importlib.util
import sys
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("harbor") is not None, reason="harbor is there"
)
REMEDY = "pip install 'pytest-benchmac[harbor]'"


@pytest.mark.parametrize(
    "command",
    [
        ["export", "harbor", "tasks"],
        ["import", "harbor-job", "job", "--out", "patches"],
        ["generate", "--sut", "harbor:nop", "--out", "patches"],
    ],
)
def test_a_named_error(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 4
    told = " ".join(capsys.readouterr().err.split())
    assert REMEDY in told
    if sys.version_info < (3, 12):
        assert "takes Python 3.12 or later" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sut", ["harbor", "harbor:", "human:x"])
def test_a_name_without_its_part(sut: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["generate", "--sut", sut, "--out", "patches"])
    assert raised.value.code == 4
    assert "invalid choice" in capsys.readouterr().err
