from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import ADD_PARSERS, build_parser, main
from pytest_benchmac.cli.options import settings_of
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.report.leaderboard import Leaderboard
from tests.records import evaluation


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    store = EvaluationStore(tmp_path / "reports")
    for record in (evaluation("a"), evaluation("b", reached=1)):
        store.write(record)
    return store.reports


def test_aggregate_writes_the_file_and_shows_the_table(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "leaderboard.json"
    assert main(["aggregate", str(reports), "--output", str(output)]) == 0
    leaderboard = Leaderboard.model_validate_json(output.read_text())
    assert [row.sut for row in leaderboard.tracks[0].rows] == ["a", "b"]
    assert "resolved" in capsys.readouterr().out


def test_aggregate_of_nothing_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["aggregate", str(tmp_path / "nowhere")]) == 4
    said = capsys.readouterr().err
    assert "nowhere: no evaluations here" in said
    assert "Traceback" not in said


def test_an_output_that_cannot_be_written_is_an_infrastructure_error(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["aggregate", str(reports), "--output", str(tmp_path / "file" / "x.json")]) == 3
    assert "cannot write" in capsys.readouterr().err


def test_rejudge_agrees_with_sound_records(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rejudge", str(reports)]) == 0
    assert "2 record(s), 0 different" in capsys.readouterr().out


def test_rejudge_finds_and_corrects_a_record_that_was_tampered_with(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = EvaluationStore(reports)
    path = store.path(evaluation("b").case)
    tampered = json.loads(path.read_text())
    tampered["metrics"]["version_reached"] = True
    tampered["resolved"] = True
    path.write_text(json.dumps(tampered))

    assert main(["rejudge", str(reports)]) == 1
    said = capsys.readouterr().out
    assert str(path) in said
    assert "metric version_reached: stored True, computed None" in said
    assert "resolved: stored True, computed False" in said

    assert main(["rejudge", str(reports), "--write"]) == 0
    assert store.load(evaluation("b").case) == evaluation("b", reached=1)
    assert main(["rejudge", str(reports)]) == 0


def test_validate_names_what_is_wrong_with_a_file(
    write_instance: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_instance("broken_v1_to_v2", ('license = "MIT"\n', ""))
    arguments = ["validate", "--instances", str(folder.parent), "--reports", str(tmp_path / "r")]
    assert main(arguments) == 1
    said = capsys.readouterr().out
    assert "schema FAILED" in said
    assert "key `license` is missing" in said
    assert "image -" in said


def test_validate_with_a_pattern_that_matches_nothing_names_what_there_is(
    write_instance: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_instance()
    assert main(["validate", "nothing*", "--instances", str(folder.parent)]) == 4
    assert folder.name in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["rejudge"], ["doctor", "--no-such"]])
def test_usage_errors_exit_4(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 4
    assert "usage: benchmac" in capsys.readouterr().err


def test_every_subcommand_has_help_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--help"])
    assert raised.value.code == 0
    said = capsys.readouterr().out
    for name in ("doctor", "validate", "aggregate", "report", "rejudge", "images", "generate"):
        assert name in said
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert f"benchmac {name}" in capsys.readouterr().out.partition("example")[2]


def test_doctor_says_with_its_status_whether_a_sandbox_is_usable() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest_benchmac.cli.main", "doctor"],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    usable = any(line.startswith(("ok   docker", "ok   bubblewrap")) for line in lines)
    assert done.returncode == (0 if usable else 1)
    for name in ("docker", "bubblewrap", "git", "npm registry", "apt sources", "cgroups"):
        assert any(line[5:].startswith(name) for line in lines), name


def test_doctor_without_any_engine_names_remedies_and_exits_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.delenv("NPM_CONFIG_REGISTRY", raising=False)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "No sandbox is usable" in said
    assert "fail git" in said
    assert f"SSL_CERT_FILE={tmp_path}/none.pem cannot be used" in said


@pytest.mark.parametrize("command", [["shell", "x"], ["images", "build"]])
def test_what_judges_no_case_has_no_options_of_cases(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_of(build_parser().parse_args(command))
    assert (settings.plain, settings.seed, settings.rerun) == (False, None, False)
    with pytest.raises(SystemExit):
        main([*command, "--boot-seed=1"])
    assert "unrecognized arguments: --boot-seed=1" in capsys.readouterr().err


@pytest.mark.parametrize("name", ADD_PARSERS)
def test_a_command_is_known_by_the_name_of_its_parser(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: benchmac {name}" in capsys.readouterr().out


def test_a_command_is_parsed_without_the_tracks_that_have_others() -> None:
    code = (
        "import sys; from pytest_benchmac.cli.main import build_parser; "
        "build_parser(['report']).parse_args(['report', 'reports/latest']); "
        "print('pytest_benchmac.tracks.angular.track' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
