"""The loop: a real client against a stub of the model's service, builds in a sandbox.

What is tested in detail has a made-up project whose build is a shell script that prints what Maven
would; our three instances are built by Maven.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.run import Job, generate
from pytest_benchmac.input.instances import load_instance, packaged_instances
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import SandboxName, Settings, default_cache
from pytest_benchmac.model.trajectory import Step, read_trajectory
from pytest_benchmac.tracks.adapter import ExitReason
from pytest_benchmac.tracks.maven.sd_feedback.adapter import SdFeedback
from tests.engines import require
from tests.generate.service import KEY, Service, fails, serving

TOML = """\
id = "{id}"
track = "maven"
license = "MIT"
description = "A made-up project."

[source]
path = "source"

[migration]
source_version = "8"
target_version = "17"

[environment]
image = "localhost:1/none@sha256:{zeros}"
java = "17"

[commands]
compile = "true"
verify = "sh build.sh"
"""
POM = "<project>\n  <java.version>1.8</java.version>\n</project>\n"
SOURCE = "class A {\n    Object _;\n    int record;\n}\n"
#: Fails for a low level, an old name and another one, in that order.
BUILD = """\
grep -q '>17<' pom.xml || { echo "[ERROR] $PWD/src/A.java:[1,1] source level 8"; exit 1; }
status=0
for name in _ record; do
    line=$(grep -n " $name;" src/A.java | cut -d: -f1)
    [ -z "$line" ] || { echo "[ERROR] $PWD/src/A.java:[$line,5] bad name $name"; status=1; }
done
exit $status
"""


def block(find: str, instead: str, path: str = "src/A.java") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{find}\n=======\n{instead}\n>>>>>>> REPLACE\n"


FIRST = block("    Object _;", "    Object it;")
SECOND = block("    int record;", "    int entry;")


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Any:
    with serving() as state:
        monkeypatch.setenv("OPENAI_API_BASE", state.url)
        monkeypatch.setenv("OPENAI_BASE_URL", state.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield state


def saying(*answers: str) -> Callable[[dict[str, Any]], str]:
    """A stub that gives these answers in their order."""
    left = list(answers)
    return lambda request: left.pop(0)


@dataclass
class Generated:
    """What came of it."""

    record: GenerationRecord
    patch: str
    steps: tuple[Step, ...]
    progress: list[str]

    @property
    def lists(self) -> list[str]:
        """The lists of errors in the trajectory."""
        told = [each.message for each in self.steps if each.command is None and each.message]
        return [each for each in told if re.match(r"\d+ error\(s\) of the build:", each)]


Run = Callable[..., Generated]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the system on the made-up project, or on an instance of ours."""

    def run_on(
        name: str = "", *, sandbox: SandboxName = "local", network: str = "open", **options: Any
    ) -> Generated:
        folder = tmp_path / "tiny_java8_to_17"
        if name:
            folder = packaged_instances() / name
        elif not folder.exists():
            (folder / "source/src").mkdir(parents=True)
            (folder / "source/pom.xml").write_text(POM)
            (folder / "source/src/A.java").write_text(SOURCE)
            (folder / "source/build.sh").write_text(BUILD)
            (folder / "instance.toml").write_text(TOML.format(id=folder.name, zeros="0" * 64))
        cache = tmp_path / "cache" if sandbox == "local" else default_cache()
        settings = Settings(tmp_path / "out", sandbox, network, cache=cache)  # type: ignore[arg-type]
        adapter = SdFeedback.create(model="openai/made-up", **options)
        job = Job(load_instance(folder / "instance.toml"), adapter, settings, tmp_path / "out", 900)
        progress: list[str] = []
        record = generate(job, progress.append)
        return Generated(
            record,
            job.path(".patch").read_text(),
            read_trajectory(job.path(".trajectory.jsonl")),
            progress,
        )

    return run_on


def messages(service: Service, number: int) -> list[str]:
    """What the model was told by a request, from 0."""
    return [each["content"] for each in service.requests[number]["messages"]]


def test_error_after_error(run: Run, service: Service) -> None:
    service.respond = saying(FIRST, SECOND)
    generated = run()
    record = generated.record
    assert record.exit_reason is ExitReason.SUBMITTED
    assert record.detail == "verify succeeds"
    assert (record.sut, record.steps) == ("sd-feedback/openai/made-up", 2)
    assert record.tokens == {"input": 2000, "output": 200}
    assert record.cost_usd is None
    assert "+  <java.version>17</java.version>" in generated.patch
    assert "+    Object it;" in generated.patch
    assert "+    int entry;" in generated.patch
    assert generated.lists == [
        "2 error(s) of the build:\n- src/A.java:2:5: bad name _\n- src/A.java:3:5: bad name record",
        "1 error(s) of the build:\n- src/A.java:3:5: bad name record",
    ]
    assert FIRST in [step.message for step in generated.steps]

    system, user = messages(service, 0)
    assert "from Java 8 to Java\n17" in system
    assert "<<<<<<< SEARCH" in system
    for shown in ("src/A.java:2:5: bad name _", "    2     Object _;", SOURCE, "version>17<"):
        assert shown in user
    assert "bad name record" in messages(service, 1)[1]
    assert len(messages(service, 1)) == 2


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I would rename it.", "There is no edit block in the answer."),
        (block("a", "b", path="src/B.java"), "There is no file src/B.java."),
        (block("    Object __;", "    Object it;"), "is not in src/A.java"),
        (block("    Object _;", "    Object _;"), "The edits change nothing."),
        (block("a", "b", path="../../x"), "is no file of the project."),
    ],
    ids=["does not parse", "no file", "no snippet", "nothing", "outside"],
)
def test_an_answer_that_cannot_be_applied_gets_syntactic_feedback(
    run: Run, service: Service, answer: str, told: str
) -> None:
    service.respond = saying(answer, FIRST, SECOND)
    generated = run()
    assert generated.record.exit_reason is ExitReason.SUBMITTED
    again = messages(service, 1)
    assert again[:2] == messages(service, 0)
    assert again[2] == answer
    assert "Your edits were not applied." in again[3]
    assert told in again[3]
    # Nothing was built for it.
    assert len(generated.lists) == 2


def test_the_same_errors_get_semantic_feedback_and_the_edits_are_taken_back(
    run: Run, service: Service
) -> None:
    """Though the error is some lines further down."""
    useless = block("class A {", "// a comment\n\nclass A {")
    service.respond = saying(useless + block("", "new", path="New.java"), FIRST, SECOND)
    generated = run()
    feedback = messages(service, 1)[3]
    assert "same errors as before" in feedback
    assert "- src/A.java:2:5: bad name _\n- src/A.java:3:5: bad name record" in feedback
    assert generated.record.exit_reason is ExitReason.SUBMITTED
    assert "a comment" not in generated.patch
    assert "New.java" not in generated.patch
    assert len(generated.lists) == 3
    assert generated.lists[1] == generated.lists[0].replace("2:5", "4:5").replace("3:5", "5:5")


def test_other_errors_are_accepted_though_there_are_more(run: Run, service: Service) -> None:
    worse = block("    Object _;", "    Object it;\n    long record;")
    service.respond = saying(worse, block("    long record;", "    long entry;"), SECOND)
    generated = run()
    assert generated.record.exit_reason is ExitReason.SUBMITTED
    assert "+    long entry;" in generated.patch


def test_the_limit_of_calls(run: Run, service: Service) -> None:
    service.respond = lambda request: "No idea."
    generated = run(call_limit=5)
    assert generated.record.exit_reason is ExitReason.STEP_LIMIT
    assert generated.record.detail == "the limit of 5 calls"
    assert len(service.requests) == 5
    # The task, and the last three answers with what was said to them.
    assert len(messages(service, 4)) == 8
    assert "java.version" in generated.patch


def test_without_seed_changes(run: Run, service: Service) -> None:
    level = block(
        "  <java.version>1.8</java.version>", "  <java.version>17</java.version>", "pom.xml"
    )
    service.respond = saying(level, FIRST, SECOND)
    generated = run(seeded=False)
    assert generated.record.sut == "sd-feedback/openai/made-up-no-seed"
    assert generated.record.settings["seeded"] is False
    assert "source level 8" in messages(service, 0)[1]
    assert generated.record.exit_reason is ExitReason.SUBMITTED


def test_a_goal_that_is_reached_asks_nobody(run: Run, service: Service) -> None:
    generated = run(goal="compile")
    assert generated.record.exit_reason is ExitReason.SUBMITTED
    assert generated.record.steps == 0
    assert service.requests == []


def test_prompts_of_ones_own(run: Run, service: Service, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/user.txt").write_text("In $file: $error ($goal, Java $target_version)")
    service.respond = saying(FIRST, SECOND)
    run(prompts=tmp_path / "prompts")
    system, user = messages(service, 0)
    assert user == "In src/A.java: src/A.java:2:5: bad name _ (verify, Java 17)"
    assert "experienced Java engineer" in system


def test_what_cannot_be_used_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model is given"):
        SdFeedback.create(model=None)
    with pytest.raises(InputError, match="has no prompt"):
        SdFeedback.create(model="x", prompts=tmp_path)
    for text in ("costs $ 5", "$problem"):
        (tmp_path / "user.txt").write_text(text)
        with pytest.raises(InputError, match=r"has a \$ that stands for nothing\n.*\$snippet"):
            SdFeedback.create(model="x", prompts=tmp_path)


def test_a_service_that_fails_is_no_result(run: Run, service: Service) -> None:
    from pytest_benchmac.tracks.chat import ModelServiceError

    service.answers = [fails(401, "bad key")] * 3
    with pytest.raises(ModelServiceError, match=r"openai/made-up does not answer: Auth"):
        run()


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        # After the seed changes these two build.
        ("waymark_java8_to_17", False),
        ("ledgerprint_java8_to_17", False),
        ("greenhouse_java8_to_17", True),
    ],
)
def test_our_instances_converge(
    run: Run, service: Service, tmp_path: Path, name: str, asks: bool
) -> None:
    """With a model that knows the silver patch, and answers with one module's part of it."""
    require("bubblewrap", Settings(tmp_path))
    instance = packaged_instances() / name
    base, silver = instance / "source", tmp_path / "silver"
    shutil.copytree(base, silver)
    subprocess.run(["git", "apply", str(instance / "silver.patch")], cwd=silver, check=True)

    def respond(request: dict[str, Any]) -> str:
        user = request["messages"][1]["content"]
        pom = re.search(r"^The project file (\S+):", user, re.MULTILINE)
        assert pom
        module = pom[1].rpartition("/")[0] or "."
        blocks = []
        for path in sorted({*_files(base), *_files(silver)}):
            old, new = _text(base / path), _text(silver / path)
            if old != new and (module == "." or path.startswith(f"{module}/")):
                # Levels in project files are seed changes, and stand there already.
                shown = old if not path.endswith("pom.xml") else _seeded(old)
                if shown != new:
                    blocks.append(block(shown.rstrip("\n"), new.rstrip("\n"), path))
        return "\n".join(blocks) or "Nothing is left to do."

    service.respond = respond
    generated = run(name, sandbox="bubblewrap", network="offline")
    assert generated.record.exit_reason is ExitReason.SUBMITTED, generated.progress
    assert generated.record.detail == "verify succeeds"
    assert bool(generated.lists) == asks


def _files(root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _seeded(pom: str) -> str:
    from pytest_benchmac.tracks.maven.seed import seed_changes

    return seed_changes({"a/pom.xml": pom}, "17").get("a/pom.xml", pom)
