"""What is solved before and after: GeneBench's table 5, and records of our own."""

import argparse
import json
from pathlib import Path

import pytest

from pytest_benchmac.cli.evolve_tasks import add_report_parser
from pytest_benchmac.evolve.report import Judged, Row, paired_t_test, report_of, rows_of

_PUBLISHED = json.loads((Path(__file__).parent / "table5.json").read_text())


def test_the_papers_table_5_to_its_printed_figures() -> None:
    wanted = _PUBLISHED["published_mean_change"]
    tasks = [name for name in wanted if name != "all"]
    rows = [
        Row(sut=told["model"], task=task, before=told[task][0], after=told[task][1], programs=1)
        for task in tasks
        for told in _PUBLISHED["rows"]
    ]
    report = report_of(rows)
    assert len(rows) == 65
    means = {each.task: each.mean for each in (*report.tasks, report.all)}
    assert {task: round(100 * mean, 1) for task, mean in means.items() if mean} == wanted
    assert report.all.p_value == pytest.approx(2.17e-18, rel=0.01)
    # scipy.stats.ttest_rel on the same numbers.
    assert [each.p_value for each in report.tasks] == pytest.approx(
        [0.00133553, 5.91945e-06, 4.21710e-06, 1.31809e-05, 7.84954e-07], rel=1e-4
    )


def _case(sut: str, program: str, version: str, solved: bool, task: str = "output") -> Judged:
    return Judged(sut, task, program, version, solved)


def test_only_programs_that_were_judged_in_both_versions_count() -> None:
    cases = [
        _case("one", "a", "before", True),
        _case("one", "a", "after", False),
        _case("one", "b", "before", True),
        _case("one", "b", "after", True),
        _case("one", "c", "before", True),
        _case("two", "a", "after", True),
    ]
    (row,) = rows_of(cases)
    assert (row.sut, row.programs, row.before, row.after, row.change) == ("one", 2, 1, 0.5, -0.5)


def test_attempts_at_a_program_count_with_their_mean() -> None:
    tries = [_case("one", "a", "before", solved) for solved in (True, True, False, False)]
    (row,) = rows_of([*tries, _case("one", "a", "after", False)])
    assert (row.before, row.after, row.change) == (0.5, 0, -1)


def test_where_nothing_was_solved_before_there_is_no_change() -> None:
    report = report_of([Row(sut="one", task="repair", before=0, after=0.5, programs=2)])
    assert report.all.mean is None
    assert report.all.p_value is None


def test_equal_differences_have_no_test() -> None:
    assert paired_t_test([0.5, 0.6], [0.4, 0.5]) is None
    assert paired_t_test([0.5], [0.4]) is None


def test_folders_without_such_records_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    add_report_parser(parser.add_subparsers())
    args = parser.parse_args(["report", str(tmp_path), "--output", str(tmp_path / "out.json")])
    assert args.run(args) == 1
    assert "no program was judged in both versions" in capsys.readouterr().err
    assert json.loads((tmp_path / "out.json").read_text())["rows"] == []
