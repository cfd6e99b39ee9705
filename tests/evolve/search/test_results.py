from pathlib import Path

import pytest

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import (
    Example,
    FileTests,
    Pair,
    ScriptTests,
    StreamTests,
    Tests,
)
from pytest_benchmac.evolve.search.results import (
    Scores,
    StoredFolder,
    StoredProgram,
    program_folder,
    read_results,
    stored_version,
    write_program,
)
from pytest_benchmac.model.errors import InputError

BEFORE = Program("HumanEval/0", "def double(n):\n    return n * 2\n", entry="double")
AFTER = Program(
    "HumanEval/0",
    "from helpers import two\n\ndef double(n):\n    return n * two()\n",
    modules={"helpers.py": "def two():\n    return 2\n"},
    entry="double",
)
SCORES = Scores(metrics={"C1": 2}, rc=0.1, rr=0.9, pylint=10.0, coverage=1.0)


def _write(results: Path, tests: Tests, rc: float = 0.1) -> None:
    record = StoredProgram(
        id=BEFORE.id,
        kept=("double",),
        entry="double",
        tests=tests,
        examples=(Example("2", "4"),),
        before=stored_version("before", BEFORE, SCORES),
        after=stored_version("after", AFTER, SCORES.model_copy(update={"rc": rc}), ("S7",)),
        front=(stored_version("front/01", AFTER, SCORES, ("S7",)),),
    )
    versions = {"before": BEFORE, "after": AFTER, "front/01": AFTER}
    write_program(results, record, versions, "{}\n")


@pytest.mark.parametrize(
    "tests",
    [
        ScriptTests("assert double(2) == 4"),
        FileTests({"test_double.py": "def test_double(): ..."}),
        StreamTests((Pair("one", "1\n", "2\n"),)),
    ],
    ids=["script", "files", "streams"],
)
def test_what_is_written_is_read_again(tmp_path: Path, tests: Tests) -> None:
    _write(tmp_path, tests)
    (stored,) = read_results(tmp_path)
    assert stored.path.name == "HumanEval%2F0"
    assert stored.program(stored.record.after).main == AFTER.main
    assert stored.program(stored.record.front[0]).modules == AFTER.modules
    subject = stored.subject()
    assert subject.tests == tests
    assert subject.examples == (Example("2", "4"),)
    assert subject.program.kept == {"double"}


def test_a_later_result_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    _write(tmp_path, ScriptTests(""))
    _write(tmp_path, ScriptTests(""), rc=0.5)
    assert StoredFolder(program_folder(tmp_path, BEFORE.id)).record.after.scores.rc == 0.5
    assert [path.name for path in (tmp_path / "programs").iterdir()] == ["HumanEval%2F0"]


def test_a_folder_without_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no evolved programs"):
        read_results(tmp_path)


def test_a_record_that_is_none_is_named(tmp_path: Path) -> None:
    _write(tmp_path, ScriptTests(""))
    (program_folder(tmp_path, BEFORE.id) / "program.json").write_text("{}")
    with pytest.raises(InputError, match=r"program\.json"):
        read_results(tmp_path)
