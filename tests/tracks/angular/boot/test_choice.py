"""What walks do next on a page, of what it offers."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def test_an_area_of_text_gets_what_the_back_end_answers_and_its_button_is_pressed() -> None:
    script = Path(__file__).with_name("choices.mjs")
    with as_file(files("pytest_benchmac.tracks.angular.boot") / "driver") as driver:
        done = subprocess.run(
            ["node", script, driver], check=True, capture_output=True, text=True, timeout=120
        )
    values: list[set[str]] = [set(), set(), set()]
    for chosen in json.loads(done.stdout):
        # With something else it is still to be tried.
        assert chosen["left"] == ["/boats"]
        assert chosen["untried"]
        for step, seen in zip(chosen["steps"], values, strict=True):
            assert (step["kind"], step["click"]["name"]) == ("form", "Import")
            seen.add(step["fill"][0]["value"])
    texts = {'[{"id": 1}]', '[{"id": 2}]'}
    # Nobody foresees which, nor whether it gets one the third time.
    assert values[0] == texts
    assert not values[1] & texts
    assert texts < values[2]
