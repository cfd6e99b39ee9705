"""What is refused before anything starts, with which exit status, with and without workers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.toy_bench import BASE, Bench

WORKERS = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])


@WORKERS
def test_missing_patch_dir(bench: Bench, workers: tuple[str, ...]) -> None:
    bench.instance()
    session = bench.judge(*workers)
    assert session.status == 4
    assert f"{bench.root / 'patches'}" in session.err
    assert "Traceback" not in session.out + session.err


@WORKERS
def test_empty_patch_dir(bench: Bench, workers: tuple[str, ...]) -> None:
    bench.instance()
    (bench.root / "patches").mkdir()
    session = bench.judge(*workers)
    assert session.status == 4
    assert f"{bench.root / 'patches'}" in session.err
    assert "<instance_id>.patch" in session.err


@WORKERS
def test_filter_that_matches_nothing(bench: Bench, workers: tuple[str, ...]) -> None:
    bench.instance()
    bench.patch()
    session = bench.judge("--instance=nothing_*", *workers)
    assert session.status == 5
    assert "no case matches --instance=nothing_*" in session.out + session.err


def test_unknown_instance_is_named_with_the_nearest(bench: Bench) -> None:
    bench.instance()
    bench.patch(name=BASE)
    patch = bench.root / "patches" / "tiny-sut" / f"{BASE}.patch"
    patch.rename(patch.with_name("tiny_v1_to_v22.patch"))
    session = bench.judge()
    assert session.status == 4
    assert "tiny_v1_to_v22" in session.err
    assert f"{BASE}" in session.err


def test_filter_applies_to_instances_not_to_their_checks(bench: Bench) -> None:
    bench.instance()
    other = bench.instance("other_v1_to_v2")
    bench.patch()
    bench.patch(name=other)
    session = bench.judge(f"--instance={BASE}", "--instance=zzz*", "--co", "-q")
    assert session.status == 0
    assert "4 tests collected" in session.out
    assert other not in session.out


def test_broken_instance_file(bench: Bench) -> None:
    bench.instance()
    bench.write(f"instances/{BASE}/instance.toml", 'id = "tiny"\n')
    bench.patch()
    session = bench.judge()
    assert session.status == 4
    assert "instance.toml" in session.err


def test_predictions_file(bench: Bench) -> None:
    bench.instance()
    bench.write(
        "predictions.jsonl",
        f'{{"instance_id": "{BASE}", "model_name_or_path": "openai/gpt-5", "model_patch": ""}}\n',
    )
    session = bench.run("--patch-dir=predictions.jsonl", "-rA")
    assert session.status == 1
    node = f"benchmac/test_toy.py::test_patch[{{openai%2Fgpt-5/{BASE}}}]"
    assert session.outcomes()[node] == "failed"


def test_no_engine_at_all(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    programs = bench.root / "bin"
    programs.mkdir()
    for name in ("git", "sh", "env"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    session = bench.judge(
        "--sandbox=auto", PATH=str(programs), DOCKER_HOST=f"unix://{bench.root}/none.sock"
    )
    assert session.status == 4
    assert "no sandbox can be used" in session.err
    assert "docker.io" in session.err


def test_reports_that_cannot_be_written(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    bench.write("in-the-way", "")
    session = bench.judge("--reports=in-the-way/reports")
    assert session.status == 4
    assert "in-the-way" in session.err
    assert "Traceback" not in session.out + session.err


def test_collect_only_starts_and_writes_nothing(bench: Bench) -> None:
    bench.instance(silver="good")
    bench.patch()
    session = bench.judge(
        *("--silver", "--baseline", "--co", "-q", "--sandbox=docker"),
        DOCKER_HOST=f"unix://{bench.root}/none.sock",
    )
    assert session.status == 0
    assert f"::test_patch[{{tiny-sut/{BASE}}}]" in session.out
    assert f"::test_patch[{{silver/{BASE}}}]" in session.out
    assert f"::test_build[{{baseline/{BASE}}}]" in session.out
    # The untouched base has no patch, and nothing to reach.
    assert f"::test_check[{{baseline/{BASE}}}]" not in session.out
    assert "10 tests collected" in session.out
    assert not (bench.root / "reports").exists()
    # But the place where sandboxes of this user would be.
    assert list((bench.root / "tmp").glob("*/*")) == []


def test_a_project_that_allows_no_empty_sets_of_parameters(bench: Bench) -> None:
    bench.instance()
    option = ("-o", "empty_parameter_set_mark=fail_at_collect")
    session = bench.run("--baseline", "--co", "-q", *option)
    assert session.status == 0
    assert f"::test_build[{{baseline/{BASE}}}]" in session.out
    assert "::test_patch" not in session.out


def test_ten_thousand_cases_are_collected(bench: Bench) -> None:
    names = [bench.instance(f"i{number:02}_v1_to_v2") for number in range(25)]
    rows = (
        f'{{"instance_id": "{name}", "model_name_or_path": "sut-{sut}", "model_patch": "x"}}\n'
        for sut in range(400)
        for name in names
    )
    bench.write("predictions.jsonl", "".join(rows))
    session = bench.run("--patch-dir=predictions.jsonl", "--co", "-q")
    assert session.status == 0
    assert "40000 tests collected" in session.out


def test_options_are_one_documented_group(bench: Bench) -> None:
    shown = bench.run("--help").out
    group = shown[shown.index("judging patches that migrate a code base") :].split("\n\n", 1)[0]
    for option in (
        *("patch-dir=PATH", "silver", "baseline", "instances=PATH", "instance=GLOB"),
        *("sandbox={auto,docker,bubblewrap,local}", "network={proxied,offline,open}"),
        *("source-mirror=DIR", "cache-limit=GIB", "reports=DIR", "rerun"),
        "retry-errors",
        "boot-seed=N",
    ):
        assert f"--benchmac-{option}" in group
    assert "--benchmac-silver, --benchmac-reference" in group
    assert "reports/latest" in group
    assert "BENCHMAC_SOURCE_MIRROR" in group


def test_plainer_names_mean_the_same(bench: Bench) -> None:
    bench.instance(silver="good")
    bench.write(
        "test_options.py",
        "def test_options(pytestconfig):\n"
        "    assert pytestconfig.getoption('--silver') and pytestconfig.getoption('--reference')\n"
        "    assert pytestconfig.getoption('--boot-seed') == 7\n"
        "    assert pytestconfig.getoption('--browser-check-seed') == 7\n",
    )
    session = bench.run("--reference", "--browser-check-seed=7", "test_options.py", "-rA")
    assert session.status == 0, session
    assert bench.leaderboard()["run"]["cases"] == 1


THEIR_OPTIONS = """\
def pytest_addoption(parser):
    parser.addoption("--network", choices=["lan", "wan"])
    parser.addoption("--instance")
"""
THEIR_TEST = """\
def test_theirs(pytestconfig):
    assert pytestconfig.option.network == pytestconfig.getoption("--network") == "lan"
    assert pytestconfig.getoption("--benchmac-network") == "open"
    assert pytestconfig.getoption("--sandbox") == "local"
"""


def test_a_conftest_may_have_options_of_the_same_names(bench: Bench) -> None:
    """Theirs are theirs; ours are there by their prefix, and by the other names that are free."""
    bench.write("conftest.py", THEIR_OPTIONS)
    bench.write("test_theirs.py", THEIR_TEST)
    bench.instance(build="true")
    command = [
        *(sys.executable, "-m", "pytest", "-v", "--network", "lan", "--instance=i-0815"),
        *("--benchmac-network=open", "--sandbox", "local", "--baseline", "--no-page"),
        *(f"--instances={bench.root}/instances", f"--benchmac-instance={BASE}", "test_theirs.py"),
    ]
    done = subprocess.run(command, cwd=bench.root, env=bench.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_no_folder_of_patches_is_searched_for_conftests(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    bench.write("patches/conftest.py", "raise RuntimeError('it ran')\n")
    session = bench.run("--patch-dir", "patches", "--co", "-q")
    assert (session.status, "it ran" in session.out + session.err) == (0, False), session


def test_fixtures_and_markers_are_documented(bench: Bench) -> None:
    shown = bench.run("--fixtures").out
    section = shown[shown.index("defined from pytest_benchmac.plugin.fixtures") :].split(
        "\n---", 1
    )[0]
    for name in ("instance", "submission", "evaluation", "artifacts", "sandbox"):
        documented = section.split(f"\n{name} ", 1)[1].splitlines()[1]
        assert documented.strip() not in ("", "no docstring available")
    assert "_benchmac_case" not in section
    markers = bench.run("--markers").out
    assert "@pytest.mark.benchmac_stage(name)" in markers
    assert "@pytest.mark.benchmac_track(name)" in markers


def test_markers_select(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    session = bench.judge("-m", "benchmac_stage(name='build')", "--strict-markers", "--co", "-q")
    # Marks here are positional; what matters is that the mark can be selected at all.
    assert session.status == 5
    session = bench.judge("-m", "benchmac_track", "--strict-markers", "--co", "-q")
    assert "4 tests collected" in session.out


def test_suite_is_the_only_thing_collected_by_default(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    bench.write("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["own"]\n')
    bench.write("own/test_own.py", "def test_own():\n    pass\n")
    only_suite = bench.judge("--co", "-q")
    assert "4 tests collected" in only_suite.out
    assert "test_own" not in only_suite.out
    both = bench.judge("own", "--co", "-q")
    assert "5 tests collected" in both.out
    assert "own/test_own.py::test_own" in both.out
    without = bench.run("--co", "-q")
    assert without.out.splitlines()[0] == "own/test_own.py::test_own"
    assert "1 test collected" in without.out


def test_naming_rules_of_the_project_do_not_matter(bench: Bench) -> None:
    bench.instance()
    bench.patch()
    rules = 'python_files = ["check_*"]\npython_functions = ["check_*"]\nminversion = "9"\n'
    bench.write("pyproject.toml", f"[tool.pytest.ini_options]\n{rules}")
    assert "4 tests collected" in bench.judge("--co", "-q").out


def test_node_ids_are_the_same_from_everywhere(bench: Bench, tmp_path: Path) -> None:
    """From an empty folder, above which there is a conftest.py that must not be run."""
    bench.instance()
    bench.patch()
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "conftest.py").write_text("raise RuntimeError('not of this session')\n")
    (empty / "pytest.ini").write_text("[pytest]\n")
    session = bench.run(
        *("--patch-dir", str(bench.root / "patches")),
        *("--rootdir", str(empty), "--confcutdir", str(empty), "--co", "-q"),
        cwd=empty,
    )
    expected = [
        f"benchmac/test_toy.py::test_{stage}[{{tiny-sut/{BASE}}}]"
        for stage in ("patch", "build", "check", "resolved")
    ]
    assert session.out.splitlines()[:4] == expected, session


@pytest.mark.parametrize("plugin", ["pytest_jsonreport", "xdist", "terminal"])
def test_without_a_plugin(bench: Bench, plugin: str) -> None:
    bench.instance(build="true")
    arguments = ["--baseline", "-p", f"no:{plugin}", "-p", "no:metadata"]
    session = bench.run(*arguments)
    assert session.status == 0, session
    assert bench.record(sut="baseline")["resolved"] is True
    # pytest-json-report itself needs the terminal plugin.
    assert (bench.reports / "report.json").exists() == (plugin == "xdist")
    assert bench.leaderboard()["run"]["resolved"] == 1


def test_report_goes_where_the_user_wants_it(bench: Bench) -> None:
    bench.instance(build="true")
    bench.run("--baseline", "--json-report-file=mine.json", "--reports=elsewhere")
    assert (bench.root / "mine.json").exists()
    assert (bench.root / "elsewhere" / "evaluations" / "baseline" / f"{BASE}.json").exists()
    assert not (bench.root / "reports").exists()


def test_failed_cases_do_not_pass_where_python_leaves_assertions_out(bench: Bench) -> None:
    bench.instance(build="false")
    for arguments in (["--assert=plain"], []):
        refused = bench.run("--baseline", *arguments, PYTHONOPTIMIZE="1")
        assert refused.status == 4
        assert "failed cases would pass" in refused.err


@pytest.mark.parametrize("option", ["--reports=", "--patch-dir=", "--instances="])
def test_an_option_that_names_nothing(bench: Bench, option: str) -> None:
    bench.instance(build="true")
    session = bench.run("--baseline", option)
    assert session.status == 4
    assert "names nothing" in session.err


def test_an_address_of_an_engine_that_is_none(bench: Bench) -> None:
    bench.instance(build="true")
    session = bench.run("--baseline", "--sandbox=docker", DOCKER_HOST="tcp://[bad")
    assert session.status == 4
    assert "Traceback" not in session.out + session.err
    assert "no Docker engine answers: DOCKER_HOST" in session.err
