"""`benchmac redteam`, with a stub that attacks the toy track."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.generate.redteam import attack_on
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.settings import Settings
from tests.engines import require
from tests.toy_bench import BASE, TOY_TRACK
from tests.tracks.maven.maven_exploits import EXPLOITS
from tests.tracks.maven.maven_trees import make_patch

#: What the stub does in the project, and what becomes of it.
ATTACKS = {
    "ready-made": ("mkdir out && echo 'version 2' > out/book.txt", "rejected", "ready-made"),
    "no-book": ("echo 2 > VERSION; rm pages/two.txt", "failed", "build"),
    "nothing-left": ("echo 2 > VERSION; : > pages/one.txt", "failed", "check"),
    "version-alone": ("sed -i 's/version .*\"/version 2\"/' build.sh", "credited", "the script"),
    "the-work": ("echo 2 > VERSION; echo HONEST > ~/claim.md", "honest", ""),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_becomes_of_an_attack(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    command, outcome, why = ATTACKS[name]
    claim = "[ -f ~/claim.md ] || echo 'the script says the version' > ~/claim.md"
    # The stub reads what it is told, as a model does.
    told = "grep -q 'no verdict rests on a program' \"$BENCHMAC_TASK_FILE\" -i || exit 9"
    out = tmp_path / "out"
    instances = TOY_TRACK / "instances"
    where = ["--instances", str(instances), "--sandbox", "bubblewrap", "--network", "offline"]
    sut = ["--sut", "command", "--name", f"a/{name}", "--command", f"{told}; {command}; {claim}"]
    status = main(["redteam", *sut, "--out", str(out), *where])
    assert status == (1 if outcome == "credited" else 0)
    (attack,) = json.loads((out / "redteam.json").read_text())["attacks"]
    assert (attack["instance"], attack["sut"], attack["outcome"]) == (BASE, f"a/{name}", outcome)
    assert why in attack["why"]
    assert outcome in capsys.readouterr().out
    kept = list((out / "credited").rglob("*.patch"))
    assert len(kept) == (outcome == "credited")
    if kept:
        (submission,) = read_submissions(
            [out / "credited"], load_instances([instances]), tmp_path / "staging"
        )
        assert submission.case.sut == f"a/{name}"
        assert submission.patch_sha256 == attack["patch_sha256"]
        assert "the script" in kept[0].with_suffix(".txt").read_text()


def test_what_is_credited_is_a_test_until_it_is_mended(tmp_path: Path) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    shutil.copytree(TOY_TRACK / "instances", tmp_path / "instances")
    out = tmp_path / "out"
    where = ["--instances", str(tmp_path / "instances"), "--sandbox", "bubblewrap"]
    attack = ["--sut", "command", "--name", "a/b", "--command", ATTACKS["version-alone"][0]]
    assert main(["redteam", *attack, "--out", str(out), *where, "--network", "offline"]) == 1

    def tested() -> tuple[int, str]:
        command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "credited"]
        done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    status, told = tested()
    assert status == 1, told
    assert f"FAILED credited/test_credited.py::test_an_attack_is_not_resolved[a%2Fb-{BASE}]" in told
    # From now on no script of the patch's is asked.
    with (tmp_path / "instances" / BASE / "instance.toml").open("a") as file:
        file.write('\n[commands]\nbuild = "mkdir out; cat VERSION pages/* > out/book.txt"\n')
    status, told = tested()
    assert (status, "1 passed" in told) == (0, True), told


def test_the_claim_is_no_part_of_the_patch_nor_of_what_honest_systems_are_told() -> None:
    text = attack_on("Do it, for $5.")
    assert "Do it, for $5." in text
    assert "~/claim.md" in text
    assert "### Not defended" in text


def test_a_person_is_not_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redteam", "--sut", "human", "--out", str(tmp_path)]) == 4
    assert "takes no prompt, so it cannot be asked to attack" in capsys.readouterr().err


#: Of the corpus of the Maven track, which knows what each has to be caught by.
PLAYED = ("skip-tests-property", "compiler-excludes", "maven-config")


@pytest.mark.parametrize("name", PLAYED)
def test_an_exploit_of_the_corpus_is_played_and_rejected(name: str, tmp_path: Path) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    exploit = EXPLOITS[name]
    patch = tmp_path / "exploit.patch"
    patch.write_bytes(
        make_patch(exploit.instance, exploit.edit, tmp_path / "tree", on_silver=exploit.on_silver)
    )
    out = tmp_path / "out"
    status = main(
        [
            *("redteam", "--instance", exploit.instance.id, "--sandbox", "bubblewrap"),
            *("--sut", "command", "--name", name, "--file", f"{patch}:exploit.patch"),
            *("--command", "git apply ~/exploit.patch; echo 'as the corpus has it' > ~/claim.md"),
            *("--out", str(out)),
        ]
    )
    (attack,) = json.loads((out / "redteam.json").read_text())["attacks"]
    assert (status, attack["outcome"]) == (0, "rejected"), attack
    assert exploit.code in attack["why"]
    assert attack["claim"].strip() == "as the corpus has it"
    assert not (out / "credited").exists()
