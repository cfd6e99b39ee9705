"""docs/new-track.md is executed: its files are the toy track, and its commands run on them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.toy_bench import TOY_TRACK, session_env

PAGE = Path(__file__).parents[1] / "docs" / "new-track.md"
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def pieces() -> dict[str, list[str]]:
    """File -> its pieces on the page."""
    found: dict[str, list[str]] = {}
    for _, name, text in FENCE.findall(PAGE.read_text()):
        if name:
            found.setdefault(name, []).append(text)
    return found


def sessions() -> list[tuple[str, list[str]]]:
    """The page's command lines, each with the lines of output that it shows."""
    found: list[tuple[str, list[str]]] = []
    for language, _, text in FENCE.findall(PAGE.read_text()):
        for line in text.splitlines() if language == "console" else ():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    return found


def without_blank_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def files_below(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {p.relative_to(folder).as_posix() for p in files if "__pycache__" not in p.parts}


def test_the_page_has_every_file_of_the_toy_track_and_no_other() -> None:
    assert set(pieces()) == files_below(TOY_TRACK)


@pytest.mark.parametrize("name", pieces())
def test_its_pieces_are_the_file(name: str) -> None:
    page = without_blank_lines("".join(pieces()[name]))
    assert page == without_blank_lines((TOY_TRACK / name).read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that a reader of the page has at its end, installed."""
    folder = tmp_path_factory.mktemp("page") / "reader"
    for name, texts in pieces().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(texts))
    # What `pip install` leaves of a project, in a folder that comes first on the path.
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    information = folder / "benchmac_toy_track-0.1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (information / "entry_points.txt").write_text("\n".join(lines))
    return folder


def test_its_commands_print_what_it_shows(folder: Path, tmp_path: Path) -> None:
    env = session_env(tmp_path, tmp_path / "cache")
    env |= {"PYTHONPATH": str(folder), "PATH": f"{Path(sys.executable).parent}:{env['PATH']}"}

    def run(command: str) -> str:
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    loaded = "from pytest_benchmac.tracks.registry import get_track as get; import sys"
    told = run(f"python -c '{loaded}; print(sys.modules[type(get(\"toy\")).__module__].__file__)'")
    assert told.strip() == str(folder / "benchmac_toy_track" / "track.py")

    install, *commands = sessions()
    assert install == ("pip install --no-deps --editable .", [])
    assert len(commands) == 6
    for command, shown in commands:
        out = run(command)
        for line in shown:
            assert line in out, f"{command}\n{out}"
