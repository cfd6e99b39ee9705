"""Trees and patches of our own Maven instances, made on the host by real git."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.evaluation import Finding
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.pom_rules import check_poms
from pytest_benchmac.tracks.maven.repository_rules import check_repository
from pytest_benchmac.tracks.maven.source_rules import check_files, check_java
from pytest_benchmac.tracks.maven.survey import Survey, survey_of
from tests.working_tree import all_copied

INSTANCES = load_instances(pattern="*_java8_to_17")
WAYMARK = INSTANCES["waymark_java8_to_17"]
GREENHOUSE = INSTANCES["greenhouse_java8_to_17"]
LEDGERPRINT = INSTANCES["ledgerprint_java8_to_17"]

Edit = Callable[[Path], None]


def git(folder: Path, *arguments: str) -> bytes:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def silver_of(instance: Instance) -> Path:
    assert instance.silver is not None
    assert instance.silver.patch is not None
    return instance.directory / instance.silver.patch


def make_patch(instance: Instance, edit: Edit, root: Path, *, on_silver: bool = True) -> bytes:
    """The diff from the base to the base with the silver patch and `edit`; its tree is `root`."""
    shutil.copytree(instance.directory / "source", root, symlinks=True)
    git(root, "init", "--quiet")
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "-m", "base")
    if on_silver:
        git(root, "apply", str(silver_of(instance)))
    edit(root)
    git(root, "add", "--all", "--force")
    patch = git(root, "diff", "--cached", "--binary", "HEAD")
    shutil.rmtree(root / ".git")
    return patch


def submission_of(instance: Instance, name: str, content: bytes, folder: Path) -> Submission:
    patch = folder / f"{name}.patch"
    patch.write_bytes(content)
    return Submission(
        case=Case(instance_id=instance.id, sut=name),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
        empty=not content.strip(),
    )


def survey(root: Path) -> tuple[Survey, MavenProject]:
    tree = SourceTree.scan(root)
    return survey_of(tree, all_copied(tree))


@cache
def base_survey(instance_id: str) -> Survey:
    base, _ = survey(INSTANCES[instance_id].directory / "source")
    return base


def source_findings(instance: Instance, root: Path, patch: Path | None) -> tuple[Finding, ...]:
    """What the integrity leg `sources` finds, as the track runs it."""
    base = base_survey(instance.id)
    patched, project = survey(root)
    findings = Findings()
    check_files(findings, base, patched, patch)
    check_poms(findings, base.project(), project, "17")
    check_java(findings, base, patched)
    trees = [SourceTree.scan(each) for each in (instance.directory / "source", root)]
    check_repository(trees[0], trees[1], findings)
    return findings.result()


def replace(root: Path, path: str, *pairs: tuple[str, str]) -> None:
    file = root / path
    text = file.read_text()
    for old, new in pairs:
        assert old in text, f"{path} has no {old!r}"
        text = text.replace(old, new)
    file.write_text(text)


def add_plugin(root: Path, xml: str) -> None:
    """A plugin more, behind the others of the root."""
    text = (root / "pom.xml").read_text()
    place = text.rindex("    </plugins>\n  </build>")
    more = f"      <plugin>{xml}</plugin>\n"
    (root / "pom.xml").write_text(f"{text[:place]}{more}{text[place:]}")


def add_library(root: Path) -> None:
    """A library of annotations, for the main code."""
    replace(
        root,
        "pom.xml",
        (
            "  </dependencies>\n",
            "    <dependency><groupId>org.apiguardian</groupId>"
            "<artifactId>apiguardian-api</artifactId><version>1.1.2</version></dependency>\n"
            "  </dependencies>\n",
        ),
    )


def write(root: Path, path: str, content: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
