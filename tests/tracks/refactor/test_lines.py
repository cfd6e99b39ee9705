import json
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import USAGE, main
from pytest_benchmac.tracks.refactor.trees import changed_lines, diff_lines


def _lay(root: Path, tree: dict[str, str]) -> Path:
    for path, text in tree.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    root.mkdir(exist_ok=True)
    return root


MANY = "".join(f"line {n}\n" for n in range(1, 21))


def test_lines_that_went_and_came(tmp_path: Path) -> None:
    before = _lay(tmp_path / "before", {"a.py": "1\n2\n3\n", "gone.py": "x\n"})
    after = _lay(tmp_path / "after", {"a.py": "1\n3\n4\n5\n", "new file.py": "y\n"})
    gone, come = changed_lines(before, after)
    assert gone == {("a.py", 2), ("gone.py", 1)}
    assert come == {("a.py", 3), ("a.py", 4), ("new file.py", 1)}


def test_renames_are_followed(tmp_path: Path) -> None:
    before = _lay(tmp_path / "before", {"old.py": MANY})
    after = _lay(tmp_path / "after", {"new.py": MANY.replace("line 7\n", "line seven\n")})
    gone, come = changed_lines(before, after)
    assert (gone, come) == ({("old.py", 7)}, {("new.py", 7)})


def test_attributes_of_the_tree_have_no_say(tmp_path: Path) -> None:
    before = _lay(tmp_path / "before", {"a.py": "1\n"})
    after = _lay(tmp_path / "after", {"a.py": "2\n", ".gitattributes": "* -diff\n*.py binary\n"})
    gone, come = changed_lines(before, after)
    assert gone == {("a.py", 1)}
    assert ("a.py", 1) in come


DIFF = b"""\
diff --git a/app.py b/lib.py
similarity index 80%
rename from app.py
rename to lib.py
--- a/app.py
+++ b/lib.py
@@ -1,4 +1,5 @@
 one
-two
--- three
+2
+++ 3
+4
 four
\\ No newline at end of file
--- a/x
+++ b/x
@@ -3 +3,0 @@
-last
"""


def test_lines_that_look_like_heads_are_lines() -> None:
    gone, come = diff_lines(DIFF)
    assert gone == {("app.py", 2), ("app.py", 3), ("x", 3)}
    assert come == {("lib.py", 2), ("lib.py", 3), ("lib.py", 4)}


def _sarif(file: Path, *places: tuple[str, int, int]) -> Path:
    results = [
        {
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": path},
                        "region": {"startLine": first, "endLine": last},
                    }
                }
            ]
        }
        for path, first, last in places
    ]
    file.write_text(json.dumps({"version": "2.1.0", "runs": [{"results": results}]}))
    return file


def test_stored_results_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.diff").write_bytes(DIFF)
    after = _sarif(tmp_path / "after.sarif", ("lib.py", 3, 9), ("other.py", 1, 1))
    before = _sarif(tmp_path / "before.sarif", ("app.py", 2, 2))
    words = ["--diff", tmp_path / "a.diff", "--additive", after, "--reductive", before]
    assert main(["rules", "score", *map(str, words)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["prec_plus"] == pytest.approx(2 / 3)
    assert told["prec_minus"] == pytest.approx(1 / 3)
    assert told["prec"] == pytest.approx(3 / 6)


def test_what_is_no_sarif_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.diff").write_bytes(DIFF)
    (tmp_path / "no.sarif").write_text("{}")
    words = ["--diff", "a.diff", "--additive", "no.sarif", "--reductive", "no.sarif"]
    named = [str(tmp_path / each) if "." in each else each for each in words]
    assert main(["rules", "score", *named]) == USAGE
    assert "is no SARIF" in capsys.readouterr().err
