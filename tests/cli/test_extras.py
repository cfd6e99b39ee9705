"""What tracks add to the command line: commands, systems under test, checks of instances."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.cli.harness import BenchmacHarness
from pytest_benchmac.cli.main import main
from pytest_benchmac.generate.human import Human
from pytest_benchmac.generate.task import task_of
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.model.errors import BaselineError, InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.adapter import AdapterKind
from pytest_benchmac.tracks.extras import Extras, Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.registry import get_track, track_names
from tests.conftest import COMMAND

Add = Callable[..., None]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Give a track further extras, or take some away."""

    def change(track: str, **extras: object) -> None:
        changed: Extras = replace(get_track(track).extras(), **extras)
        monkeypatch.setattr(type(get_track(track)), "extras", lambda self: changed)

    return change


def add_greet(subparsers: Subparsers, harness: Harness) -> None:
    parser = subparsers.add_parser("greet", help="say hello to an instance")
    parser.add_argument("instance")
    harness.add_run_options(parser, reports=Path("reports/greet"))

    def run(args: argparse.Namespace) -> int:
        instance = harness.instance(args, Instance)
        settings = harness.settings(args)
        harness.progress(f"network {settings.network}")
        harness.say(f"hello {harness.baseline(instance).case.id}")
        return 0

    parser.set_defaults(run=run)


def text_of_help(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    with pytest.raises(SystemExit) as raised:
        main([*command, "--help"])
    assert raised.value.code == 0
    return capsys.readouterr().out


def test_a_tracks_command_is_one_of_benchmacs(
    add: Add, write_instance: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_instance()
    arguments = ["greet", folder.name, "--instances", str(folder.parent)]
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 4
    add("toy", commands=(add_greet,))
    assert "say hello to an instance" in text_of_help(capsys)
    assert main([*arguments, "--sandbox", "local"]) == 0
    said = capsys.readouterr()
    assert said.out == f"hello {{baseline/{folder.name}}}\n"
    assert said.err == "network open\n"


def test_every_command_of_a_track_has_help_with_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = text_of_help(capsys)
    subparsers = argparse.ArgumentParser().add_subparsers()
    for track in track_names():
        for command in get_track(track).extras().commands:
            command(subparsers, BenchmacHarness())
    assert subparsers.choices
    for name in subparsers.choices:
        assert name in shown
        assert f"benchmac {name}" in text_of_help(capsys, name).partition("example")[2]


def test_a_tracks_sut_is_one_of_generates(
    add: Add,
    write_instance: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kind = AdapterKind(
        name="scribe",
        create=lambda args: Human(args.pen or "scribe"),
        options={"--pen": {"metavar": "NAME", "help": "what is written with"}},
        examples=("--pen quill --out patches",),
    )
    add("toy", adapters=(kind,))
    shown = text_of_help(capsys, "generate")
    assert "what is written with" in shown
    assert "benchmac generate --sut scribe --pen quill --out patches" in shown
    folder = write_instance()
    arguments = ["--instances", str(folder.parent), "--out", str(tmp_path / "out")]
    assert main(["generate", "--sut", "human", "--pen", "quill", *arguments]) == 4
    assert "--pen: is for --sut scribe, not for human" in capsys.readouterr().err
    assert main(["generate", "--sut", "scribe", "--collect", *arguments]) == 4
    assert "--collect: is for --sut human, not for scribe" in capsys.readouterr().err


def test_a_track_without_a_task_text_has_nothing_to_generate(
    add: Add, write_instance: Callable[..., Path]
) -> None:
    instance = load_instance(write_instance() / "instance.toml")
    assert "sh build.sh" in task_of(instance)
    add("toy", task=None)
    with pytest.raises(InputError, match="the track 'toy' cannot be generated yet"):
        task_of(instance)


def test_validate_makes_the_checks_of_a_track_last(
    add: Add,
    write_instance: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def sound(instance: Instance, settings: Settings, harness: Harness) -> Iterator[str]:
        assert instance.id == "app_v1_to_v2"
        return iter(())

    def wrong(instance: Instance, settings: Settings, harness: Harness) -> Iterator[str]:
        yield "its name is dull"
        yield "its author is, too"

    def broken(instance: Instance, settings: Settings, harness: Harness) -> Iterator[str]:
        raise BaselineError("the moon is in the way")

    monkeypatch.setenv("BENCHMAC_CACHE", str(tmp_path / "cache"))
    add("toy", checks={"sound": sound, "wrong": wrong, "broken": broken})
    folder = write_instance("app_v1_to_v2", (COMMAND, 'build = "true"'))
    write_instance("broken_v1_to_v2", ('license = "MIT"\n', ""))
    arguments = ["--instances", str(folder.parent), "--reports", str(tmp_path / "reports")]
    assert main(["validate", "--sandbox=local", *arguments]) == 1
    said = capsys.readouterr().out
    assert f"{folder.name}: sound ok" in said
    assert f"{folder.name}: wrong: its name is dull; its author is, too" in said
    assert f"{folder.name}: broken: the moon is in the way" in said
    assert "broken_v1_to_v2: sound" not in said
