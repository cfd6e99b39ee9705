"""`benchmac crosscheck` on a run of the toy track in the local sandbox."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.cli.crosscheck import draw
from pytest_benchmac.cli.main import main
from tests.records import evaluation
from tests.toy_bench import BASE, Bench, make_template, session_env

SUTS = ("good", "wrong_version", "broken_build", "lost_words", "conflicting")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    root = tmp_path_factory.mktemp("toy")
    make_template(root / "template")
    bench = Bench(root / "bench", root / "template", session_env(root / "bench", root / "cache"))
    bench.instance(silver="good")
    for sut in SUTS:
        bench.patch(sut, sut=sut)
    bench.judge("--silver")
    return bench


@pytest.fixture
def bench(ran: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The same run, in a folder of its own."""
    for name, value in ran.env.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(ran.root, tmp_path / "bench")
    return Bench(tmp_path / "bench", ran.template, ran.env)


def crosscheck(bench: Bench, *arguments: str) -> int:
    return main(
        [
            "crosscheck",
            str(bench.reports),
            f"--instances={bench.root}/instances",
            f"--reports={bench.root}/plain",
            *arguments,
        ]
    )


def change(bench: Bench, sut: str, **values: Any) -> None:
    file = bench.reports / "evaluations" / sut / f"{BASE}.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def test_all_cases_come_out_the_same(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert crosscheck(bench, "--share=1") == 0, capsys.readouterr()
    said = capsys.readouterr().out
    assert f"{len(SUTS) + 1} case(s) judged again, 0 different, 0 error(s)" in said
    record = json.loads((bench.root / f"plain/evaluations/good/{BASE}.json").read_text())
    assert record["environment"]["plain"] is True
    assert bench.record(sut="good")["environment"]["plain"] is False
    assert record["reuse_key"] != bench.record(sut="good")["reuse_key"]


def test_a_difference_is_told(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    before = bench.record(sut="good")
    artifact = {**before["artifacts"][0], "sha256": "f" * 64}
    change(
        bench,
        "good",
        resolved=False,
        metrics={**before["metrics"], "version_reached": False},
        artifacts=[artifact, *before["artifacts"][1:]],
    )
    assert crosscheck(bench, "--share=1") == 1
    said = capsys.readouterr().out
    for what in ("resolved", "metric version_reached", f"artifact {artifact['path']}"):
        assert what in said
    assert "1 different" in said


def test_what_is_not_there_any_more(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(bench.reports / "patches")
    assert crosscheck(bench, "--share=1") == 4
    assert "the patch that was judged is not there" in capsys.readouterr().err
    assert crosscheck(bench, "--share=1", f"--reports={bench.reports}") == 4
    assert "is the folder that is checked" in capsys.readouterr().err


@pytest.mark.parametrize("share", ["0", "1.5", "nan", "x"])
def test_a_share_is_above_nothing_and_no_more_than_all(bench: Bench, share: str) -> None:
    with pytest.raises(SystemExit) as ended:
        crosscheck(bench, f"--share={share}")
    assert ended.value.code == 4


def test_a_share_of_a_seed() -> None:
    records = [evaluation(f"sut-{number}") for number in range(40)]
    drawn = draw(records, 0.1, 7)
    assert len(drawn) == 4
    assert draw(records[::-1], 0.1, 7) == drawn
    assert {each.sut for each in draw(records, 0.1, 8)} != {each.sut for each in drawn}
    assert len(draw(records[:3], 0.1, 7)) == 1
