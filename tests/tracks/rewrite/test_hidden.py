"""What must not be there is not there: looked for by programs in real sandboxes of both engines."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission
from tests.engines import require
from tests.tracks.rewrite import tally

ID = "tally_c_to_python"
#: Of the suite, of its generator, of the source, of the source's own tests.
MARKS = ("sum-no-number", "st.builds(lambda n", "print $file join", "original's own tests")
#: Names every file that has a mark, objects of repositories unpacked, and every pack.
LOOK = f"""\
import os
import zlib

MARKS = [bytes.fromhex(each) for each in {[mark.encode().hex() for mark in MARKS]!r}]


def found():
    for folder, folders, names in os.walk("/"):
        if folder == "/":
            folders[:] = [each for each in folders if each not in ("proc", "sys", "dev")]
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".pack"):
                yield path
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            try:
                if os.path.getsize(path) > 1_000_000:
                    continue
                with open(path, "rb") as file:
                    content = file.read()
            except OSError:
                continue
            if os.sep + "objects" + os.sep in path and content[:1] == b"x":
                content = zlib.decompress(content)
            if any(mark in content for mark in MARKS):
                yield path


if __name__ == "__main__":
    seen = list(found())
    print(*seen, sep="\\n")
    raise SystemExit(bool(seen))
"""


@pytest.fixture(params=["bubblewrap", "docker"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> SandboxName:
    name: SandboxName = request.param
    require(name, Settings(tmp_path))
    return name


def _judge(folder: Path, tree: dict[str, str], engine: SandboxName, scratch: Path) -> Evaluation:
    content = tally.patch_of(tree, scratch / "tree")
    patch = scratch / "spy.patch"
    patch.write_bytes(content)
    submission = Submission(
        case=Case(instance_id=ID, sut="spy"),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
    )
    settings = Settings(scratch / "reports", sandbox=engine)
    judged = evaluate(load_instance(folder / "instance.toml"), submission, None, settings)
    assert judged.status == "completed", judged.error
    return judged


def test_neither_source_nor_suite_is_where_rewrites_are_built_and_run(
    engine: SandboxName, tmp_path: Path
) -> None:
    folder = tally.write(tmp_path / "instances" / ID)
    for name, old, new in (
        ("benchmark.yml", "build_cmd: python3", "build_cmd: python3 look.py && python3"),
        ("instance.toml", "case = 3", "case = 100"),
    ):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    # Where it runs it looks when it is asked for nothing, as the first case does.
    looking = tally.REWRITE.replace(
        '    print("usage:',
        '    from look import found\n\n    print(*found(), sep="\\n", end="")\n    print("usage:',
    )
    tree = {"dst/tally.py": looking, "dst/look.py": LOOK}
    judged = _judge(folder, tree, engine, tmp_path / "clean")
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.resolved, [stage.reason for stage in judged.stages]
    # It does find what is there.
    told = _judge(folder, {**tree, "dst/README.md": MARKS[0]}, engine, tmp_path / "marked")
    assert told.metrics["build_success"] is False


def test_what_is_generated_lies_in_its_folder_and_is_judged(
    engine: SandboxName, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tally.write(tmp_path / "instances" / ID)
    work, look = tmp_path / "tally.py", tmp_path / "look.py"
    work.write_text(tally.REWRITE)
    # The source is there, which has the third mark, and a repository, which git reads.
    told = LOOK.replace(MARKS[2].encode().hex(), MARKS[3].encode().hex())
    look.write_text(told.replace('if name.endswith(".pack"):', "if name is None:"))
    # It may run the source, whose tests it does not see, and leaves things where nobody asked.
    command = (
        'test "$(perl src/tally.c sum 1 2)" = 3 && test ! -e src/tests && '
        'test "$(ls -A dst)" = "" && python3 ~/look.py && '
        '! git cat-file --batch --batch-all-objects | grep -aE "own test[s]|sum-no-numbe[r]" && '
        "git cat-file --batch --batch-all-objects | grep -aqF 'print $file join' && "
        "touch src/left && cp ~/tally.py dst/ && "
        'test "$BENCHMAC_COMMAND_BUILD" = "python3 -m py_compile tally.py"'
    )
    out, reports = tmp_path / "out", tmp_path / "reports"
    where = ["--instances", str(folder), f"--sandbox={engine}"]
    words = ["--out", str(out), "--sut", "command", "--name", "some/agent", "--command", command]
    words += ["--file", f"{work}:tally.py", "--file", f"{look}:look.py"]
    assert main(["generate", *where, *words]) == 0, capsys.readouterr().err
    record = json.loads((out / "some%2Fagent" / f"{ID}.json").read_text())
    trajectory = (out / "some%2Fagent" / record["trajectory"]).read_text()
    assert record["exit_reason"] == "submitted", trajectory
    assert record["settings"]["time_limit_s"] == 4 * 3600
    patch = (out / "some%2Fagent" / f"{ID}.patch").read_bytes()
    assert patch == (folder / "silver.patch").read_bytes()

    judge = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--patch-dir={out}"]
    done = subprocess.run(
        [*judge, *where, f"--reports={reports}"],
        cwd=tmp_path,
        env={name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (reports / "evaluations").rglob(f"{ID}.json")
    judged = Evaluation.model_validate_json(file.read_bytes())
    assert (judged.sut, judged.resolved) == ("some/agent", True)
    assert judged.metrics == {"build_success": True, "pass_rate": 1.0, "fresh_pass_rate": 1.0}
