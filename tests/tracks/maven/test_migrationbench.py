"""MigrationBench's table becomes instances, and its form of predictions submissions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.errors import InputError, SubmissionError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.tracks.maven.instance import MavenInstance
from pytest_benchmac.tracks.maven.migrationbench import instance_id, read_table

COLUMNS = (
    "repo",
    "base_commit",
    "num_java_files",
    "num_loc",
    "num_pom_xml",
    "num_src_test_java_files",
    "num_test_cases",
    "license",
)
#: Made up, with the columns of the published table.
ROWS = (
    ("somebody/tidy-app", "a" * 40, "12", "900", "1", "4", "31", "mit"),
    ("Some-Org/big.service", "b" * 40, "310", "40000", "7", "90", "1204", "apache-2.0"),
)


def table(folder: Path, *rows: tuple[str, ...], columns: tuple[str, ...] = COLUMNS) -> Path:
    path = folder / "selected.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def imported(folder: Path, target: str = "17") -> dict[str, Instance]:
    out = folder / "instances"
    source = str(table(folder, *ROWS))
    status = main(["import", "migrationbench", source, "--out", str(out), "--target", target])
    assert status == 0
    return load_instances([out])


def test_every_row_becomes_an_instance(tmp_path: Path) -> None:
    instances = imported(tmp_path)
    assert list(instances) == [
        "Some-Org__big.service_java8_to_17",
        "somebody__tidy-app_java8_to_17",
    ]
    instance = instances["somebody__tidy-app_java8_to_17"]
    assert isinstance(instance, MavenInstance)
    assert instance.source.git == "https://github.com/somebody/tidy-app.git"
    assert instance.source.commit == "a" * 40
    assert instance.license == "mit"
    assert "31 test cases" in instance.description
    assert instance.migration.target_version == "17"
    assert instance.environment.java == "17"


def test_another_target_has_its_own_image(tmp_path: Path) -> None:
    instance = imported(tmp_path, "21")["somebody__tidy-app_java8_to_21"]
    assert isinstance(instance, MavenInstance)
    assert instance.environment.java == "21"
    assert "temurin-21" in instance.environment.image


def test_importing_again_replaces(tmp_path: Path) -> None:
    first = imported(tmp_path)
    file = tmp_path / "instances/somebody__tidy-app_java8_to_17/instance.toml"
    file.write_text("broken")
    assert imported(tmp_path) == first
    assert [path.name for path in file.parent.iterdir()] == ["instance.toml"]


def test_the_set_without_tests_and_other_forms_are_read(tmp_path: Path) -> None:
    columns = ("repo", "base_commit", "license")
    (row,) = read_table(table(tmp_path, ("a/b", "c" * 40, "mit"), columns=columns))
    assert row.num_test_cases is None
    path = tmp_path / "rows.jsonl"
    data = {"repo": "https://github.com/a/b.git/", "base_commit": "c" * 40, "num_test_cases": 3}
    path.write_text(json.dumps(data) + "\n\n")
    (row,) = read_table(path)
    assert (row.repo, row.num_test_cases, row.license) == ("a/b", 3, "unknown")


def test_every_problem_is_told_with_its_line(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        ("no-slash", "a" * 40, "", "", "", "", "1", "mit"),
        ("a/b", "abc", "", "", "", "", "1", "mit"),
        ("a/c", "a" * 40, "", "", "", "", "many", "mit"),
        ("a/d", "a" * 40, "", "", "", "", "", "mit"),
        ("a/d", "a" * 40, "", "", "", "", "", "mit"),
        ("", "a" * 40, "", "", "", "", "", "mit"),
    )
    with pytest.raises(InputError) as error:
        read_table(path)
    told = str(error.value)
    for line, what in (
        (2, "column `repo` is 'no-slash'"),
        (3, "column `base_commit` is 'abc'"),
        (4, "column `num_test_cases` is 'many'"),
        (6, "a/d has a row already"),
        (7, "column `repo` is missing"),
    ):
        assert f"{path}:{line}: {what}" in told
    assert f"{path}:5" not in told


@pytest.mark.parametrize("content", [b"", b"repo,base_commit\n", b"\xff\xfe\x00", b"\x00"])
def test_what_is_no_table_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert main(["import", "migrationbench", str(path), "--out", str(tmp_path / "o")]) == 4
    assert not (tmp_path / "o").exists()


def test_long_names_are_cut_and_stay_apart() -> None:
    one, other = (instance_id(f"{'o' * 39}/{'n' * 99}{x}", "17") for x in "ab")
    assert one != other
    assert len(one) == len(other) == 128


# --- predictions -------------------------------------------------------------------------------


def read(folder: Path, *rows: dict[str, Any]) -> tuple[Submission, ...]:
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_submissions([path], imported(folder), folder / "staging")


def content_of(submission: Submission) -> bytes:
    assert submission.patch is not None
    return submission.patch.read_bytes()


def test_predictions_name_repositories(tmp_path: Path) -> None:
    (tmp_path / "diffs").mkdir()
    (tmp_path / "diffs/big.diff").write_bytes(b"diff --git \xff\n")
    big, tidy = read(
        tmp_path,
        {"github_url": "https://github.com/somebody/tidy-app", "git_diff": "diff --git a b\n"},
        {
            "github_url": "git@github.com:some-org/Big.Service.git",
            "git_diff_file": "diffs/big.diff",
            "model_name_or_path": "sd-feedback",
        },
    )[::1]
    assert (big.case.instance_id, big.case.sut) == (
        "Some-Org__big.service_java8_to_17",
        "sd-feedback",
    )
    assert content_of(big) == b"diff --git \xff\n"
    assert (tidy.case.instance_id, tidy.case.sut) == ("somebody__tidy-app_java8_to_17", "unnamed")
    assert content_of(tidy) == b"diff --git a b\n"


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("/etc/hostname", "not below the folder of the predictions file"),
        ("../secret.diff", "not below the folder of the predictions file"),
        ("diffs/../../secret.diff", "not below the folder of the predictions file"),
        ("link.diff", "none is followed"),
        ("away/secret.diff", "none is followed"),
    ],
)
def test_a_row_names_no_file_of_the_host(tmp_path: Path, named: str, told: str) -> None:
    """What it leads to would be copied, and shown on the page."""
    folder = tmp_path / "in"
    (folder / "diffs").mkdir(parents=True)
    (tmp_path / "secret.diff").write_bytes(b"secret")
    (folder / "link.diff").symlink_to(tmp_path / "secret.diff")
    (folder / "away").symlink_to(tmp_path)
    row = {"github_url": "https://github.com/somebody/tidy-app", "git_diff_file": named}
    with pytest.raises(SubmissionError, match=told) as error:
        read(folder, row)
    assert "predictions.jsonl:1" in str(error.value)
    assert list((folder / "staging").glob("*")) == []


def test_a_sut_that_gave_up_has_an_empty_patch(tmp_path: Path) -> None:
    row = {"github_url": "https://github.com/somebody/tidy-app/", "git_diff": None}
    (submission,) = read(tmp_path, row)
    assert submission.empty


def test_predictions_are_found_in_a_patch_directory(tmp_path: Path) -> None:
    instances = imported(tmp_path)
    patches = tmp_path / "patches"
    patches.mkdir()
    row = {"github_url": "https://github.com/somebody/tidy-app", "git_diff": "x"}
    (patches / "rows.json").write_text(json.dumps([row]))
    assert len(read_submissions([patches], instances, tmp_path / "staging")) == 1
    (patches / "rows.json").write_text(json.dumps(row))
    assert len(read_submissions([patches], instances, tmp_path / "staging")) == 1


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"git_diff": "x", "git_diff_file": "y"}, "either `git_diff` or `git_diff_file`"),
        ({}, "either `git_diff` or `git_diff_file`"),
        ({"git_diff_file": "gone.diff"}, "gone.diff: cannot be read"),
        ({"git_diff": 5}, "key `git_diff` is 5"),
        ({"git_diff": "\ud800"}, "half a surrogate pair"),
        ({"git_diff": "x", "github_url": "https://github.com/no/body"}, "no instance is of that"),
    ],
)
def test_problems_of_predictions_are_told(row: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(SubmissionError) as error:
        read(tmp_path, {"github_url": "https://github.com/somebody/tidy-app", **row})
    assert told in str(error.value)
    assert "predictions.jsonl:1" in str(error.value)


def test_a_repository_with_several_instances_is_ambiguous(tmp_path: Path) -> None:
    instances = {**imported(tmp_path), **imported(tmp_path, "21")}
    path = tmp_path / "predictions.json"
    row = {"github_url": "https://github.com/somebody/tidy-app", "git_diff": "x"}
    path.write_text(json.dumps([row]))
    with pytest.raises(SubmissionError, match="several instances are"):
        read_submissions([path], instances, tmp_path / "staging")
