"""What scripts/test-corpus keeps of a run that may be broken off, and goes on with."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.corpus_results import main, read_results

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_it(name, record_property):
    record_property("benchmac_corpus", ("angular", "exploit", "whole", name, name == "c"))
    assert name != "c"
"""


def run(pytester: pytest.Pytester, *arguments: str) -> tuple[int, str]:
    """pytest on three patches, with the corpus's own conftest."""
    pytester.makepyfile(test_them=TESTS)
    conftest = ROOT / "tests/tracks/angular/exploits/conftest.py"
    (pytester.path / "conftest.py").write_text(conftest.read_text())
    environment = ["-p", "no:cacheprovider", f"--rootdir={pytester.path}"]
    results = pytester.path / "found" / "abc-docker" / f"{len(arguments)}.jsonl"
    command = [sys.executable, "-m", "pytest", "-q", *environment, str(pytester.path)]
    command += [f"--corpus-results={results}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_what_passed_is_not_run_again(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(pytester, "--corpus-shard=1/2")
    assert (code, "1 failed, 1 passed, 1 deselected" in said) == (1, True), said
    code, said = run(pytester)
    assert "1 failed, 1 passed, 1 deselected" in said, said
    folder = pytester.path / "found" / "abc-docker"
    assert {each["passed"] for each in read_results(folder)} == {True, False}
    with (folder / "cut.jsonl").open("w") as out:
        out.write('{"test": "broken off')
    assert main(folder) == 1
    row = (folder / "row.md").read_text()
    assert row.startswith("| abc | ")
    assert "| docker | angular: exploits credited: 1 of 3 whole | 1 |" in row
    assert row.strip() in capsys.readouterr().out


def test_shards_are_a_number_of_a_number(pytester: pytest.Pytester) -> None:
    code, said = run(pytester, "--corpus-shard=3/2")
    assert code == 4, said
