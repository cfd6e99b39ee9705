from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instance, load_instances, packaged_instances
from pytest_benchmac.model.errors import InputError, InstanceError
from pytest_benchmac.tracks.registry import get_track, track_names
from tests.conftest import COMMAND, INSTANCE_TOML, TIMEOUT, TRACK

Write = Callable[..., Path]
NAME = "app_v1_to_v2"
COMMAND_KEY, TIMEOUT_KEY = COMMAND.split(" ")[0], TIMEOUT.split(" ")[0]


def error_of(instance: Path) -> str:
    with pytest.raises(InstanceError) as caught:
        load_instance(instance / "instance.toml")
    message = str(caught.value)
    assert str(instance / "instance.toml") in message
    for jargon in (
        "pydantic",
        "errors.",
        "Input should",
        "type=",
        "Field required",
        "Extra inputs",
    ):
        assert jargon not in message
    return message


def test_a_sound_instance(write_instance: Write) -> None:
    folder = write_instance()
    instance = load_instance(folder / "instance.toml")
    assert instance.id == NAME
    assert instance.directory == folder
    assert isinstance(instance, get_track(TRACK).instance_type)
    timeouts = instance.model_dump()["timeouts"]
    assert (timeouts["patch"], timeouts[TIMEOUT_KEY]) == (60.0, 300.0)


def test_every_packaged_instance_loads() -> None:
    instances = load_instances()
    files = packaged_instances().glob("*/instance.toml")
    assert list(instances) == sorted(file.parent.name for file in files) != []
    for name, instance in instances.items():
        assert instance.directory == packaged_instances() / name


KNOWN_TRACKS = ", ".join(map(repr, track_names()))
BROKEN = {
    "unknown top-level key": (
        ('license = "MIT"', 'license = "MIT"\nlisense = "MIT"'),
        ["key `lisense` is unknown", "Did you mean 'license'?"],
    ),
    "unknown nested key": (
        (TIMEOUT, f"x{TIMEOUT}"),
        [f"key `timeouts.x{TIMEOUT_KEY}` is unknown", f"Did you mean '{TIMEOUT_KEY}'"],
    ),
    "unknown key like no other": (
        (TIMEOUT, "qqq = 300"),
        ["key `timeouts.qqq` is unknown", "Known keys here: ", "patch", TIMEOUT_KEY],
    ),
    "unknown key in a list": (
        ("body_file =", "stauts = 1\nbody_file ="),
        ["key `http_fixtures[0].stauts` is unknown", "'status'"],
    ),
    "the key that the reader sets": (
        ('license = "MIT"', 'license = "MIT"\ndirectory = "/etc"'),
        ["key `directory` is unknown"],
    ),
    "missing key": (('license = "MIT"', ""), ["key `license` is missing", "Expected: text."]),
    "missing table": (
        ("[migration]", "[migrations]"),
        ["key `migration` is missing", "key `migrations` is unknown", "Did you mean 'migration'"],
    ),
    "missing nested key": (("image =", "# image ="), ["key `environment.image` is missing"]),
    "number for text": (
        (COMMAND, f"{COMMAND_KEY} = 5"),
        [f"`commands.{COMMAND_KEY}` = 5", "Expected: text in quotes."],
    ),
    "text for number": (
        (TIMEOUT, f'{TIMEOUT_KEY} = "300"'),
        [f"`timeouts.{TIMEOUT_KEY}` = '300'", "Expected: a number."],
    ),
    "boolean for number": (
        (TIMEOUT, f"{TIMEOUT_KEY} = true"),
        [f"`timeouts.{TIMEOUT_KEY}` = true", "Expected: a number."],
    ),
    "text for table": (
        ('[source]\npath = "source"', 'source = "source"'),
        ["`source` = 'source'", "Expected: a table."],
    ),
    "table for list": (
        ("[[http_fixtures]]", "[http_fixtures]"),
        ["`http_fixtures` = {", "Expected: a list."],
    ),
    "number too small": (
        (TIMEOUT, f"{TIMEOUT_KEY} = 0"),
        [f"`timeouts.{TIMEOUT_KEY}` = 0", "Expected: a number above 0."],
    ),
    "number too large": (
        (TIMEOUT, f"{TIMEOUT_KEY} = 1e9"),
        [f"`timeouts.{TIMEOUT_KEY}` = 1000000000.0", "Expected: a number of at most 86400."],
    ),
    "not a number": ((TIMEOUT, f"{TIMEOUT_KEY} = nan"), [f"`timeouts.{TIMEOUT_KEY}` = nan"]),
    "image without digest": (
        (f"@sha256:{'a' * 64}", ""),
        ["`environment.image` = 'base:1.0'", "pinned by digest"],
    ),
    "short commit": (
        ('path = "source"', 'git = "https://git.example/a/b"\ncommit = "abc123"'),
        ["`source.commit` = 'abc123'", "40 lower-case hexadecimal digits"],
    ),
    "git without commit": (
        ('path = "source"', 'git = "https://git.example/a/b"'),
        ["`source`: `git` and `commit`", "go together"],
    ),
    "two sources": (
        ('path = "source"', f'path = "source"\ngit = "x"\ncommit = "{"a" * 40}"'),
        ["`source`: give either `path`"],
    ),
    "two silvers": (
        ('patch = "silver.patch"', f'patch = "silver.patch"\ncommit = "{"a" * 40}"'),
        ["`silver`: give either `patch`"],
    ),
    "silver commit without history": (
        ('patch = "silver.patch"', f'commit = "{"a" * 40}"'),
        ["`silver.commit` is given, but `source` is a folder"],
    ),
    "fixture without body": (
        ('body_file = "fonts.css"', ""),
        ["`http_fixtures[0]`: give either `body` or `body_file`"],
    ),
    "fixture address": (
        ('url = "https://fonts.example/css"', 'url = "fonts.example"'),
        ["`http_fixtures[0].url` = 'fonts.example'", "an http or https address"],
    ),
    "blank command": (
        (COMMAND, f'{COMMAND_KEY} = " "'),
        [f"`commands`: `{COMMAND_KEY}` is blank"],
    ),
    "other id than folder": (
        (f'id = "{NAME}"', 'id = "other"'),
        [f"`id` = 'other', but the folder is called '{NAME}'"],
    ),
    "bad id": ((f'id = "{NAME}"', 'id = "../x"'), ["`id` = '../x'", "letters, digits"]),
    "unknown track": (
        (f'track = "{TRACK}"', f'track = "x{TRACK}"'),
        [f"`track` = 'x{TRACK}'", f"Did you mean '{TRACK}'?"],
    ),
    "track of wrong type": (
        (f'track = "{TRACK}"', "track = [1]"),
        ["`track` = [1]", f"one of {KNOWN_TRACKS}"],
    ),
    "no track": (
        (f'track = "{TRACK}"\n', ""),
        ["key `track` is missing", f"one of {KNOWN_TRACKS}"],
    ),
    "source absent": (
        ('path = "source"', 'path = "src"'),
        ["`source.path` = 'src' does not exist"],
    ),
    "source is a file": (
        ('path = "source"', 'path = "fonts.css"'),
        ["`source.path` = 'fonts.css' is no folder"],
    ),
    "source outside": (('path = "source"', 'path = "../x"'), ["`source.path` = '../x' does not"]),
    "source absolute": (('path = "source"', 'path = "/etc"'), ["`source.path` = '/etc' does not"]),
    "source empty": (('path = "source"', 'path = ""'), ["`source.path` = '' does not stay"]),
    "source with NUL": (('path = "source"', r'path = "a\u0000"'), ["`source.path` = "]),
    "silver absent": (
        ('patch = "silver.patch"', 'patch = "gold.patch"'),
        ["`silver.patch` = 'gold.patch' does not exist"],
    ),
    "body absent": (
        ('body_file = "fonts.css"', 'body_file = "no.css"'),
        ["`http_fixtures[0].body_file` = 'no.css' does not exist"],
    ),
    "broken TOML": (('license = "MIT"', "license = MIT"), ["instance.toml:3", "not valid TOML"]),
    "duplicate key": (('license = "MIT"', 'license = "M"\nlicense = "I"'), ["not valid TOML"]),
}


@pytest.mark.parametrize("problem", BROKEN)
def test_broken_files(problem: str, write_instance: Write) -> None:
    change, expected = BROKEN[problem]
    message = error_of(write_instance(NAME, change))
    for phrase in expected:
        assert phrase in message


def test_all_problems_of_all_files_at_once(write_instance: Write, tmp_path: Path) -> None:
    write_instance("one", (TIMEOUT, f"{TIMEOUT_KEY} = -1"), ('license = "MIT"', ""))
    write_instance("two", (COMMAND, f"{COMMAND_KEY} = false"))
    write_instance("sound")
    with pytest.raises(InputError) as caught:
        load_instances([tmp_path / "instances"])
    message = str(caught.value)
    for phrase in ("timeouts.", "= -1", "`license`", "commands.", "= false", "one/", "two/"):
        assert phrase in message
    assert "sound" not in message


def test_not_utf8(write_instance: Write) -> None:
    folder = write_instance()
    with (folder / "instance.toml").open("ab") as file:
        file.write(b"# caf\xe9\n")
    line = INSTANCE_TOML.count("\n") + 1
    assert f"instance.toml:{line}: is not UTF-8" in error_of(folder)


def test_a_link_out_of_the_folder(write_instance: Write) -> None:
    folder = write_instance()
    (folder / "silver.patch").unlink()
    (folder / "silver.patch").symlink_to("/etc/passwd")
    assert "`silver.patch` = 'silver.patch' links out of its folder" in error_of(folder)


def test_duplicate_ids_over_folders(write_instance: Write, tmp_path: Path) -> None:
    first = write_instance("same", folder=tmp_path / "a")
    second = write_instance("same", folder=tmp_path / "b")
    with pytest.raises(InstanceError) as caught:
        load_instances([tmp_path / "a", tmp_path / "b"])
    assert str(first) in str(caught.value)
    assert str(second) in str(caught.value)


def test_an_id_that_reads_like_an_attempt(write_instance: Write, tmp_path: Path) -> None:
    write_instance("app")
    write_instance("app.1")
    assert set(load_instances([tmp_path / "instances"])) == {"app", "app.1"}
    write_instance("app.2")
    with pytest.raises(InstanceError, match=r"'app\.2' reads like attempt 2 at instance 'app'"):
        load_instances([tmp_path / "instances"])


def test_patterns(write_instance: Write, tmp_path: Path) -> None:
    for name in ("b_v1_to_v2", "a_v1_to_v2", "a_v3_to_v4"):
        write_instance(name)
    folders = [tmp_path / "instances"]
    assert list(load_instances(folders)) == ["a_v1_to_v2", "a_v3_to_v4", "b_v1_to_v2"]
    assert list(load_instances(folders, "*v1_to_v2")) == ["a_v1_to_v2", "b_v1_to_v2"]
    assert list(load_instances(folders, "A*")) == []
    assert list(load_instances(folders, ["b*", "*v4"])) == ["a_v3_to_v4", "b_v1_to_v2"]


def test_one_instance_as_folder(write_instance: Write) -> None:
    assert set(load_instances([write_instance("one")])) == {"one"}


def test_a_relative_folder(
    write_instance: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_instance("one")
    monkeypatch.chdir(folder)
    assert load_instances([Path()])["one"].directory == folder


@pytest.mark.parametrize("kind", ["missing", "empty", "file"])
def test_folders_that_hold_nothing(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    if kind == "empty":
        folder.mkdir()
    elif kind == "file":
        folder.write_text("")
    with pytest.raises(InstanceError) as caught:
        load_instances([folder])
    assert caught.value.where == str(folder)
    assert "--instances takes a folder" in caught.value.remedy


def test_other_folders_are_not_instances(write_instance: Write, tmp_path: Path) -> None:
    write_instance("one")
    (tmp_path / "instances" / "shared").mkdir()
    (tmp_path / "instances" / "README.md").write_text("notes")
    assert set(load_instances([tmp_path / "instances"])) == {"one"}
