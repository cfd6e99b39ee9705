"""Scripts beside these tests that use the driver's modules, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def told_by(name: str, given: Any = None) -> Any:
    """What a script says as JSON, that is given the driver's folder, and this as JSON to read."""
    script = Path(__file__).with_name(name)
    with as_file(files("pytest_benchmac.tracks.angular.boot") / "driver") as driver:
        done = subprocess.run(
            ["node", script, driver],
            input=json.dumps(given),
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        )
    return json.loads(done.stdout)
