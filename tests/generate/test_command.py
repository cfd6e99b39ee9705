"""`--sut command`: any command line in the sandbox, and what its patch is made of."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_benchmac.generate.command import Command, CopiedIn
from pytest_benchmac.generate.worktree import Entry, SandboxTree
from pytest_benchmac.model.errors import InputError, StoreError
from pytest_benchmac.model.settings import MIB, Limits
from pytest_benchmac.tracks.adapter import ExitReason

from .conftest import FILES, Generated

Run = Callable[..., Generated]
Apply = Callable[[bytes], Path]

BUMP = "sed -i s/16/17/ src/app.ts"


def test_the_result_on_disk(run: Run, apply: Apply) -> None:
    generated = run(Command(f"{BUMP}; echo out; echo err >&2; exit 0"))
    record = generated.record
    assert record.exit_reason is ExitReason.SUBMITTED
    assert (record.sut, record.steps, record.cost_usd, record.tokens) == ("command", 1, None, None)
    assert record.environment["sandbox"] == "local"
    assert record.environment["network"] == "open"
    assert record.settings["time_limit_s"] == 60
    (step,) = generated.steps
    assert step.opaque
    assert (step.step, step.exit_code) == (1, 0)
    assert sorted(step.output.split()) == ["err", "out"]
    folder = generated.job.out / "command"
    assert sorted(path.name for path in folder.iterdir()) == [
        "tiny_v16_to_v17.json",
        "tiny_v16_to_v17.patch",
        "tiny_v16_to_v17.trajectory.jsonl",
    ]
    assert "version = 17" in (apply(generated.patch) / "src" / "app.ts").read_text()


def test_a_command_that_fails_is_a_result(run: Run) -> None:
    generated = run(Command(f"{BUMP}; exit 3"))
    assert generated.record.exit_reason is ExitReason.ERROR
    assert generated.record.detail == "the command exited 3"
    assert b"+export const version = 17;" in generated.patch


def test_a_command_that_takes_too_long_is_stopped(run: Run) -> None:
    began = time.monotonic()
    generated = run(Command(f"{BUMP}; sleep 60"), time_limit_s=1.5)
    assert time.monotonic() - began < 30
    assert generated.record.exit_reason is ExitReason.TIME_LIMIT
    assert generated.steps[0].timed_out
    assert b"+export const version = 17;" in generated.patch


def test_doing_nothing_gives_an_empty_patch(run: Run) -> None:
    generated = run(Command("sh tools/install.sh && sh tools/build.sh"))
    assert generated.patch == b""
    assert generated.record.patch_bytes == 0


def test_what_the_command_is_told(run: Run) -> None:
    generated = run(
        Command(
            'echo "$BENCHMAC_INSTANCE $BENCHMAC_SOURCE_VERSION $BENCHMAC_TARGET_VERSION"; '
            'echo "$BENCHMAC_COMMAND_BUILD"; cmp -n 40 "$BENCHMAC_TASK_FILE" - <<EOF && echo same\n'
            "$BENCHMAC_TASK\nEOF"
        )
    )
    assert generated.steps[0].output.splitlines() == [
        "tiny_v16_to_v17 16.2.12 17",
        "sh tools/build.sh",
        "same",
    ]


def test_files_are_copied_below_home(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agent" / "lib").mkdir(parents=True)
    (tmp_path / "agent" / "go.sh").write_text("cat ~/tool/lib/data ~/.config/x.json")
    (tmp_path / "agent" / "go.sh").chmod(0o755)
    (tmp_path / "agent" / "lib" / "data").write_text("data\n")
    (tmp_path / "x.json").write_text("{}\n")
    files = [
        *CopiedIn.parse(f"{tmp_path}/agent:tool"),
        *CopiedIn.parse(f"{tmp_path}/x.json:~/.config/x.json"),
    ]
    generated = run(Command("~/tool/go.sh", files=tuple(files)))
    assert generated.steps[0].output == "data\n{}\n"
    assert generated.patch == b""
    recorded = generated.record.settings["files"]
    assert [file["destination"] for file in recorded] == [
        "tool/go.sh",
        "tool/lib/data",
        ".config/x.json",
    ]


@pytest.mark.parametrize("spec", ["missing:x", "FILE:/etc/x", "FILE:../x", "FILE:", "FILE:a/../b"])
def test_files_that_cannot_be_copied(spec: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(InputError):
        CopiedIn.parse(spec.replace("FILE", f"{tmp_path}/f"))


# --- secrets -----------------------------------------------------------------------------------

SECRET = "s3cr3t/value+with=signs"


def test_secrets_are_in_nothing_that_is_written(
    run: Run, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_KEY", SECRET)
    # In pieces, so that the harness gets to read one without the other.
    slowly = "for c in $(echo $AGENT_KEY | sed 's/./& /g'); do printf %s $c; sleep 0.02; done; echo"
    command = (
        f"{BUMP}; test $AGENT_KEY = '{SECRET}' && echo same; echo $AGENT_KEY; {slowly}; "
        "echo $AGENT_KEY >&2; printf %s $AGENT_KEY | base64 -w0; echo $AGENT_KEY > .env; "
        'printf "\\0%s" $AGENT_KEY > src/key.bin; env | grep -c AGENT_KEY'
    )
    generated = run(Command(command, env=("AGENT_KEY",)))
    everything = generated.everything()
    for form in (SECRET.encode(), base64.b64encode(SECRET.encode())):
        assert form not in everything
    assert generated.steps[0].output.count("[redacted]") == 4
    assert generated.steps[0].output.startswith("same\n")
    assert generated.record.redactions == 2
    assert generated.record.settings["env"] == ["AGENT_KEY"]
    tree = apply(generated.patch)
    assert (tree / ".env").read_text() == "[redacted]\n"
    assert (tree / "src" / "key.bin").read_bytes() == b"\0[redacted]"


def test_secrets_stay_out_of_messages_of_failure(
    run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AGENT_KEY", SECRET)
    generated = run(Command(f"echo {SECRET}; exit 1", env=("AGENT_KEY",)))
    assert SECRET.encode() not in generated.everything()
    assert SECRET not in "".join(capfd.readouterr())


# --- a hostile or confused SUT -----------------------------------------------------------------

TAMPERING = {
    "committed": "git add -A && git -c user.name=x -c user.email=x@x commit -qm x",
    "committed elsewhere": "git checkout -qb other && git add -A && "
    "git -c user.name=x -c user.email=x@x commit -qm x",
    "staged": "git add -A",
    "stashed index": "git add -A && rm -f .git/index",
    "no baseline tag": "git tag -d baseline",
    "moved baseline tag": "git add -A && git -c user.name=x -c user.email=x@x commit -qm x "
    "&& git tag -f baseline",
    "no repository": "rm -rf .git",
    "another repository": "rm -rf .git && git init -q && git add -A && "
    "git -c user.name=x -c user.email=x@x commit -qm x && git tag baseline",
    "repository is a file": "rm -rf .git && echo 'gitdir: /nowhere' > .git",
    "repository is a link": "rm -rf .git && ln -s / .git",
    "nested repository": "git init -q src && git -C src add -A && "
    "git -C src -c user.name=x -c user.email=x@x commit -qm x",
    "exclude": "echo '*' > .git/info/exclude",
    "attributes": "echo '* -diff binary filter=x' > .git/info/attributes",
    "configuration": "git config core.excludesFile /etc/passwd; git config diff.external false; "
    "git config core.worktree /; git config core.bare true; git config core.fsmonitor 'touch /x'",
    "configuration of home": "printf '[core]\\n\\tattributesFile = /x\\n[alias]\\n"
    "\\tdiff = !false\\n[broken' > ~/.gitconfig",
    "hooks": "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/x 2>/dev/null; true",
    "assume unchanged": "git update-index --assume-unchanged src/app.ts; "
    "git update-index --skip-worktree src/app.ts",
    "sparse checkout": "git sparse-checkout set tools 2>/dev/null; git checkout baseline -- src; "
    "sed -i s/16/17/ src/app.ts",
    "unreadable": "chmod 000 src/app.ts; chmod 000 src",
    "alias of find": "mkdir -p ~/bin bin; alias find=false; echo 'find() { false; }' > ~/.profile",
    "pipes and devices": "mkfifo src/pipe; ln -s /dev/zero src/zero; rm src/zero",
}


@pytest.mark.parametrize("tampering", TAMPERING.values(), ids=TAMPERING)
def test_the_patch_is_what_changed_whatever_the_repository_says(
    run: Run, apply: Apply, tampering: str
) -> None:
    generated = run(Command(f"{BUMP}; echo new > new.txt; {tampering}; true"))
    tree = apply(generated.patch)
    assert (tree / "src" / "app.ts").read_bytes() == FILES["src/app.ts"].replace(b"16", b"17")
    assert (tree / "new.txt").read_text() == "new\n"
    for path in FILES.keys() - {"src/app.ts"}:
        assert (tree / path).read_bytes() == FILES[path], path
    assert generated.record.exit_reason is ExitReason.SUBMITTED


def test_processes_left_running_change_nothing_while_the_patch_is_collected(
    run: Run, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = SandboxTree.entries

    def entries_later(tree: SandboxTree) -> Mapping[bytes, Entry]:
        # What was left running goes on when it sees this file, however busy the machine is.
        tree._run("touch .collecting", 1)
        time.sleep(2)
        tree._run("rm .collecting", 1)
        return entries(tree)

    monkeypatch.setattr(SandboxTree, "entries", entries_later)
    waiting = "until test -e .collecting; do sleep 0.1; done; rm -rf src"
    left = f"({waiting}) & (setsid sh -c '{waiting}' &)"
    generated = run(Command(f"{BUMP}; {left}; true"))
    changed = apply(generated.patch) / "src" / "app.ts"
    assert changed.read_bytes() == FILES["src/app.ts"].replace(b"16", b"17")


def test_ignore_rules_of_the_sut_hide_nothing(run: Run, apply: Apply) -> None:
    generated = run(Command("echo '*' > .gitignore; echo new > new.txt; echo x > x.log"))
    tree = apply(generated.patch)
    assert (tree / "new.txt").is_file()
    assert not (tree / "x.log").exists()


def test_an_emptied_project_is_a_patch_that_deletes_everything(run: Run, apply: Apply) -> None:
    generated = run(Command("rm -rf * .gitignore .git"))
    tree = apply(generated.patch)
    assert [path for path in tree.rglob("*") if path.is_file()] == []


def test_too_much_to_collect_is_the_suts_failure(run: Run) -> None:
    generated = run(Command("truncate -s 200M src/core"))
    assert generated.record.exit_reason is ExitReason.ERROR
    assert "'src/core'" in generated.record.detail
    assert generated.patch == b""


# --- output ------------------------------------------------------------------------------------


def test_of_a_long_output_beginning_and_end_are_kept(run: Run) -> None:
    generated = run(Command("seq 1 300000"))
    output = generated.steps[0].output
    assert output.startswith("1\n2\n3\n")
    assert output.endswith("299999\n300000\n")
    assert "bytes left out" in output
    assert len(output) < 64 * 1024


@pytest.mark.parametrize("bad", ["printf '\\377\\376'", "printf '\\033[31mred'", "printf 'a\\0b'"])
def test_output_of_any_bytes(run: Run, bad: str) -> None:
    assert run(Command(bad)).steps[0].exit_code == 0


def test_a_command_too_long_for_an_argument(run: Run) -> None:
    generated = run(Command(f"printf %s {'x' * 300_000} | wc -c"))
    assert generated.steps[0].output.strip() == "300000"


def test_a_folder_that_cannot_be_written_is_no_result(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file is in the way")
    with pytest.raises(StoreError, match="out"):
        run(Command("true"))


def test_docker(run: Run, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in a container: a user without rights, a read-only system."""
    monkeypatch.setenv("AGENT_KEY", SECRET)
    command = (
        f"{BUMP}; echo $AGENT_KEY; echo new > new.txt; chmod 000 src; rm -rf .git; "
        "mkdir -p node_modules/x dist; touch node_modules/x/y dist/z; id -u; "
        # Command lines are in process lists and in the engine's event log. The brackets keep the
        # pattern from finding itself.
        "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -ac 's3cr3[t]'"
    )
    generated = run(Command(command, env=("AGENT_KEY",)), sandbox="docker", time_limit_s=120)
    assert generated.steps[0].output == "[redacted]\n1000\n0\n"
    assert SECRET.encode() not in generated.everything()
    tree = apply(generated.patch)
    assert "version = 17" in (tree / "src" / "app.ts").read_text()
    assert (tree / "new.txt").is_file()
    assert generated.patch.count(b"diff --git") == 2


def test_a_command_that_brings_the_sandbox_down_is_the_suts_failure(run: Run) -> None:
    """Files are memory here, so nothing can be killed to make room for them but the container."""
    generated = run(
        Command("head -c 600M /dev/zero > big"),
        sandbox="docker",
        limits=Limits(memory_bytes=256 * MIB, disk_bytes=1024 * MIB),
    )
    assert generated.record.exit_reason is ExitReason.ERROR
    assert generated.record.detail.startswith("step 1 brought the sandbox down (memory)")
    assert generated.steps[0].exit_code is None
    assert generated.patch == b""
