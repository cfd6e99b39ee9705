from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instance, load_instances, packaged_instances
from pytest_benchmac.model.errors import InputError, InstanceError

Write = Callable[..., Path]
NAME = "app_v16_to_v17"


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
    assert type(instance).__name__ == "AngularInstance"
    assert instance.model_dump()["environment"]["node"] == "18.20.8"
    assert instance.model_dump()["timeouts"] == {
        "patch": 60.0,
        "install": 600.0,
        "version": 60.0,
        "build": 300.0,
        "boot": 120.0,
        "test": 600.0,
    }


def test_every_packaged_instance_loads() -> None:
    instances = load_instances()
    assert len([name for name in instances if name.startswith("gothinkster__")]) == 9
    assert list(instances) == sorted(instances)
    for name, instance in instances.items():
        assert instance.directory == packaged_instances() / name


BROKEN = {
    "unknown top-level key": (
        ('license = "MIT"', 'license = "MIT"\nlisense = "MIT"'),
        ["key `lisense` is unknown", "Did you mean 'license'?"],
    ),
    "unknown nested key": (
        ("build = 300", "biuld = 300"),
        ["key `timeouts.biuld` is unknown", "Did you mean 'build'?"],
    ),
    "unknown key like no other": (
        ("build = 300", "qqq = 300"),
        [
            "key `timeouts.qqq` is unknown",
            "Known keys here: boot, build, install, patch, test, version.",
        ],
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
    "missing nested key": (('npm = "10.8.2"', ""), ["key `environment.npm` is missing"]),
    "number for text": (
        ('install = "npm ci"', "install = 5"),
        ["`commands.install` = 5", "Expected: text in quotes."],
    ),
    "text for number": (
        ("build = 300", 'build = "300"'),
        ["`timeouts.build` = '300'", "Expected: a number."],
    ),
    "boolean for number": (
        ("build = 300", "build = true"),
        ["`timeouts.build` = true", "Expected: a number."],
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
        ("build = 300", "build = 0"),
        ["`timeouts.build` = 0", "Expected: a number above 0."],
    ),
    "number too large": (
        ("build = 300", "build = 1e9"),
        ["`timeouts.build` = 1000000000.0", "Expected: a number of at most 86400."],
    ),
    "not a number": (("build = 300", "build = nan"), ["`timeouts.build` = nan"]),
    "image without digest": (
        (f"@sha256:{'a' * 64}", ""),
        ["`environment.image` = 'node:18.20.8-bookworm'", "pinned by digest"],
    ),
    "version range": (('node = "18.20.8"', 'node = "^18"'), ["`environment.node` = '^18'"]),
    "partial version": (('npm = "10.8.2"', 'npm = "10.8"'), ["`environment.npm` = '10.8'"]),
    "partial source version": (
        ('source_version = "16.2.12"', 'source_version = "16"'),
        ["`migration.source_version` = '16'"],
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
        ('build = "npx ng build --configuration production"', 'build = " "'),
        ["`commands`: `build` is blank"],
    ),
    "other id than folder": (
        (f'id = "{NAME}"', 'id = "other"'),
        ["`id` = 'other', but the folder is called 'app_v16_to_v17'"],
    ),
    "bad id": ((f'id = "{NAME}"', 'id = "../x"'), ["`id` = '../x'", "letters, digits"]),
    "unknown track": (
        ('track = "angular"', 'track = "angualr"'),
        ["`track` = 'angualr'", "Did you mean 'angular'?"],
    ),
    "track of wrong type": (
        ('track = "angular"', "track = [1]"),
        ["`track` = [1]", "one of 'angular'"],
    ),
    "no track": (('track = "angular"\n', ""), ["key `track` is missing", "one of 'angular'"]),
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
    write_instance("one", ("build = 300", "build = -1"), ('license = "MIT"', ""))
    write_instance("two", ('install = "npm ci"', "install = false"))
    write_instance("sound")
    with pytest.raises(InputError) as caught:
        load_instances([tmp_path / "instances"])
    message = str(caught.value)
    for phrase in ("timeouts.build", "`license`", "commands.install", "one/inst", "two/inst"):
        assert phrase in message
    assert "sound" not in message


def test_not_utf8(write_instance: Write) -> None:
    folder = write_instance()
    with (folder / "instance.toml").open("ab") as file:
        file.write(b"# caf\xe9\n")
    assert "instance.toml:30: is not UTF-8" in error_of(folder)


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
    for name in ("b_v16_to_v17", "a_v16_to_v17", "a_v18_to_v19"):
        write_instance(name)
    folders = [tmp_path / "instances"]
    assert list(load_instances(folders)) == ["a_v16_to_v17", "a_v18_to_v19", "b_v16_to_v17"]
    assert list(load_instances(folders, "*v16_to_v17")) == ["a_v16_to_v17", "b_v16_to_v17"]
    assert list(load_instances(folders, "A*")) == []
    assert list(load_instances(folders, ["b*", "*v19"])) == ["a_v18_to_v19", "b_v16_to_v17"]


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
