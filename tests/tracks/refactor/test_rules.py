import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.judging.sandboxes import bare_sandbox
from pytest_benchmac.model.errors import InfrastructureError, InstanceError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import engine as sandbox_engine
from pytest_benchmac.tracks.refactor.rules.check import check_rules
from pytest_benchmac.tracks.refactor.rules.engine import Scanner
from pytest_benchmac.tracks.refactor.rules.engines import SEMGREP, Engine, installed_engine
from pytest_benchmac.tracks.refactor.rules.files import Rule, RuleSet, Sign, read_rules
from pytest_benchmac.tracks.refactor.rules.matches import Match, Scan, Trouble, parse_scan
from pytest_benchmac.tracks.refactor.rules.verdicts import verdicts
from pytest_benchmac.tracks.refactor.track import track
from tests.engines import require
from tests.tracks.refactor import tiny


def rule(key: str, sign: Sign = Sign.ADDITIVE, **more: object) -> Rule:
    definition = {"id": key, "languages": ["python"], "severity": "INFO", "message": key, **more}
    return Rule(key, sign, f"id-{key}", frozenset({"python"}), definition)


RULES = RuleSet((rule("a1"), rule("r1", Sign.REDUCTIVE)))


def scan(*troubles: Trouble, **matches: list[tuple[str, int, int]]) -> Scan:
    return Scan(
        matches={
            key: tuple(Match(path=path, start=first, end=last) for path, first, last in found)
            for key, found in matches.items()
        },
        troubles=troubles,
    )


def test_an_additive_rule_matches_and_a_reductive_one_does_not() -> None:
    seen = verdicts(RULES, scan(a1=[("a.py", 1, 2)]), touched=frozenset(), known=())
    assert [each.met for each in seen] == [True, True]
    assert seen[0].witnesses == ("a.py:1",)
    seen = verdicts(RULES, scan(r1=[("a.py", 1, 2)]), touched=frozenset(), known=())
    assert [each.met for each in seen] == [False, False]


TROUBLE = Trouble(path="a.py", kind="Syntax error")


def test_a_file_of_the_patch_that_cannot_be_read_counts_against_it() -> None:
    seen = verdicts(RULES, scan(TROUBLE), touched=frozenset({"a.py"}), known=())
    assert [each.met for each in seen] == [False, False]
    assert seen[1].undecided == "Syntax error in a.py"
    other = Trouble(path="a.ts", kind="Syntax error")
    seen = verdicts(RULES, scan(other), touched=frozenset({"a.ts"}), known=())
    assert [each.met for each in seen] == [False, True]


def test_another_file_that_cannot_be_read_is_nobodys_fault() -> None:
    with pytest.raises(InfrastructureError, match=r"a\.py, which the patch did not touch"):
        verdicts(RULES, scan(TROUBLE), touched=frozenset({"b.py"}), known=())
    seen = verdicts(RULES, scan(TROUBLE), touched=frozenset({"b.py"}), known=(TROUBLE,))
    assert seen[1].met


def test_rules_have_to_tell_golden_from_base() -> None:
    base, golden = scan(r1=[("a.py", 1, 1)]), scan(a1=[("a.py", 1, 1)])
    assert check_rules("i", RULES, base, golden).sound
    wrong = check_rules("i", RULES, golden, golden)
    assert not wrong.sound
    assert [each.sound for each in wrong.rules] == [False, False]
    assert len(wrong.problems) == 2


def test_two_rules_that_say_the_same_are_told() -> None:
    both = RuleSet((rule("a1"), rule("a2")))
    golden = scan(a1=[("a.py", 1, 100)], a2=[("a.py", 1, 99)])
    assert "same lines" in check_rules("i", both, scan(), golden).problems[0]
    golden = scan(a1=[("a.py", 1, 100)], a2=[("a.py", 1, 90)])
    assert check_rules("i", both, scan(), golden).sound


def test_what_the_engine_leaves_out_is_an_error() -> None:
    told = {"results": [], "errors": [], "paths": {"scanned": []}, "skipped_rules": ["x"]}
    with pytest.raises(InfrastructureError, match="left rules out"):
        parse_scan(json.dumps(told).encode(), "tree", "e")
    told |= {"skipped_rules": [], "errors": [{"type": "Rule parse error", "message": "no"}]}
    with pytest.raises(InfrastructureError, match="Rule parse error"):
        parse_scan(json.dumps(told).encode(), "tree", "e")
    with pytest.raises(InfrastructureError, match="wrote no result"):
        parse_scan(b"", "tree", "e")


def test_counts_that_were_published_have_to_come_out() -> None:
    counted = {"nr_legacy_patterns": 0, "nr_refactored_patterns": 2}
    rules = RuleSet((rule("a1", metadata=counted),))
    golden = scan(a1=[("a.py", 1, 1), ("a.py", 3, 3)])
    assert check_rules("i", rules, scan(), golden).sound
    (problem,) = check_rules("i", rules, scan(), scan(a1=[("a.py", 1, 1)])).problems
    assert "published: (0, 2)" in problem


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("vendor/**", "vendor/a/b.py", True),
        ("vendor/**", "src/vendor/a.py", False),
        ("**/gen/*.py", "gen/a.py", True),
        ("**/gen/*.py", "x/y/gen/a.py", True),
        ("*.py", "a.py", True),
        ("*.py", "x/a.py", False),
        ("a.?s", "a.ts", True),
    ],
)
def test_patterns_of_paths(pattern: str, path: str, wanted: bool) -> None:
    assert path_filter([pattern])(path) is wanted


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny.write(tmp_path / "tiny_greeting")


def test_keys_are_the_harness_s_own(folder: Path) -> None:
    rules = read_rules(load_instance(folder / "instance.toml"))  # type: ignore[arg-type]
    assert [each.key for each in rules.rules] == ["a1", "a2", "r1"]
    assert [each["id"] for each in json.loads(rules.config)["rules"]] == ["a1", "a2", "r1"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('golden.patch"', 'other.patch"', "does not exist"),
        ('reporter = "pytest"', 'reporter = "jest"', "does not run python"),
        ('python = "3.11"', 'node = "20.19.5"', "is missing"),
        ("[behaviour]", '[rules]\nadditive = "none.yml"\n\n[behaviour]', "is no file"),
        ('[silver]\npatch = "golden.patch"', "", "held against the golden patch"),
    ],
)
def test_an_instance_that_is_wrong_is_told(folder: Path, old: str, new: str, said: str) -> None:
    file = folder / "instance.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(InstanceError, match=said):
        load_instance(file)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("open.md", "x" * 71, "71 characters"), ("open.md", "a\nb", "in one line")],
)
def test_descriptions_have_their_lengths(folder: Path, name: str, text: str, said: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InstanceError, match=said):
        load_instance(folder / "instance.toml")


CALL = "def f(x):\n    eval(x)  # nosem\n"
#: All of these are scanned but the last, which the instance leaves out.
HIDDEN = {
    "app.py": CALL,
    "build/c.py": CALL,
    "large.py": CALL + "# more of it\n" * 100_000,
    "tests/test_a.py": CALL,
    "vendor/b.py": CALL,
    ".semgrepignore": "*.py\n",
    ".gitignore": "*.py\n",
    "left_out/d.py": CALL,
}
SCANNED = [path for path in HIDDEN if path.endswith(".py") and not path.startswith("left_out")]
TAINT = {
    "mode": "taint",
    "pattern-sources": [{"pattern": "x"}],
    "pattern-sinks": [{"pattern": "eval(...)"}],
}


def _scan(engine: Engine, sandbox: str, tmp_path: Path) -> Scan:
    """What an engine finds in `HIDDEN`, in a sandbox."""
    settings = Settings(reports=tmp_path, sandbox=sandbox)  # type: ignore[arg-type]
    require(sandbox, settings)  # type: ignore[arg-type]
    for path, text in HIDDEN.items():
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    rules = RuleSet((rule("a1", pattern="eval(...)"), rule("a2", **TAINT)))
    with bare_sandbox(
        engine.recipe,
        sandbox_engine(sandbox, settings.cache),  # type: ignore[arg-type]
        settings,
        label="rules",
    ) as box:
        scanner = Scanner(
            engine, box, rules, exclude=("left_out/**",), timeout_s=300, logs=tmp_path
        )
        return scanner.scan(SourceTree.scan(tmp_path / "tree"), "tree")


@pytest.mark.parametrize("sandbox", ["bubblewrap", "docker"])
def test_the_engine_reads_what_it_would_leave_out(sandbox: str, tmp_path: Path) -> None:
    found = _scan(SEMGREP, sandbox, tmp_path)
    assert sorted(each.path for each in found.matches["a1"]) == SCANNED
    assert sorted(each.path for each in found.matches["a2"]) == SCANNED
    assert found.troubles == ()
    assert found.engine == "semgrep 1.182.0"


#: Stands in for opengrep: it finds `eval(` in all that it is given, and knows some of its options.
_STAND_IN = """\
#!/bin/sh
test "$1" = scan || exit 2
rows=
for word; do
    case "$word" in
        --output=*) out=${word#--output=} ;;
        --novcs | --metrics=* | --oss-only) exit 2 ;;
    esac
    root=$word
done
for file in $(grep -rl 'eval(' "$root"); do
    at="{\\"line\\": 2}"
    row="{\\"check_id\\": \\"a1\\", \\"path\\": \\"$file\\", \\"start\\": $at, \\"end\\": $at}"
    rows="$rows${rows:+,}$row"
done
said="\\"version\\": \\"9.9\\", \\"errors\\": [], \\"paths\\": {}, \\"skipped_rules\\": []"
echo "{$said, \\"results\\": [$rows]}" > "$out"
"""


def test_an_opengrep_of_the_machine_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
    assert installed_engine() is SEMGREP
    assert track.host_tools() == {}
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "opengrep"
    program.write_text(_STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    assert track.host_tools() == {"opengrep": digest}
    found = _scan(installed_engine(), "bubblewrap", tmp_path)
    assert sorted(each.path for each in found.matches["a1"]) == SCANNED
    assert found.engine == "opengrep 9.9"


@pytest.mark.skipif(shutil.which("opengrep") is None, reason="opengrep is not installed")
@pytest.mark.parametrize("sandbox", ["bubblewrap", "docker"])
def test_opengrep_reads_what_it_would_leave_out(sandbox: str, tmp_path: Path) -> None:
    found = _scan(installed_engine(), sandbox, tmp_path)
    assert sorted(each.path for each in found.matches["a1"]) == SCANNED
    assert sorted(each.path for each in found.matches["a2"]) == SCANNED
    assert found.troubles == ()
    assert found.engine.startswith("opengrep ")
