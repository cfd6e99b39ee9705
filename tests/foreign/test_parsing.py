"""Files are parsed in a process that may crash or hang, and the others' answers are kept."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import pytest_benchmac
from pytest_benchmac.foreign import parsing
from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.errors import InfrastructureError

BOUNDS = Bounds(file_bytes=100, files=50, bytes=1000)
PARSER = """
import json, os, sys, time
request = json.load(sys.stdin)
for path in request["paths"]:
    with open(os.path.join(request["root"], path)) as file:
        text = file.read()
    if text == "crash":
        os.abort()
    if text == "hang":
        time.sleep(60)
    print("nonsense" if text == "lie" else json.dumps({"words": len(text.split())}), flush=True)
"""


class Counted(Model):
    words: int


@pytest.fixture
def parser(tmp_path: Path) -> ModuleType:
    module = ModuleType("parser")
    module.__file__ = str(tmp_path / "parser.py")
    Path(module.__file__).write_text(PARSER)
    return module


def tree_of(root: Path, **files: str) -> SourceTree:
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text)
    return SourceTree.scan(root)


def test_a_file_that_the_parser_does_not_survive_costs_no_other(
    parser: ModuleType, tmp_path: Path
) -> None:
    tree = tree_of(tmp_path / "t", a="one two", b="crash", c="lie", d="three", e="x" * 101)
    files, unread = parse_files(parser, "Toy", tree, tree.files, Counted, BOUNDS)
    assert files == {"a": Counted(words=2), "d": Counted(words=1)}
    assert unread == {
        "b": "the parser crashed or ran out of its bounds on b",
        "c": "the parser's answer about it is malformed",
        "e": "has 101 bytes; at most 100 are read",
    }


def test_after_some_crashes_the_rest_is_given_up(parser: ModuleType, tmp_path: Path) -> None:
    tree = tree_of(tmp_path / "t", a="crash", b="crash", c="crash", d="fine")
    files, unread = parse_files(parser, "Toy", tree, tree.files, Counted, BOUNDS)
    assert files == {}
    assert set(unread) == {"a", "b", "c", "d"}
    assert unread["d"] == "the parser crashed or ran out of its bounds on c"


def test_a_parser_that_hangs_is_ended(
    parser: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "TIMEOUT_S", 1.0)
    tree = tree_of(tmp_path / "t", a="one", b="hang", c="two")
    files, unread = parse_files(parser, "Toy", tree, tree.files, Counted, BOUNDS)
    assert set(files) == {"a", "c"}
    assert unread == {"b": "the parser took more than 1 s on b"}


def test_no_more_than_the_bounds_is_parsed_and_nothing_twice(
    parser: ModuleType, tmp_path: Path
) -> None:
    tree = tree_of(tmp_path / "t", a="crash", b="one", c="two")
    known = {"a": Counted(words=7)}
    files, unread = parse_files(
        parser, "Toy", tree, tree.files, Counted, Bounds(100, 1, 1000), known.get
    )
    assert files == {"a": Counted(words=7), "b": Counted(words=1)}
    assert unread == {"c": "lies beyond the first 1 sources or 1000 bytes"}


def test_a_parser_that_lacks_a_package_is_not_the_submissions_fault(
    parser: ModuleType, tmp_path: Path
) -> None:
    Path(str(parser.__file__)).write_text("import no_such_package")
    tree = tree_of(tmp_path / "t", a="one")
    with pytest.raises(InfrastructureError, match="the Toy parser is not installed"):
        parse_files(parser, "Toy", tree, tree.files, Counted, BOUNDS)


def test_a_parser_starts_without_what_it_does_not_need() -> None:
    """A case starts several: to find out the version would take a third of their time."""
    root = Path(pytest_benchmac.__file__).parents[1]
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "import pytest_benchmac.foreign.parser_process\n"
        "assert 'importlib.metadata' not in sys.modules\n"
    )
    # Without the site's packages, which may import it themselves.
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
    assert pytest_benchmac.__version__ == version("pytest-benchmac")
    with pytest.raises(AttributeError, match="no attribute 'version'"):
        _ = pytest_benchmac.version
