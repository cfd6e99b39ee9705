"""Findings from trajectories: made-up trajectories of every kind, and properties of the cycles."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_benchmac.model.trajectory import Step
from pytest_benchmac.report.signs import (
    MIN_REPEATS,
    WINDOW_STEPS,
    Cycle,
    Sign,
    builds,
    find_cycle,
    find_signs,
    installs,
)

COMMANDS = st.text(alphabet="abc", min_size=1, max_size=3)


def steps_of(commands: Sequence[str]) -> tuple[Step, ...]:
    return tuple(Step(step=n, command=c, exit_code=0) for n, c in enumerate(commands, start=1))


def kinds_of(
    commands: Sequence[str], *, patch_empty: bool = False, exit_reason: str | None = "submitted"
) -> list[Sign]:
    found = find_signs(steps_of(commands), patch_empty=patch_empty, exit_reason=exit_reason)
    return [finding.kind for finding in found]


def repeats_at_end(commands: Sequence[str], length: int) -> int:
    """The definition, spelled out: how often do the last `length` commands stand back to back?"""
    last, repeats = list(commands[-length:]), 0
    rest = list(commands)
    while len(rest) >= length and rest[-length:] == last:
        repeats += 1
        rest = rest[:-length]
    return repeats


def primitive(cycle: Sequence[str]) -> tuple[str, ...]:
    """The shortest sequence whose repetition the cycle is."""
    for length in range(1, len(cycle) + 1):
        if len(cycle) % length == 0 and list(cycle[:length]) * (len(cycle) // length) == [*cycle]:
            return tuple(cycle[:length])
    raise AssertionError("a sequence is a repetition of itself")


# --- cycles ------------------------------------------------------------------------------------


@given(
    prefix=st.lists(COMMANDS, max_size=80),
    cycle=st.lists(COMMANDS, min_size=1, max_size=4),
    repeats=st.integers(min_value=MIN_REPEATS, max_value=60),
)
def test_a_planted_cycle_is_found(prefix: list[str], cycle: list[str], repeats: int) -> None:
    commands = [*prefix, *cycle * repeats]
    found = find_cycle(commands)
    assert found is not None
    planted = min(len(cycle) * repeats, WINDOW_STEPS // len(cycle) * len(cycle))
    assert found.length * found.repeats >= planted
    tail = commands[-WINDOW_STEPS:]
    assert tuple(tail[-found.length :]) == found.commands
    assert repeats_at_end(tail, found.length) == found.repeats


@given(cycle=st.lists(COMMANDS, min_size=1, max_size=4), repeats=st.integers(13, 60))
def test_the_smallest_period_wins(cycle: list[str], repeats: int) -> None:
    found = find_cycle(cycle * repeats)
    assert found is not None
    root = primitive(cycle)
    assert found.length == len(root)
    assert found.commands == root
    assert found.repeats == min(len(cycle) * repeats, WINDOW_STEPS) // len(root)


@given(commands=st.lists(COMMANDS, max_size=120))
def test_nothing_is_found_where_no_sequence_repeats(commands: list[str]) -> None:
    tail = commands[-WINDOW_STEPS:]
    assume(all(repeats_at_end(tail, length) < MIN_REPEATS for length in range(1, 5)))
    assert find_cycle(commands) is None


@given(count=st.integers(0, 200))
def test_different_commands_are_no_cycle(count: int) -> None:
    assert find_cycle([f"cat file-{n}" for n in range(count)]) is None


@given(commands=st.lists(COMMANDS, max_size=70))
def test_what_is_found_is_there(commands: list[str]) -> None:
    tail = commands[-WINDOW_STEPS:]
    counts = {length: repeats_at_end(tail, length) for length in range(1, 5)}
    covered = {length: n * length for length, n in counts.items() if n >= MIN_REPEATS}
    found = find_cycle(commands)
    if not covered:
        assert found is None
    else:
        assert found is not None
        assert found.length == min(n for n in covered if covered[n] == max(covered.values()))
        assert found.repeats == counts[found.length]


def test_the_thesis_range_of_counts() -> None:
    """12 to 50 repetitions: a window of 50 steps full of cycles of 4 commands, or of one."""
    assert find_cycle(["npm run build"] * 100) == Cycle(("npm run build",), 50)
    assert find_cycle(list("abcd") * 25) == Cycle(tuple("abcd"), 12)


def test_a_cycle_of_five_is_none() -> None:
    assert find_cycle(list("abcde") * 10) is None


def test_a_cycle_that_was_left_again_is_none() -> None:
    assert find_cycle([*["npm ci"] * 40, "echo done"]) is None


def test_a_cycle_before_the_window_is_none() -> None:
    assert find_cycle([*["npm ci"] * 40, *(f"cat {n}" for n in range(50))]) is None


def test_white_space_around_a_command_does_not_count() -> None:
    assert find_cycle(["ls", "ls\n", " ls", "ls"]) == Cycle(("ls",), 4)


def test_a_long_cycle_beats_a_short_one_inside_it() -> None:
    commands = ["x", "a", "a", "a"] * 10 + ["x"]
    assert find_cycle(commands) == Cycle(("a", "a", "a", "x"), 10)


# --- findings ----------------------------------------------------------------------------------


def test_a_sound_trajectory_has_no_finding() -> None:
    assert kinds_of(["npm ci", "npx ng update", "npx ng build", "git diff"]) == []


def test_an_empty_patch() -> None:
    assert kinds_of(["npm ci", "npm run build"], patch_empty=True) == [Sign.EMPTY_PATCH]


@pytest.mark.parametrize("reason", ["step_limit", "cost_limit", "time_limit"])
def test_limits(reason: str) -> None:
    assert kinds_of(["npm ci", "npm run build"], exit_reason=reason) == [Sign(reason)]


@pytest.mark.parametrize("reason", ["error", None])
def test_other_exits_are_no_limit(reason: str | None) -> None:
    assert kinds_of(["npm ci"], exit_reason=reason) == []


def test_repetition_says_what_and_how_often() -> None:
    commands = ["npm ci", *["npm run build", "cat src/main.ts"] * 30]
    (finding, repetition) = find_signs(
        steps_of(commands), patch_empty=False, exit_reason="step_limit"
    )
    assert finding.kind is Sign.STEP_LIMIT
    assert repetition.kind is Sign.REPETITION
    assert repetition.cycle == ("npm run build", "cat src/main.ts")
    assert (len(repetition.cycle), repetition.repeats) == (2, 25)
    assert "a sequence of 2 commands 25 times" in repetition.message


def test_steps_without_a_command_do_not_hide_a_repetition() -> None:
    steps = [
        Step(step=n, command="ls" if n % 2 else None, message="I will look.") for n in range(1, 41)
    ]
    kinds = [f.kind for f in find_signs(steps, patch_empty=False)]
    assert Sign.REPETITION in kinds


def test_never_installed_and_never_built() -> None:
    assert kinds_of(["ls", "sed -i s/16/17/ package.json"]) == [
        Sign.NEVER_INSTALLED,
        Sign.NEVER_BUILT,
    ]


def test_who_ran_into_a_limit_did_not_fail_to_build_before_submitting() -> None:
    assert kinds_of(["npm ci"], exit_reason="step_limit") == [Sign.STEP_LIMIT]


def test_nothing_is_claimed_about_a_program_whose_commands_are_not_seen() -> None:
    steps = [Step(step=1, command="vendor-agent --go", exit_code=0, opaque=True)]
    assert find_signs(steps, patch_empty=False, exit_reason="submitted") == ()


def test_without_a_trajectory_patch_and_exit_reason_speak() -> None:
    found = find_signs(None, patch_empty=True, exit_reason="cost_limit")
    assert [f.kind for f in found] == [Sign.EMPTY_PATCH, Sign.COST_LIMIT]


def test_the_instances_own_commands_count() -> None:
    steps = steps_of(["make deps", "FAST=1 ./tools/pack --all"])
    assert (
        find_signs(
            steps,
            patch_empty=False,
            exit_reason="submitted",
            install_command="make deps",
            build_command="./tools/pack",
        )
        == ()
    )


# --- what a command does -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "npm ci",
        "npm i",
        "cd app && npm install --legacy-peer-deps 2>&1 | tail -20",
        "npm --prefix app ci",
        "yarn",
        "npx --yes @angular/cli@17 update @angular/core@17 --force",
        "npx -p @angular/cli@12 ng update @angular/core@12",
        "node node_modules/@angular/cli/bin/ng.js update",
        "bash -lc 'npm ci && ls'",
        "timeout 600 env CI=1 npm ci",
        "cat > x <<EOF && npm ci\nfoo\nEOF\n",
        "ls\nnpm ci\n",
        "for d in a b; do npm ci; done",
        "mvn -q -DskipTests package",
    ],
)
def test_installs(command: str) -> None:
    assert installs(command)


@pytest.mark.parametrize(
    "command",
    [
        "npm ls",
        "npm test",
        "echo 'npm ci'",
        "grep -rn 'npm install' README.md",
        "cat > run.sh <<'EOF'\nnpm ci\nEOF",
        "git log | grep npm ci",
        "npm view @angular/core versions",
        "echo it's broken; npm ci",
        "",
    ],
)
def test_does_not_install(command: str) -> None:
    assert not installs(command, own="npm ci --legacy-peer-deps")


@pytest.mark.parametrize(
    "command",
    [
        "npx ng build --configuration production",
        "npm run build",
        "npm run build:prod",
        "(cd app; ./node_modules/.bin/ng build)",
        "npm exec -- ng build",
        "NODE_OPTIONS=--openssl-legacy-provider npm run build > build.log",
        "if npm run build; then echo ok; fi",
    ],
)
def test_builds(command: str) -> None:
    assert builds(command)


@pytest.mark.parametrize(
    "command", ["npm ci", "ng serve", "cat angular.json", "rm -rf build", "echo ng build"]
)
def test_does_not_build(command: str) -> None:
    assert not builds(command)


@given(command=st.text(max_size=60))
def test_no_command_line_is_too_odd_to_read(command: str) -> None:
    assert installs(command) in (True, False)
    assert builds(f"bash -c {command!r}") in (True, False)
