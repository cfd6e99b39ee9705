import json
from pathlib import Path

import pytest

from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.judging.sandboxes import bare_sandbox
from pytest_benchmac.model.errors import InfrastructureError, InstanceError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.tracks.refactor.rules.check import check_rules
from pytest_benchmac.tracks.refactor.rules.engine import Scanner, scan_recipe
from pytest_benchmac.tracks.refactor.rules.files import Rule, RuleSet, Sign, read_rules
from pytest_benchmac.tracks.refactor.rules.matches import Match, Scan, Trouble, parse_scan
from pytest_benchmac.tracks.refactor.rules.verdicts import verdicts
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
    assert check_rules("i", "e", RULES, base, golden).sound
    wrong = check_rules("i", "e", RULES, golden, golden)
    assert not wrong.sound
    assert [each.sound for each in wrong.rules] == [False, False]
    assert len(wrong.problems) == 2


def test_two_rules_that_say_the_same_are_told() -> None:
    both = RuleSet((rule("a1"), rule("a2")))
    golden = scan(a1=[("a.py", 1, 100)], a2=[("a.py", 1, 99)])
    assert "same lines" in check_rules("i", "e", both, scan(), golden).problems[0]
    golden = scan(a1=[("a.py", 1, 100)], a2=[("a.py", 1, 90)])
    assert check_rules("i", "e", both, scan(), golden).sound


def test_what_the_engine_leaves_out_is_an_error() -> None:
    told = {"results": [], "errors": [], "paths": {"scanned": []}, "skipped_rules": ["x"]}
    with pytest.raises(InfrastructureError, match="left rules out"):
        parse_scan(json.dumps(told).encode(), "tree")
    told |= {"skipped_rules": [], "errors": [{"type": "Rule parse error", "message": "no"}]}
    with pytest.raises(InfrastructureError, match="Rule parse error"):
        parse_scan(json.dumps(told).encode(), "tree")
    with pytest.raises(InfrastructureError, match="wrote no result"):
        parse_scan(b"", "tree")


def test_counts_that_were_published_have_to_come_out() -> None:
    counted = {"nr_legacy_patterns": 0, "nr_refactored_patterns": 2}
    rules = RuleSet((rule("a1", metadata=counted),))
    golden = scan(a1=[("a.py", 1, 1), ("a.py", 3, 3)])
    assert check_rules("i", "e", rules, scan(), golden).sound
    (problem,) = check_rules("i", "e", rules, scan(), scan(a1=[("a.py", 1, 1)])).problems
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


@pytest.mark.parametrize("name", ["bubblewrap", "docker"])
def test_the_engine_reads_what_it_would_leave_out(name: str, tmp_path: Path) -> None:
    settings = Settings(reports=tmp_path, sandbox=name)  # type: ignore[arg-type]
    require(name, settings)  # type: ignore[arg-type]
    call = "def f(x):\n    eval(x)  # nosem\n"
    tree = {
        "app.py": call,
        "tests/test_a.py": call,
        "vendor/b.py": call,
        "build/c.py": call,
        "left_out/d.py": call,
        "large.py": call + "# more of it\n" * 100_000,
        ".semgrepignore": "*.py\n",
        ".gitignore": "*.py\n",
    }
    for path, text in tree.items():
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    taint = {
        "mode": "taint",
        "pattern-sources": [{"pattern": "x"}],
        "pattern-sinks": [{"pattern": "eval(...)"}],
    }
    rules = RuleSet((rule("a1", pattern="eval(...)"), rule("a2", **taint)))
    with bare_sandbox(
        scan_recipe(),
        engine(name, settings.cache),
        settings,
        label="rules",  # type: ignore[arg-type]
    ) as box:
        scanner = Scanner(box, rules, exclude=("left_out/**",), timeout_s=300, logs=tmp_path)
        found = scanner.scan(SourceTree.scan(tmp_path / "tree"), "tree")
    expected = ["app.py", "build/c.py", "large.py", "tests/test_a.py", "vendor/b.py"]
    assert sorted(each.path for each in found.matches["a1"]) == expected
    assert sorted(each.path for each in found.matches["a2"]) == expected
    assert found.troubles == ()
