"""What npm installs is compared, file by file, with what was published."""

from __future__ import annotations

import io
import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.npm import tarball
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.tracks.angular.integrity.closed_world import (
    Listing,
    check_closed_world,
    check_versions,
)
from pytest_benchmac.tracks.findings import Findings
from tests.network.tiny import sri
from tests.tracks.angular.integrity.conftest import Project, package

# --- honest trees ---


def test_a_genuine_tree_is_clean(project: Project) -> None:
    project.install()
    world, findings = project.check()
    assert findings.result() == ()
    assert set(world.packages) == {"@angular/core", "@angular/cli", "tool"}
    assert check_versions(world, "17", findings) == {
        "@angular/core": "17.0.1",
        "@angular/cli": "17.0.2",
    }
    assert findings.result() == ()


def test_npms_own_changes_are_known(project: Project) -> None:
    """A renamed .gitignore, a mended first line of a command, and .bin."""
    content = package(
        "odd",
        "1.0.0",
        {
            ".gitignore": b"dist\n",
            "with/.npmignore": b"kept\n",
            "with/.gitignore": b"lost\n",
            "run.js": b"#!/usr/bin/env node\r\nconsole.log(1)\r\n",
        },
        bin={"odd": "run.js"},
    )
    project.registry.publish("odd", "1.0.0", content)
    project.needs("odd", "1.0.0", bin={"odd": "run.js"})
    project.install()
    installed = project.root / "node_modules/odd"
    assert (installed / ".npmignore").exists()
    assert b"node\n" in (installed / "run.js").read_bytes()
    assert project.codes() == set()


def test_nested_second_copies_are_honest(project: Project) -> None:
    project.registry.publish("tool", "2.0.0", package("tool", "2.0.0"))
    project.needs("tool", "2.0.0")
    project.lists("@angular/cli/node_modules/tool", "1.0.0")
    project.install()
    world, findings = project.check()
    assert findings.result() == ()
    assert world.packages["@angular/cli/node_modules/tool"].version == "1.0.0"
    assert world.version("tool") == "2.0.0"


def test_dependencies_bundled_in_a_published_tarball_belong_to_it(project: Project) -> None:
    inner = json.dumps({"name": "inner", "version": "9.9.9"}).encode()
    files = {"node_modules/inner/package.json": inner, "node_modules/inner/x.js": b"x"}
    content = package(
        "outer", "1.0.0", files, dependencies={"inner": "*"}, bundleDependencies=["inner"]
    )
    project.registry.publish("outer", "1.0.0", content)
    project.needs("outer", "1.0.0", dependencies={"inner": "*"}, bundleDependencies=["inner"])
    project.lock["outer/node_modules/inner"] = {"version": "9.9.9", "inBundle": True}
    project.install()
    assert (project.root / "node_modules/outer/node_modules/inner/x.js").exists()
    assert project.codes() == set()
    (project.root / "node_modules/outer/node_modules/inner/x.js").write_text("y")
    assert project.codes() == {"changed-file"}


def test_an_alias_of_an_ordinary_package_is_honest(project: Project) -> None:
    project.needs("simple", "1.0.0", alias_of="plain")
    project.install()
    assert json.loads((project.root / "node_modules/simple/package.json").read_text())["name"] == (
        "plain"
    )
    assert project.codes() == set()


def test_a_tool_that_asks_for_an_alias_gets_it(project: Project) -> None:
    about = {"dependencies": {"tool": "^1.0.0", "tool-cjs": "npm:plain@^1.0.0"}}
    project.registry.publish(
        "@angular/build", "17.0.0", package("@angular/build", "17.0.0", **about)
    )
    project.needs("@angular/build", "17.0.0", **about)
    project.lists("tool-cjs", "1.0.0", alias_of="plain")
    project.install()
    assert project.codes() == set()


# --- attacks ---


def local_tarball(project: Project, content: bytes) -> dict[str, str]:
    (project.root / "local.tgz").write_bytes(content)
    return {"resolved": "file:local.tgz", "integrity": sri(content)}


def test_a_lock_only_substitution_by_a_local_tarball(project: Project) -> None:
    """package.json is innocent; the lock file resolves the command line to the patch's own."""
    fake = package(
        "@angular/cli", "17.0.2", {"bin/ng.js": b"process.exit(0)"}, bin={"ng": "bin/ng.js"}
    )
    project.lock["@angular/cli"] |= local_tarball(project, fake)
    project.install()
    assert "exit(0)" in (project.root / "node_modules/@angular/cli/bin/ng.js").read_text()
    assert "changed-file" in project.codes()


def test_a_lock_only_substitution_by_another_published_package(project: Project) -> None:
    """Every file is published, but not by the name that the build asks for."""
    evil = project.registry.packages["evil"]["1.0.0"]
    project.lock["tool"] |= {
        "resolved": f"{project.registry.url}evil/-/evil-1.0.0.tgz",
        "integrity": sri(evil),
    }
    project.install()
    assert (project.root / "node_modules/tool/index.js").read_bytes() == b"evil"
    assert "replaced-tool" in project.codes()


@pytest.mark.parametrize("name", ["tool", "@angular/core"])
def test_an_alias_in_the_place_of_a_tool(project: Project, name: str) -> None:
    project.needs(name, "1.0.0", alias_of="evil")
    project.install()
    assert project.codes() == {"replaced-tool"}


def test_a_nested_alias_in_the_place_of_a_tool(project: Project) -> None:
    """The root's copy is genuine; the command line gets a nested one that is not."""
    project.needs("tool", "1.0.0")
    project.lists("@angular/cli/node_modules/tool", "1.0.0", alias_of="evil")
    project.install()
    world, findings = project.check()
    assert world.packages["tool"].name == "tool"
    assert [finding.code for finding in findings.result()] == ["replaced-tool"]


def test_a_forged_version(project: Project) -> None:
    """The old framework with the new one's number in package.json."""
    fake = package("@angular/core", "17.0.1", {"core.js": b"old"})
    project.lock["@angular/core"] |= local_tarball(project, fake)
    project.install()
    assert project.codes() == {"changed-file"}


def test_a_version_that_was_never_published(project: Project) -> None:
    fake = package("@angular/core", "17.9.9", {"core.js": b"old"})
    project.lock["@angular/core"] |= {"version": "17.9.9", **local_tarball(project, fake)}
    project.dependencies["@angular/core"] = "file:local.tgz"
    project.install()
    assert "unpublished-package" in project.codes()


def test_an_old_framework_is_not_the_version_to_reach(project: Project) -> None:
    project.needs("@angular/core", "16.0.0")
    project.install()
    world, findings = project.check()
    assert findings.result() == ()
    check_versions(world, "17", findings)
    assert [finding.code for finding in findings.result()] == ["version-not-achieved"]


def test_a_file_smuggled_in_by_a_bundle(project: Project) -> None:
    """A local tarball of a harmless package brings a tool of its own for the packages beside it."""
    tool = json.dumps({"name": "tool", "version": "1.0.0"}).encode()
    files = {"node_modules/tool/package.json": tool, "node_modules/tool/index.js": b"evil"}
    content = package("harmless", "1.0.0", files, bundleDependencies=["tool"])
    project.lock["harmless"] = {
        "version": "1.0.0",
        "dependencies": {"tool": "*"},
        "bundleDependencies": ["tool"],
        **local_tarball(project, content),
    }
    project.lock["harmless/node_modules/tool"] = {"version": "1.0.0", "inBundle": True}
    project.dependencies["harmless"] = "file:local.tgz"
    project.install()
    assert (project.root / "node_modules/harmless/node_modules/tool/index.js").exists()
    assert "unpublished-package" in project.codes()


def test_a_folder_of_the_patch_linked_as_a_package(project: Project) -> None:
    (project.root / "fake").mkdir()
    (project.root / "fake/package.json").write_text('{"name": "tool", "version": "1.0.0"}')
    project.install()
    project.npm("install", "--ignore-scripts", "--install-links=false", str(project.root / "fake"))
    assert (project.root / "node_modules/tool").is_symlink()
    assert "linked-package" in project.codes()


@pytest.mark.parametrize(
    "path",
    [
        "tool/index.mjs",
        "tool.js",
        ".hidden",
        "@angular/loose.js",
        "@angular/core/node_modules/.hooks/a.js",
        ".bin/ng.js",
        "@angular/node_modules/tool/index.js",
        "stray/index.js",
        "tool/node_modules/dep/index.js",
    ],
)
def test_a_file_that_nobody_published(project: Project, path: str) -> None:
    project.install()
    file = project.root / "node_modules" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("evil")
    assert project.codes() & {"unpublished-file", "unpublished-package"}


def test_a_file_that_is_missing(project: Project) -> None:
    project.install()
    (project.root / "node_modules/tool/index.js").unlink()
    assert project.codes() == {"missing-file"}


def test_a_link_in_the_place_of_a_file_or_of_everything(project: Project) -> None:
    project.install()
    file = project.root / "node_modules/tool/index.js"
    file.unlink()
    file.symlink_to("/etc/passwd")
    assert project.codes() == {"missing-file", "linked-package"}
    (project.root / "node_modules").rename(project.root / "elsewhere")
    (project.root / "node_modules").symlink_to("elsewhere")
    assert project.codes() == {"foreign-entry"}


def test_names_that_are_not_text(project: Project) -> None:
    project.install()
    (Path(os.fsdecode(os.fsencode(project.root) + b"/node_modules/tool/\xff.js"))).write_text("x")
    assert project.codes() == {"foreign-entry"}


# --- hostile sizes, and what is not the patch's fault ---


def test_a_tree_that_is_all_foreign_is_given_up_early(project: Project) -> None:
    """The registry is not asked for a thousand packages that a tree only claims to hold."""
    project.install()
    for number in range(1000):
        folder = project.root / f"node_modules/claimed-{number:04}"
        folder.mkdir()
        about = {"name": f"claimed-{number:04}", "version": "1.0.0"}
        (folder / "package.json").write_text(json.dumps(about))
    project.registry.received.clear()
    assert "unpublished-package" in project.codes()
    assert len(project.registry.asked("claimed-")) < 100


def test_a_tree_that_is_too_deep_is_fatal(project: Project) -> None:
    project.install()
    (project.root / ("node_modules/tool/" + "d/" * 120)).mkdir(parents=True)
    assert project.codes() == {"closed-world-too-large"}


def test_a_listing_that_was_cut_off_is_fatal(project: Project) -> None:
    project.install()
    findings = Findings()
    cut = Listing.parse(b'["f", "tool/index.js", "00')
    check_closed_world(cut, project.published(), findings)
    assert [finding.code for finding in findings.result()] == ["closed-world-too-large"]


def test_a_broken_registry_is_nobodys_fault(project: Project) -> None:
    project.install()
    project.registry.broken = 503
    with pytest.raises(NetworkError, match=r"cannot be had"):
        project.check()


def test_a_tarball_that_does_not_verify_is_nobodys_fault(project: Project) -> None:
    """Integrity is the registry's word, and never the lock file's."""
    project.install()
    forged = package("tool", "1.0.0", {"index.js": b"forged"})
    project.registry.forged["tool-1.0.0.tgz"] = forged
    with pytest.raises(NetworkError, match=r"does not verify"):
        project.check()


def test_manifests_are_kept(project: Project) -> None:
    project.install()
    assert project.codes() == set()
    project.registry.received.clear()
    assert project.codes() == set()
    assert project.registry.received == []
    findings = Findings()
    offline = project.published(offline=True)
    check_closed_world(project.listing(), offline, findings)
    assert findings.result() == ()


def test_a_manifest_that_was_tampered_with_is_not_used(project: Project) -> None:
    project.install()
    assert project.codes() == set()
    (stored,) = (project.cache / "manifests").rglob("tool/1.0.0.json")
    good = stored.read_bytes()
    stored.write_bytes(good.replace(b"index.js", b"other.js"))
    assert project.codes() == set()
    assert stored.read_bytes() == good


def test_a_published_file_that_is_no_tarball(project: Project) -> None:
    project.registry.publish("odd", "1.0.0", b"no tarball")
    assert project.published().manifest("odd", "1.0.0") is None


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("../../etc", "1.0.0"),
        ("tool", "../1.0.0"),
        ("tool", "latest"),
        ("", "1.0.0"),
        ("a" * 300, "1.0.0"),
    ],
)
def test_names_that_no_registry_has(project: Project, name: str, version: str) -> None:
    project.registry.received.clear()
    assert project.published().manifest(name, version) is None
    assert project.registry.received == []


def test_a_tarball_with_odd_entries(project: Project) -> None:
    """Links and paths that leave the package are no files, as in npm."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in ("package/package.json", "package/a.js", "package/../../b.js", "toplevel"):
            info = tarfile.TarInfo(name)
            info.size = 2
            tar.addfile(info, io.BytesIO(b"{}"))
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    project.registry.publish("odd", "1.0.0", buffer.getvalue())
    manifest = project.published().manifest("odd", "1.0.0")
    assert manifest is not None
    assert set(manifest.files) == {"package.json", "a.js"}


def test_a_package_with_too_many_files(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever publishes it must not be able to stop the harness."""
    monkeypatch.setattr(tarball, "MAX_PACKAGE_FILES", 1)
    project.install()
    assert project.codes() == {"unpublished-package"}


def test_versions_of_other_framework_packages(project: Project) -> None:
    """A compiler of another version is another framework; other tools are worth a warning."""
    for name in ("@angular/compiler-cli", "@angular/build"):
        project.registry.publish(name, "16.0.0", package(name, "16.0.0"))
        project.needs(name, "16.0.0")
    project.install()
    world, findings = project.check()
    check_versions(world, "17", findings)
    assert [(each.code, each.severity.value, each.file) for each in findings.result()] == [
        ("mixed-framework", "fatal", "node_modules/@angular/compiler-cli/package.json"),
        ("mixed-framework", "warning", "node_modules/@angular/build/package.json"),
    ]


def test_links_of_the_baseline_are_allowed(project: Project) -> None:
    project.install()
    (project.root / "libs").mkdir()
    (project.root / "node_modules/mine").symlink_to("../libs")
    listing = project.listing()
    findings = Findings()
    check_closed_world(listing, project.published(), findings, allowed_links=["mine"])
    assert findings.result() == ()
    moved = replace(listing, links={"tool/mine": "../libs"})
    check_closed_world(moved, project.published(), findings, allowed_links=["tool/mine"])
    assert [finding.code for finding in findings.result()] == ["linked-package"]


def test_offline_what_is_not_stored_is_an_error_that_names_it(project: Project) -> None:
    """Nobody can be blamed for a package that the harness cannot look at."""
    project.install()
    with pytest.raises(NetworkError, match=r"nothing is stored for .*/1\.0\.0"):
        project.published(offline=True).manifest("tool", "1.0.0")


def test_offline_the_stored_answer_of_the_registry_counts(project: Project) -> None:
    assert project.published().manifest("nobody-has-this", "1.0.0") is None
    assert project.published(offline=True).manifest("nobody-has-this", "1.0.0") is None
