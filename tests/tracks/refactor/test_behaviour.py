import json
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.refactor.behaviour.cases import (
    BehaviourCase,
    Did,
    difference,
    read_cases,
)
from pytest_benchmac.tracks.refactor.behaviour.executed import TRACINGS, Executed
from pytest_benchmac.tracks.refactor.integrity.dead import check_dead
from pytest_benchmac.tracks.refactor.rules.matches import Match
from tests.tracks.refactor import tiny


def case(**expect: object) -> BehaviourCase:
    return BehaviourCase.model_validate({"id": "x", "expect": expect})


@pytest.mark.parametrize(
    ("expect", "did", "said"),
    [
        ({}, Did(exit=0, stdout="any", stderr="any"), ""),
        ({}, Did(exit=None), "did not come to its end"),
        ({"exit": 2}, Did(exit=0), "exit code 0, expected: 2"),
        ({"stdout": "a\nb\n"}, Did(exit=0, stdout="a\nb\n"), ""),
        ({"stdout": "a\nb\n"}, Did(exit=0, stdout="a\nc\n"), "line 2 is 'c', expected: 'b'"),
        ({"stdout": "a\n"}, Did(exit=0, stdout="a\n\n"), "3 lines, expected: 2"),
        ({"stderr": ""}, Did(exit=0, stderr="x"), "standard error differs"),
        ({"files": {"f": "1"}}, Did(exit=0, files={"f": "1"}), ""),
        ({"files": {"f": "1"}}, Did(exit=0), "f differs: is not there"),
        ({"files": {"f": None}}, Did(exit=0, files={"f": ""}), "f is there"),
    ],
)
def test_what_differs_is_told(expect: dict[str, object], did: Did, said: str) -> None:
    found = difference(case(**expect), did)
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a"}', "expect"),
        ('{"id": "a", "expect": {}, "files": {"../b": ""}}', "no path below"),
        ('{"id": "a", "expect": {"exit": 256}}', "expect.exit"),
        ('{"id": "a/b", "expect": {}}', "`id`"),
        ('{"id": "a", "expect": {}}\n{"id": "a", "expect": {}}', "more than one case 'a'"),
        ("", "holds 0 cases"),
    ],
)
def test_cases_that_are_none_are_told(tmp_path: Path, line: str, said: str) -> None:
    folder = tiny.write(tmp_path / "tiny_greeting")
    (folder / "behaviour/cases.jsonl").write_text(line)
    with pytest.raises(InstanceError, match=said):
        read_cases(load_instance(folder / "instance.toml"))  # type: ignore[arg-type]


def _lay(root: Path, tree: dict[str, str]) -> SourceTree:
    for path, text in tree.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return SourceTree.scan(root)


NOTHING = SourceTree(Path("/nonexistent"), {}, frozenset(), "")


def test_python_tells_lines(tmp_path: Path) -> None:
    traces = _lay(tmp_path, {"1.json": '{"a.py": [1, 2]}', "2.json": '{"a.py": [5]}', "x": "no"})
    seen = TRACINGS["python"].read(traces, "/project", NOTHING)
    assert seen.lines == {"a.py": {1, 2, 5}}


def test_only_bodies_count_where_there_are_some() -> None:
    seen = Executed(lines={"a.py": {1, 2, 5}})
    match = Match(path="a.py", start=1, end=6)
    assert seen.share(match, {}) == pytest.approx(3 / 6)
    assert seen.share(match, {"a.py": [(3, 4)]}) == 0
    assert seen.share(match, {"a.py": [(5, 6)]}) == 0.5
    assert seen.share(match, {"a.py": [(20, 30)]}) == pytest.approx(3 / 6)
    assert seen.share(Match(path="b.py", start=1, end=1), {}) == 0


def test_node_tells_ranges_that_maps_lead_back(tmp_path: Path) -> None:
    text = "function a() {\n  return 1;\n}\nfunction b() {\n  return 2;\n}\na();\n"
    comment = "//# sourceMappingURL=a.js.map\n"
    at = text.index("function b")
    told = {
        "result": [
            {
                "url": "file:///project/dist/a.js",
                "functions": [
                    {"ranges": [{"startOffset": 0, "endOffset": len(text), "count": 1}]},
                    {"ranges": [{"startOffset": at, "endOffset": at + 29, "count": 0}]},
                ],
            },
            {"url": "node:internal/x", "functions": []},
        ]
    }
    # Each line of the script comes from the line ten further down.
    mappings = ";".join(["AAUA", *["AACA"] * 6])
    mapped = {"version": 3, "sources": ["../src/a.ts"], "names": [], "mappings": mappings}
    built = _lay(
        tmp_path / "built", {"dist/a.js": text + comment, "dist/a.js.map": json.dumps(mapped)}
    )
    traces = _lay(tmp_path / "traces", {"c.json": json.dumps(told)})
    seen = TRACINGS["typescript"].read(traces, "/project", built)
    assert seen.lines["dist/a.js"] == {1, 2, 3, 7}
    assert seen.lines["src/a.ts"] == {11, 12, 13, 17}


def test_java_tells_classes(tmp_path: Path) -> None:
    log = (
        "[0.1s][info][class,load] java.lang.Object source: shared objects file\n"
        "[0.2s][info][class,load] org.a.Main source: file:/project/target/classes/\n"
        "[0.2s][info][class,load] org.a.Tool$Inner source: file:/project/target/classes/\n"
    )
    built = _lay(
        tmp_path / "built",
        {
            "src/main/java/org/a/Main.java": "",
            "src/main/java/org/a/Tool.java": "",
            "org/B.java": "",
        },
    )
    seen = TRACINGS["java"].read(_lay(tmp_path / "traces", {"7.log": log}), "/project", built)
    assert seen.whole == {"src/main/java/org/a/Main.java", "src/main/java/org/a/Tool.java"}
    assert seen.share(Match(path="src/main/java/org/a/Main.java", start=1, end=9), {}) == 1
    assert seen.share(Match(path="org/B.java", start=1, end=9), {}) == 0


def _dead(number: int, of: int) -> list[Severity]:
    findings = Findings()
    golden = {f"a{n}": 0.5 for n in range(of)} | {"never": 0.0}
    patched = {f"a{n}": 0.1 if n < number else 0.3 for n in range(of)} | {"never": 0.0}
    check_dead(findings, golden, patched, {})
    return [each.severity for each in findings.result()]


def test_a_tenth_of_the_patterns_may_be_dead() -> None:
    assert _dead(0, 20) == []
    assert _dead(2, 20) == [Severity.WARNING] * 2
    assert _dead(3, 20) == [Severity.FATAL] * 3
    assert _dead(1, 5) == [Severity.FATAL]
