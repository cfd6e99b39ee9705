"""`benchmac import codetaste`, on a made-up checkout."""

from pathlib import Path

import pytest

from pytest_benchmac.cli.main import USAGE, main
from pytest_benchmac.input.instances import load_instances
from tests.tracks.refactor import tiny

HEAD = "owner,repo,commit_hash,golden_commit_hash,category,language,stars\n"
COMMIT = "ab" * 20
ROW = f"tiny,greeting,{COMMIT},{'cd' * 20},structure,Go,7\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    files = {
        "instances.csv": HEAD + ROW + f"tiny,other,{COMMIT},{'cd' * 20},structure,Zig,7\n",
        "assets/descriptions/{}/description.md": "Let a class greet.\n",
        "assets/descriptions/{}/open_description.md": "greeting\n",
        "assets/rules/{}/rules_positive.yml": tiny.ADDITIVE,
        "assets/rules/{}/rules_negative.yml": tiny.REDUCTIVE,
        "assets/diffs/{}/golden.diff": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n",
    }
    for repo in ("greeting", "other"):
        for name, text in files.items():
            file = root / name.format(f"tiny/{repo}/{COMMIT[:8]}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return root


def test_instances_are_written_and_read_back(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["import", "codetaste", str(checkout), "--out", str(out)]) == 0
    assert "left out, of another language: tiny__other_abababab" in capsys.readouterr().out
    (instance,) = load_instances([out]).values()
    assert instance.id == "tiny__greeting_abababab"
    assert instance.source.git == "https://github.com/tiny/greeting.git"
    assert instance.source.commit == COMMIT
    assert (instance.directory / "rules/reductive.yml").read_text() == tiny.REDUCTIVE


def test_one_repository_alone(checkout: Path, tmp_path: Path) -> None:
    words = ["import", "codetaste", str(checkout), "--out", str(tmp_path / "out"), "--repo"]
    assert main([*words, "tiny/greeting"]) == 0
    assert main([*words, "tiny/none"]) == USAGE


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("instances.csv", HEAD + ROW.replace(COMMIT, "main"), "commit_hash"),
        ("assets/diffs/tiny/greeting/abababab/golden.diff", None, "cannot be read"),
        ("assets/descriptions/tiny/greeting/abababab/open_description.md", "x" * 80, "80 char"),
    ],
)
def test_what_is_wrong_is_named(
    checkout: Path,
    tmp_path: Path,
    name: str,
    text: str | None,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if text is None:
        (checkout / name).unlink()
    else:
        (checkout / name).write_text(text)
    assert main(["import", "codetaste", str(checkout), "--out", str(tmp_path / "out")]) == USAGE
    assert said in capsys.readouterr().err
