from __future__ import annotations

import re
from pathlib import Path

import pytest

import pytest_benchmac
from pytest_benchmac.cli.explain import explained, pages
from pytest_benchmac.cli.main import main

RULES = Path(__file__).parents[2] / "docs" / "rules"


def test_every_code_of_the_table_has_a_page() -> None:
    made = pages()
    there = {p.relative_to(RULES).as_posix(): p.read_text() for p in RULES.rglob("*.md")}
    assert there == made, "run: python -m pytest_benchmac.cli.explain docs/rules"
    assert {name: len(codes) for name, codes in explained().items()} == {
        "angular": 178,
        "maven": 70,
        "refactor": 12,
        "rewrite": 11,
    }


@pytest.mark.parametrize("track", ["angular", "maven", "refactor", "rewrite"])
def test_every_code_that_a_track_reports_is_explained(track: str) -> None:
    """Codes as its sources write them: the first argument of what reports a finding."""
    tracks = Path(pytest_benchmac.__file__).parent / "tracks"
    shared = ["repository"] if track in ("angular", "maven") else []
    sources = "".join(
        path.read_text() for each in (track, *shared) for path in (tracks / each).rglob("*.py")
    )
    call = r'(?:fatal|warning|report|tell)\(\s*"([a-z]+(?:-[a-z]+)*)",'
    reported = set(re.findall(call, sources))
    codes = explained()[track].keys()
    assert reported - codes == set()
    # Some of Angular's are put together, as of what is counted.
    if track != "angular":
        assert {code for code in codes if f'"{code}"' not in sources} == set()


def test_a_code_of_several_tracks_has_all_its_meanings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "link"]) == 0
    said = capsys.readouterr().out
    assert "track maven; fatal" in said
    assert "track refactor; fatal" in said


def test_a_code_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "lock-alias"]) == 0
    said = capsys.readouterr().out
    assert "What to do: Have npm write the lock file anew." in said
    assert main(["explain", "lock-allias"]) == 4
    assert "Did you mean lock-alias" in capsys.readouterr().err
    assert main(["explain"]) == 0
    assert "node-modules-committed" in capsys.readouterr().out
