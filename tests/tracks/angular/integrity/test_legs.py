"""Which legs a case gets to, and what its record says, with commands that take no time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Severity, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import NetworkName, SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind
from pytest_benchmac.network.network import Network
from pytest_benchmac.tracks.angular.instance import AngularCommands, AngularInstance
from tests.engines import require

INSTANCE = "trailbook_v18_to_v19"
#: Installs nothing but what the version check asks for.
INSTALL = "; ".join(
    f"mkdir -p node_modules/@angular/{name} && "
    f'echo \'{{"name": "@angular/{name}", "version": "19.0.0"}}\' '
    f"> node_modules/@angular/{name}/package.json"
    for name in ("core", "cli")
)
NEW_FILE = """\
diff --git a/{name} b/{name}
new file mode 100644
--- /dev/null
+++ b/{name}
@@ -0,0 +1 @@
+text
"""


@pytest.fixture(params=["docker", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> SandboxName:
    name: SandboxName = request.param
    require(name, Settings(reports=tmp_path))
    return name


def quick_instance(build: str = "mkdir -p dist/x") -> Instance:
    instance = load_instances((packaged_instances() / INSTANCE,))[INSTANCE]
    assert isinstance(instance, AngularInstance)
    commands = AngularCommands(install=INSTALL, build=build)
    return instance.model_copy(update={"commands": commands, "boot": None, "tests": None})


def judged(
    folder: Path,
    sandbox: SandboxName,
    patch: str | None,
    instance: Instance | None = None,
    policy: NetworkName = "open",
) -> Evaluation:
    """The record of a case; without a patch, of the baseline."""
    content = (patch or "").encode()
    file = folder / "a.patch"
    file.write_bytes(content)
    submission = Submission(
        case=Case(instance_id=INSTANCE, sut="legs" if patch else "baseline"),
        kind=SubmissionKind.PATCH if patch else SubmissionKind.BASELINE,
        patch=file if patch else None,
        patch_sha256=hashlib.sha256(content).hexdigest() if patch else None,
        patch_bytes=len(content),
    )
    settings = Settings(reports=folder / "reports", sandbox=sandbox, network=policy, retry_wait_s=0)
    with Network(settings.network, settings.cache) as network:
        evaluation, _ = run_case(
            instance or quick_instance(), submission, settings, network=network
        )
    assert rejudge(evaluation) == evaluation
    return evaluation


def test_what_the_clean_room_cannot_repeat_is_unchecked(
    sandbox: SandboxName, tmp_path: Path
) -> None:
    evaluation = judged(tmp_path, sandbox, NEW_FILE.format(name="NOTES.md"))
    assert all(evaluation.metrics[name] for name in ("install_success", "build_success"))
    integrity = evaluation.integrity
    assert (integrity.verdict, integrity.findings) == (Verdict.UNCHECKED, ())
    assert "npm ci" in integrity.unchecked
    assert [(leg.name, leg.outcome) for leg in integrity.legs] == [("sources", Outcome.PASSED)]
    assert integrity.legs[0].duration_s > 0
    assert integrity.facts["recalls"] == {
        "components": 1.0,
        "selectors": 1.0,
        "template tokens": 1.0,
    }
    assert evaluation.stage("build").observations["built_in"] == "project"


def test_a_fatal_finding_in_the_sources_ends_the_legs_and_not_the_stages(
    sandbox: SandboxName, tmp_path: Path
) -> None:
    instance = quick_instance().model_copy(
        # What the clean room could repeat, were it asked to.
        update={"commands": AngularCommands(install=INSTALL, build="npx ng build")}
    )
    evaluation = judged(tmp_path, sandbox, NEW_FILE.format(name="src/node_modules/a.js"), instance)
    integrity = evaluation.integrity
    assert integrity.verdict is Verdict.REJECTED
    assert "node-modules-committed" in {finding.code for finding in integrity.findings}
    assert [leg.name for leg in integrity.legs] == ["sources"]
    assert not evaluation.resolved
    assert evaluation.metrics["target_version_achieved"] is True
    build = evaluation.stage("build")
    assert [attempt.command for attempt in build.attempts] == ["npx ng build"]
    assert build.outcome is Outcome.FAILED


def locked_at(instance: Instance, address: str, folder: Path) -> str:
    """A patch whose lock file takes a package of the tool chain from an address."""
    assert instance.directory is not None
    old = instance.directory / "source" / "package-lock.json"
    lock = json.loads(old.read_text())
    entry = lock["packages"]["node_modules/zone.js"]
    entry |= {"version": "9.9.9", "resolved": f"{address}zone.js/-/zone.js-9.9.9.tgz"}
    new = folder / "package-lock.json"
    new.write_text(json.dumps(lock, indent=2) + "\n")
    command = ["git", "diff", "--no-index", "--no-prefix", "--", str(old), str(new)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    _, _, hunks = done.stdout.partition("\n@@")
    name = "package-lock.json"
    return f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@{hunks}"


@pytest.mark.parametrize("policy", ["proxied", "open"])
def test_a_lock_file_may_name_the_registry_and_no_other_host(
    tmp_path: Path, policy: NetworkName
) -> None:
    require("bubblewrap", Settings(reports=tmp_path))
    instance = quick_instance()
    own = npm.registry(os.environ).url
    for number, (address, fatal) in enumerate(
        (("https://evil.invalid/", True), (own, False), ("http://127.0.0.1:3128/", False))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        patch = locked_at(instance, address, folder)
        evaluation = judged(folder, "bubblewrap", patch, instance, policy)
        assert evaluation.stage("patch").outcome is Outcome.PASSED
        found = {each.code: each.severity for each in evaluation.integrity.findings}
        assert ("lock-unknown-registry" in found) is fatal
        if fatal:
            assert found["lock-unknown-registry"] is Severity.FATAL
            assert not evaluation.resolved


def test_a_patch_that_does_not_apply_is_unchecked(sandbox: SandboxName, tmp_path: Path) -> None:
    evaluation = judged(tmp_path, sandbox, NEW_FILE.format(name="angular.json"))
    assert evaluation.stage("patch").outcome is Outcome.FAILED
    integrity = evaluation.integrity
    assert (integrity.verdict, integrity.legs) == (Verdict.UNCHECKED, ())
    assert integrity.unchecked == "the patch does not apply"


def test_a_case_that_fails_early_has_the_legs_it_got_to(
    sandbox: SandboxName, tmp_path: Path
) -> None:
    failing = quick_instance().model_copy(
        update={"commands": AngularCommands(install="false", build="npx ng build")}
    )
    evaluation = judged(tmp_path, sandbox, NEW_FILE.format(name="NOTES.md"), failing)
    assert evaluation.stage("install").outcome is Outcome.FAILED
    assert evaluation.integrity.verdict is Verdict.CLEAN
    assert [leg.name for leg in evaluation.integrity.legs] == ["sources"]
    assert not evaluation.resolved


def test_the_untouched_base_is_unchecked(sandbox: SandboxName, tmp_path: Path) -> None:
    evaluation = judged(tmp_path, sandbox, None)
    assert evaluation.resolved
    assert (evaluation.integrity.verdict, evaluation.integrity.legs) == (Verdict.UNCHECKED, ())
    assert "untouched base" in evaluation.integrity.unchecked


def test_the_local_sandbox_is_unchecked(tmp_path: Path) -> None:
    evaluation = judged(tmp_path, "local", NEW_FILE.format(name="src/node_modules/a.js"))
    assert (evaluation.integrity.verdict, evaluation.integrity.legs) == (Verdict.UNCHECKED, ())
    assert "local sandbox" in evaluation.integrity.unchecked


def test_what_the_harness_could_not_judge_is_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    evaluation = judged(tmp_path, "docker", NEW_FILE.format(name="NOTES.md"))
    assert evaluation.status == "error"
    assert evaluation.integrity.verdict is Verdict.UNCHECKED
    assert "harness failed" in evaluation.integrity.unchecked
