"""Sandboxes of bubblewrap for what Harbor runs; Harbor tells nobody of it."""

from pathlib import Path

import pytest

from pytest_benchmac.model.settings import Settings
from tests.engines import require

TOY = Path(__file__).parents[1] / "toy_track/instances/tiny_v1_to_v2"


@pytest.fixture(autouse=True)
def _engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOR_TELEMETRY", "off")
    require("bubblewrap", Settings(reports=tmp_path))
