"""The set-up that scripts share leaves alone what is not this checkout's."""

from __future__ import annotations

import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def test_an_environment_behind_a_link_is_not_emptied(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs" / ".venv"
    theirs.mkdir(parents=True)
    (theirs / "pyvenv.cfg").write_text("home = elsewhere\n")
    checkout = tmp_path / "checkout"
    for part in ("pyproject.toml", "tests/toy_track/pyproject.toml", "scripts/constraints.txt"):
        (checkout / part).parent.mkdir(parents=True, exist_ok=True)
        (checkout / part).write_text("")
    (checkout / ".venv").symlink_to(theirs)
    script = '. "$1"; setup_venv dev'
    done = subprocess.run(
        ["sh", "-c", f"root={checkout}; {script}", "scripts/test", _ROOT / "scripts" / "lib.sh"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert f"{checkout}/.venv is a link to another environment" in done.stderr
    assert (theirs / "pyvenv.cfg").exists()
