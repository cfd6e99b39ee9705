"""The boot as a stage of real cases: learnt from the base, judged, recorded, kept."""

import difflib
import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Outcome
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind
from pytest_benchmac.tracks.angular.boot import browser
from pytest_benchmac.tracks.angular.boot.known import KnownBoots
from pytest_benchmac.tracks.angular.boot.policy import LEARNING
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from tests.engines import containers
from tests.tracks.angular.boot import site

INSTANCE = """\
id = "ferry"
track = "angular"
license = "MIT"

[source]
path = "source"

[migration]
source_version = "1.0.0"
target_version = "2"

[environment]
image = "node:20.19.5@sha256:47dacd49500971c0fbe602323b2d04f6df40a933b123889636fc1f76bf69f58a"
node = "20.19.5"
npm = "10.8.2"

[commands]
install = "mkdir -p node_modules && cp -r vendor/. node_modules"
build = "mkdir -p dist && cp web/* dist"

[boot]
root = "app-root"
min_tree_similarity = 0.8
viewport = [400, 300]

[[boot.routes]]
path = "/"

[[boot.routes]]
path = "/book"
[[boot.routes.interactions]]
fill = { "#name" = "Ada" }
click = "#go"
expect = "Ada to a"

[[boot.fixtures]]
urls = ["https://api.example/ferries"]
body = '["Tern"]'

[[boot.fixtures]]
urls = ["https://api.example/bookings"]
method = "POST"
"""
FRAMEWORK = ("@angular/core", "@angular/cli")


def tree(version: str, **main: str) -> dict[str, str]:
    """The source tree of the application at a version of its framework."""
    manifest = {"name": "ferry", "dependencies": dict.fromkeys(FRAMEWORK, "*")}
    files = {"package.json": json.dumps(manifest, indent=2) + "\n", "web/index.html": site.INDEX}
    for name in FRAMEWORK:
        files[f"vendor/{name}/package.json"] = (
            json.dumps({"name": name, "version": version}, indent=2) + "\n"
        )
    script = main.get("main", site.MAIN).replace("EXTRA", "").replace("VERSION", version)
    return files | {"web/main.0123456789abcdef.js": script}


def patch(new: dict[str, str]) -> bytes:
    old = tree("1.0.0")
    text = ""
    for name, content in new.items():
        lines = difflib.unified_diff(
            old[name].splitlines(True), content.splitlines(True), f"a/{name}", f"b/{name}"
        )
        text += "".join(lines)
    return text.encode()


Judge = Callable[..., Evaluation]


@pytest.fixture
def judge(tmp_path: Path, settings: Settings) -> Judge:
    folder = tmp_path / "ferry"
    for name, content in tree("1.0.0").items():
        file = folder / "source" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    reports = Settings(reports=tmp_path / "reports", sandbox="docker", network="open")

    def run(
        content: bytes | None,
        definition: str = INSTANCE,
        observer: Callable[[StageEvent], None] = lambda _: None,
        **more: Any,
    ) -> Evaluation:
        (folder / "instance.toml").write_text(definition)
        instance = load_instance(folder / "instance.toml")
        if content is None:
            case = Case(instance_id="ferry", sut="baseline")
            submission = Submission(case=case, kind=SubmissionKind.BASELINE)
        else:
            file = tmp_path / "ferry.patch"
            file.write_bytes(content)
            submission = Submission(
                case=Case(instance_id="ferry", sut="tester"),
                patch=file,
                patch_sha256=hashlib.sha256(content).hexdigest(),
                patch_bytes=len(content),
            )
        return evaluate(instance, submission, None, replace(reports, **more), observer=observer)

    return run


def _changed_driver(
    folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, changes: dict[str, str]
) -> None:
    """Boots by a driver with other lines."""
    shutil.copytree(Path(browser.__file__).parent / "driver", folder)
    text = (folder / script).read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / script).write_text(text)
    monkeypatch.setattr(browser, "_scripts", lambda: sorted(folder.iterdir()))


@pytest.fixture
def short_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For what becomes of boots, and not of what is seen on them."""
    fewer = {"STEPS = 11": "STEPS = 3", "TRIES = 4": "TRIES = 0", "SILENCES = 2": "SILENCES = 1"}
    _changed_driver(tmp_path / "short", monkeypatch, "walk.mjs", fewer)


def test_an_honest_migration_boots_as_its_base_did(judge: Judge, tmp_path: Path) -> None:
    evaluation = judge(patch(tree("2.0.0")))
    assert evaluation.error is None
    assert evaluation.metrics["boot_success"] is True
    assert evaluation.metrics["boot_similarity"] == 1.0
    stage = evaluation.stage("boot")
    assert (stage.outcome, stage.needs, len(stage.attempts)) == (Outcome.PASSED, ("build",), 1)
    pages = stage.observations["pages"]
    assert [(page["route"], page["step"]) for page in pages] == [
        ("/", 0),
        ("/book", 0),
        ("/book", 1),
    ]
    assert all(page["same_dom"] and page["image_difference"] == 0 for page in pages)
    # Its requests have random numbers: that they are noise is known by a second walk of the base.
    assert stage.observations["walk"]["twice"] is True
    kept = {artifact.path for artifact in evaluation.artifacts}
    assert "dist/index.html" in kept
    assert {"boot/boot.json", "boot/baseline.json"} <= kept
    for page in pages:
        assert {page["screenshot"], page["baseline_screenshot"]} <= kept
        # They are the very same.
        assert page["difference"] is None
    folder = tmp_path / "reports" / str(evaluation.artifacts_dir)
    for artifact in evaluation.artifacts:
        content = (folder / artifact.path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == artifact.sha256
    assert rejudge(evaluation) == evaluation


def test_a_gutted_migration_builds_and_does_not_boot(judge: Judge) -> None:
    gutted = site.MAIN.replace("root.innerHTML = pages[path]();", "root.innerHTML = '<p>2</p>';")
    evaluation = judge(patch(tree("2.0.0", main=gutted)))
    assert evaluation.error is None
    assert evaluation.metrics["build_success"] is True
    assert evaluation.metrics["boot_success"] is False
    similarity = evaluation.metrics["boot_similarity"]
    assert isinstance(similarity, float)
    assert similarity < 0.5
    assert evaluation.resolved is False
    # It was so twice.
    assert evaluation.stage("boot").observations["boots"] == 2
    assert evaluation.stage("boot").outcome is Outcome.FAILED
    assert "tree similarity" in evaluation.stage("boot").reason
    kept = {artifact.path for artifact in evaluation.artifacts}
    first = evaluation.stage("boot").observations["pages"][0]
    assert first["image_difference"] > 0
    assert {first["screenshot"], first["baseline_screenshot"], first["difference"]} <= kept


@pytest.mark.usefixtures("short_walks")
def test_what_goes_wrong_once_only_is_no_fault_of_a_patch(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, cases = browser.BootPlan.drive, []

    def late(plan: browser.BootPlan, *given: Any, **more: Any) -> BootRecord:
        """The first boot of the case ends on a machine that is too busy for its pictures."""
        record = drive(plan, *given, **more)
        if more.get("policy", LEARNING) == LEARNING:
            return record
        cases.append(record)
        if len(cases) > 1:
            return record
        pages = [page.model_copy(update={"settled": False, "path": "/"}) for page in record.pages]
        return record.model_copy(update={"pages": tuple(pages)})

    monkeypatch.setattr(browser.BootPlan, "drive", late)
    evaluation = judge(patch(tree("2.0.0")))
    assert evaluation.error is None
    assert evaluation.metrics["boot_success"] is True
    assert evaluation.stage("boot").observations["boots"] == 2
    first = evaluation.stage("boot").observations["first_faults"]
    assert first
    assert all("ended at /" in fault for fault in first)
    pages = evaluation.stage("boot").observations["pages"]
    assert [page["path"] for page in pages] == ["/", "/book", "/book"]


@pytest.mark.usefixtures("short_walks")
def test_cases_of_a_run_are_held_against_one_boot_of_the_base(
    judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = KnownBoots(tmp_path / "boots")
    monkeypatch.setattr(KnownBoots, "of", lambda cache: known)

    def booted(number: int, run_seed: int) -> tuple[int, str]:
        """The seed of a case, and the version of the browser that its base was booted in."""
        content = patch(tree("2.0.0", main=f"{site.MAIN}// {number}\n"))
        evaluation = judge(content, run_seed=run_seed)
        assert evaluation.metrics["boot_success"] is True
        # The next case's artifacts take the place of these.
        folder = tmp_path / "reports" / str(evaluation.artifacts_dir)
        baseline = json.loads((folder / "boot" / "baseline.json").read_bytes())
        return evaluation.stage("boot").observations["seed"], baseline["browser"]

    seed, browser = booted(1, 5)
    (entry,) = (each for each in known.folder.iterdir() if each.is_dir())
    file = entry / "record.json"
    record = json.loads(file.read_bytes())
    record["browser"] = "1.2.3"
    file.write_text(json.dumps(record))
    assert booted(2, 5) == (seed, "1.2.3")
    other = booted(3, 6)
    assert other[0] != seed
    assert other[1] == browser != "1.2.3"


@pytest.mark.usefixtures("short_walks")
def test_the_browser_starts_beside_the_build_and_ends_with_the_case(judge: Judge) -> None:
    seen: dict[tuple[str, str], int] = {}

    def look(event: StageEvent) -> None:
        # The stage waits for this, and has started nothing yet.
        deadline = time.monotonic() + 60
        if (event.stage, event.state) == ("boot", "started"):
            while len(containers(event.case.id)) < 2:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        seen[event.stage, event.state] = len(containers(event.case.id))

    evaluation = judge(patch(tree("2.0.0")), observer=look)
    assert evaluation.metrics["boot_success"] is True
    assert seen["version", "passed"] == 1
    assert seen["boot", "started"] == 2
    assert seen["resolved", "finished"] == 0


def test_a_build_that_fails_leaves_nothing_of_the_browser(judge: Judge, tmp_path: Path) -> None:
    # The base's builds, and no patched one.
    build = 'build = "test ! -f web/broken && mkdir -p dist && cp web/* dist"'
    definition = INSTANCE.replace('build = "mkdir -p dist && cp web/* dist"', build)
    broken = patch(tree("2.0.0")) + b"--- /dev/null\n+++ b/web/broken\n@@ -0,0 +1 @@\n+x\n"
    evaluation = judge(broken, definition)
    assert evaluation.error is None
    assert evaluation.stage("build").outcome is Outcome.FAILED
    boot = evaluation.stage("boot")
    assert (boot.outcome, boot.attempts) == (Outcome.NOT_REACHED, ())
    assert not containers(evaluation.case.id)
    logs = {file.name for file in (tmp_path / "reports").rglob("*.log")}
    assert logs
    assert not {name for name in logs if "boot" in name}


def test_the_base_boots_and_is_compared_with_nothing(judge: Judge) -> None:
    evaluation = judge(None)
    assert evaluation.metrics["boot_success"] is True
    assert evaluation.metrics["boot_similarity"] is None
    assert evaluation.resolved is True


@pytest.mark.usefixtures("short_walks")
def test_a_base_that_does_not_boot_is_the_harness_s_trouble(judge: Judge) -> None:
    wrong = INSTANCE.replace('expect = "Ada to a"', 'expect = "Grace to a"')
    evaluation = judge(patch(tree("2.0.0")), wrong)
    assert evaluation.status == "error"
    assert evaluation.error is not None
    assert evaluation.error.kind == "BaselineError"
    assert "/book [1]: does not show 'Grace to a'" in evaluation.error.message


def test_a_base_that_cannot_be_walked_through_is_not_taken_for_one_without_walks(
    judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = "const known = new Known(texts, now);"
    _changed_driver(
        tmp_path / "broken", monkeypatch, "walk.mjs", {known: "throw new Error('no walk');"}
    )
    evaluation = judge(patch(tree("2.0.0")))
    assert evaluation.status == "error"
    assert evaluation.error is not None
    assert evaluation.error.kind == "BaselineError"
    assert "no walks through the untouched base: no walk" in evaluation.error.message


def test_a_patch_that_does_not_apply_needs_no_base(judge: Judge) -> None:
    """The base is learnt before the first stage that compares with it: here it cannot be built."""
    broken = INSTANCE.replace('build = "mkdir', 'build = "exit 3; mkdir')
    refused = judge(b"--- a/nowhere\n+++ b/nowhere\n@@ -1 +1 @@\n-a\n+b\n", broken)
    assert refused.error is None
    assert refused.stage("patch").outcome is Outcome.FAILED
    applied = judge(patch(tree("2.0.0")), broken)
    assert applied.error is not None
    assert applied.error.kind == "BaselineError"
