"""The base of Maven instances: files of our own in it, a substitute for it, and OpenRewrite."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path, PurePosixPath

import pytest

from pytest_benchmac.environment import debian as bootstrap
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.environment.recipe import BaseFile, BaseRecipe, ToolCheck
from pytest_benchmac.generate.task import task_of
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.sandbox.local import LocalEngine
from pytest_benchmac.tracks.adapter import Executed
from pytest_benchmac.tracks.maven.openrewrite import missing_artifact, run_command
from pytest_benchmac.tracks.registry import get_track


@pytest.fixture
def waymark() -> Instance:
    return load_instances(pattern="waymark_java8_to_17")["waymark_java8_to_17"]


def test_own_files_are_in_the_base_instead_of_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "system.tar"
    with tarfile.open(system, "w") as tar:
        for name in ("./usr/bin/tool", "./usr/bin/other"):
            entry = tarfile.TarInfo(name)
            entry.size = 3
            tar.addfile(entry, io.BytesIO(b"old"))
    monkeypatch.setattr(bootstrap, "_system", lambda packages, cache: system)
    own = BaseFile(PurePosixPath("usr/bin/tool"), "#!/bin/sh\n", executable=True)
    deep = BaseFile(PurePosixPath("opt/a/b"), "ö")
    recipe = BaseRecipe(reference=None, apt_packages=(), files=(own, deep))
    base = bootstrap.make_base(recipe, tmp_path / "cache")
    with tarfile.open(base.tar) as tar:
        members = {member.name: member for member in tar}
        assert [m.name for m in tar.getmembers()].count("usr/bin/tool") == 1
        for path, content, mode in (
            ("usr/bin/tool", b"#!/bin/sh\n", 0o755),
            ("usr/bin/other", b"old", 0o644),
            ("opt/a/b", "ö".encode(), 0o644),
        ):
            file = tar.extractfile(path)
            assert file is not None
            assert file.read() == content
            assert members[path].mode == mode
            assert members[path].uid == 0
    assert members["opt/a"].isdir()


def test_other_files_make_another_base(tmp_path: Path) -> None:
    def key(*files: BaseFile) -> str:
        return BaseRecipe(reference=None, apt_packages=(), files=files).inputs

    one = BaseFile(PurePosixPath("a"), "x")
    assert len({key(), key(one), key(BaseFile(PurePosixPath("a"), "y"))}) == 3


def test_the_untouched_base_has_the_jdk_of_its_level_and_else_the_targets(
    waymark: Instance,
) -> None:
    track = get_track("maven")
    target = track.base_recipe(waymark)
    base = track.base_recipe(waymark, SubmissionKind.BASELINE)
    assert base.reference is not None
    assert "temurin-8@" in base.reference
    assert [(check.tool, check.expected, check.version) for check in base.checks] == [
        ("java", "1.8", "8")
    ]
    assert base.substitute == target
    assert target.substitute is None


def test_a_substitute_is_taken_where_nothing_is_pulled(waymark: Instance, tmp_path: Path) -> None:
    def recipe(said: str, substitute: BaseRecipe | None = None) -> BaseRecipe:
        check = ToolCheck("tool", f"echo {said}", said, version=said)
        return BaseRecipe(None, (), checks=(check,), substitute=substitute)

    settings = Settings(
        reports=tmp_path / "reports", sandbox="local", network="open", cache=tmp_path / "cache"
    )
    asked = recipe("wanted", recipe("other"))
    project = make_project(waymark, settings)
    made = LocalEngine().prepare(asked, project)
    assert made.tools == {"tool": "other"}
    same = LocalEngine().prepare(recipe("other"), project)
    assert made.tag == same.tag


def test_maven_finds_a_writable_copy_of_debians_repository(
    waymark: Instance, tmp_path: Path
) -> None:
    """The wrapper itself, with folders of this test for the system's."""
    (wrapper,) = get_track("maven").base_recipe(waymark).files
    share, home = tmp_path / "share", tmp_path / "home"
    utils = share / "maven-repo/org/codehaus/plexus/plexus-utils/2.x"
    utils.mkdir(parents=True)
    (share / "java").mkdir()
    (share / "java/utils.jar").write_text("jar")
    (utils / "plexus-utils-2.x.jar").symlink_to(os.path.relpath(share / "java/utils.jar", utils))
    (utils / "plexus-utils-2.x.pom").write_text("pom")
    maven = share / "maven/bin/mvn"
    maven.parent.mkdir(parents=True)
    maven.write_text('#!/bin/sh\necho "$@"\n')
    maven.chmod(0o755)
    script = tmp_path / "mvn"
    script.write_text(wrapper.text.replace("/usr/share", str(share)))
    home.mkdir()
    for _ in range(2):
        said = subprocess.run(
            ["sh", script, "clean", "a b"],
            env={"HOME": str(home), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert said.startswith("--offline ")
        assert said.endswith(f"-Dmaven.repo.local={home}/.m2/repository clean a b\n")
    copied = home / ".m2/repository/org/codehaus/plexus/plexus-utils"
    assert (copied / "2.x/plexus-utils-2.x.jar").read_text() == "jar"
    assert (copied / "1.1/plexus-utils-1.1.jar").read_text() == "jar"
    assert not (copied / "1.1/plexus-utils-1.1.jar").is_symlink()
    assert wrapper.executable


# --- generation --------------------------------------------------------------------------------


def executed(output: str) -> Executed:
    return Executed(exit_code=1, timed_out=False, duration_s=1, output=output)


def test_openrewrite_runs_the_recipe_of_the_target() -> None:
    command = run_command("21")
    assert "org.openrewrite.java.migrate.UpgradeToJava21" in command
    assert "org.openrewrite.recipe:rewrite-migrate-java:" in command


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        (
            "[ERROR] Plugin org.openrewrite.maven:rewrite-maven-plugin:5.39.0 or one of its "
            "dependencies could not be resolved: Cannot access central (https://r/m2) in offline "
            "mode",
            True,
        ),
        (
            "[ERROR] Could not transfer artifact org.openrewrite.recipe:rewrite-migrate-java:pom",
            True,
        ),
        ("[ERROR] Could not find artifact com.corp:private:jar:1.0", False),
        ("[ERROR] org.openrewrite.Recipe failed on X.java", False),
        ("[INFO] Using active recipe(s) [org.openrewrite.java.migrate.UpgradeToJava17]", False),
    ],
)
def test_openrewrites_own_artifacts_are_told_from_the_projects(line: str, missing: bool) -> None:
    assert bool(missing_artifact(executed(f"[INFO] x\n{line}\n"))) is missing


def test_the_task_in_words_names_commands_and_release(waymark: Instance) -> None:
    task = task_of(waymark)
    assert "to Java 17" in " ".join(task.split())
    assert "mvn -B -V clean verify" in task
    assert "$" not in task
