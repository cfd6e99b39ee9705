"""Trajectories are written and read line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.model.errors import RecordError
from pytest_benchmac.model.trajectory import Step, read_trajectory

STEPS = (
    Step(step=1, message="I look.", command="ls", exit_code=0, duration_s=0.5, output="a\nb\n"),
    Step(step=2, command="sleep 9", exit_code=None, timed_out=True, duration_s=1.0),
    Step(step=3, message="no command in this one"),
)


def written(folder: Path, content: str) -> Path:
    path = folder / "x.trajectory.jsonl"
    path.write_text(content)
    return path


def lines_of(steps: tuple[Step, ...]) -> str:
    return "".join(step.model_dump_json() + "\n" for step in steps)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_trajectory(written(tmp_path, lines_of(STEPS))) == STEPS


def test_a_line_that_a_killed_process_left_is_dropped(tmp_path: Path) -> None:
    assert read_trajectory(written(tmp_path, lines_of(STEPS)[:-10])) == STEPS[:2]


@pytest.mark.parametrize("line", ["{", "[]", '{"step": 0}', '{"step": 1, "x": 2}', "[" * 100_000])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, lines_of(STEPS) + line + "\n")
    with pytest.raises(RecordError, match=r"x\.trajectory\.jsonl:4"):
        read_trajectory(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"gone\.jsonl"):
        read_trajectory(tmp_path / "gone.jsonl")


def test_text_that_utf8_cannot_hold_is_written_escaped(tmp_path: Path) -> None:
    step = Step(step=1, command="echo \ud800", output="\udcff")
    (read,) = read_trajectory(written(tmp_path, lines_of((step,))))
    assert (read.command, read.output) == ("echo \\ud800", "\\udcff")
