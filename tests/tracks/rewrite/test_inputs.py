"""Instances and submissions of the track, as they are read."""

import io
import tarfile
from pathlib import Path

import pytest

from pytest_benchmac.environment.project import Tree
from pytest_benchmac.generate.task import task_of
from pytest_benchmac.input.instances import load_instance, load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.errors import InstanceError, SubmissionError
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.rewrite.cases.files import expecting_cases, read_cases, write_cases
from pytest_benchmac.tracks.rewrite.instance import RewriteInstance
from pytest_benchmac.tracks.rewrite.track import track
from tests.tracks.rewrite import tally

ID = "tally_c_to_python"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tally.write(tmp_path / "instances" / ID)


def _load(folder: Path) -> RewriteInstance:
    loaded = load_instance(folder / "instance.toml")
    assert isinstance(loaded, RewriteInstance)
    return loaded


def test_commands_are_those_of_the_published_file(folder: Path) -> None:
    instance = _load(folder)
    assert instance.commands.build == "python3 -m py_compile tally.py"
    assert instance.commands.install is None
    before = instance.definition_sha256
    for name, old, new in (
        ("benchmark.yml", "py_compile tally.py", "py_compile ./tally.py"),
        ("suite/cases.jsonl", '"40"', '"39"'),
        ("suite/fresh.py", "abcdef", "abc"),
    ):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, new))
        assert _load(folder).definition_sha256 != before
        (folder / name).write_text(text)
    assert _load(folder).definition_sha256 == before


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("instance.toml", "[environment]", "[commands]\nbuild = 'x'\n\n[environment]", "commands"),
        ("instance.toml", "[environment]", "[benchmark]\n\n[environment]", "benchmark"),
        ("instance.toml", 'absent = ["gcc", "node"]', "absent = []", "absent"),
        ("instance.toml", 'absent = ["gcc", "node"]', 'absent = ["a b"]', "absent"),
        ("instance.toml", "[suite]", '[suite]\nfingerprints = ["none.json"]', "none.json"),
        ("benchmark.yml", "type: cli", "type: api", "port"),
        ("benchmark.yml", "target_language: Python", "target_language: Go", "languages"),
        ("benchmark.yml", "language: Python", "language: Pascal", "language"),
        ("benchmark.yml", "source:", "source: [", "benchmark.yml cannot be read"),
        ("benchmark.yml", '  run_cmd: python3 "$ROOT/tally.py"\n', "", "run"),
    ],
)
def test_a_wrong_instance_is_told(name: str, old: str, new: str, told: str, folder: Path) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    with pytest.raises(InstanceError, match=told):
        _load(folder)


def test_cases_are_read_and_written(folder: Path) -> None:
    instance = _load(folder)
    cases = expecting_cases(instance)
    file = folder / "suite" / "cases.jsonl"
    file.write_text(write_cases(cases))
    assert expecting_cases(instance) == cases
    file.write_text('{"id": "a"}\n')
    assert read_cases(instance)[0].expect is None
    with pytest.raises(InstanceError, match="record-cases"):
        expecting_cases(instance)
    file.write_text('{"id": "a"}\n{"id": "a"}\n')
    with pytest.raises(InstanceError, match="more than one case 'a'"):
        read_cases(instance)
    file.write_text('{"id": "a", "steps": []}\n')
    with pytest.raises(InstanceError, match=r"cases\.jsonl:1"):
        read_cases(instance)


def test_who_judges_has_no_source(folder: Path) -> None:
    instance = _load(folder)
    assert track.tree(instance, SubmissionKind.PATCH) == Tree(source=None, empty=("dst",))
    assert track.tree(instance, SubmissionKind.SILVER) == Tree(source=None, empty=("dst",))
    assert track.tree(instance, SubmissionKind.BASELINE) == Tree(source="src")
    assert track.workplace(instance).tree == Tree(source="src", empty=("dst",))
    (check,) = track.base_recipe(instance).checks
    assert check.expected == ""
    assert "-name 'gcc'" in check.command


def test_the_task_has_the_very_commands(folder: Path) -> None:
    text = task_of(_load(folder))
    for told in (
        "python3 -m py_compile tally.py",
        'python3 "$ROOT/tally.py"',
        'perl "$ROOT/tally.c"',
        "written in C:",
        "none of these programs: gcc, node",
        "Do not run, embed, wrap",
    ):
        assert told in text
    assert "$target" not in text


def _archive(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        content = tally.REWRITE.encode()
        info = tarfile.TarInfo("dst/tally.py")
        info.size, info.mode = len(content), 0o644
        tar.addfile(info, io.BytesIO(content))


def test_trees_are_submissions(folder: Path, tmp_path: Path) -> None:
    instances = load_instances([folder])
    patches = tmp_path / "patches"
    _archive(patches / "archiver" / f"{ID}.tar.gz")
    _archive(patches / "archiver" / f"{ID}.2.tar.gz")
    (patches / "archiver" / f"{ID}.json").write_text('{"cost_usd": 1}')
    tree = patches / "folder" / ID / "dst"
    tree.mkdir(parents=True)
    (tree / "tally.py").write_text(tally.REWRITE)
    top = patches / ID / "dst"
    top.mkdir(parents=True)
    (top / "tally.py").write_text(tally.REWRITE)
    found = read_submissions([patches], instances, tmp_path / "staging")
    told = [(each.case.sut, each.case.attempt, each.metadata.cost_usd) for each in found]
    assert told == [
        ("archiver", 1, 1.0),
        ("archiver", 2, None),
        ("folder", 1, None),
        ("unnamed", 1, None),
    ]
    # One work, one digest, however it comes.
    assert len({each.patch_sha256 for each in found}) == 1
    assert found[0].patch is not None
    assert found[0].patch.read_bytes() == (folder / "silver.patch").read_bytes()


def test_two_forms_of_one_case_are_told(folder: Path, tmp_path: Path) -> None:
    patches = tmp_path / "patches"
    _archive(patches / f"{ID}.tar.gz")
    (patches / f"{ID}.patch").write_bytes((folder / "silver.patch").read_bytes())
    with pytest.raises(SubmissionError, match="has a submission for"):
        read_submissions([patches], load_instances([folder]), tmp_path / "staging")
