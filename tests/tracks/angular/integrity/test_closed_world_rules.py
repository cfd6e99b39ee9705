"""What the closed world says of listings and versions: no registry, no npm."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_benchmac.tracks.angular.integrity import closed_world
from pytest_benchmac.tracks.angular.integrity.closed_world import Listing, check_versions
from pytest_benchmac.tracks.findings import Findings


def codes(findings: Findings) -> list[tuple[str, str | None]]:
    return [(each.code, each.file) for each in findings.result()]


@pytest.mark.parametrize(
    ("link", "allowed"),
    [
        (".bin/ng", True),
        ("tool/node_modules/.bin/ng", True),
        ("@scope/tool/node_modules/.bin/ng", True),
        # Folders of somebody's own, in which nobody publishes anything.
        ("tool/.bin/ng", False),
        ("tool/lib/.bin/ng", False),
        (".bin/deep/ng", False),
        ("tool/my_node_modules/.bin/ng", False),
        ("tool/node_modules/.bin", False),
    ],
)
def test_only_npms_own_links_to_commands_are_exempt(link: str, allowed: bool) -> None:
    findings = Findings()
    listing = Listing({}, {link: "../anything"}, (), {})
    closed_world._check_odd_entries(listing, findings, frozenset())
    assert codes(findings) == ([] if allowed else [("linked-package", f"node_modules/{link}")])


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("tool/index.js", "tool", "index.js"),
        ("@scope/tool/index.js", "@scope/tool", "index.js"),
        ("tool/node_modules/other/index.js", "tool/node_modules/other", "index.js"),
        ("tool/node_modules/@scope/other/a.js", "tool/node_modules/@scope/other", "a.js"),
        # What npm writes there are links; a file is the outer package's, which never had it.
        ("tool/node_modules/.bin/ng", "tool", "node_modules/.bin/ng"),
        ("tool/node_modules/other", "tool", "node_modules/other"),
        ("tool/node_modules/@scope/other", "tool", "node_modules/@scope/other"),
        ("tool/lib/node_modules/other/a.js", "tool", "lib/node_modules/other/a.js"),
    ],
)
def test_every_file_is_of_its_innermost_package(path: str, folder: str, inside: str) -> None:
    findings = Findings()
    assert closed_world._group({path: "sha"}, findings) == {folder: {inside: "sha"}}
    assert codes(findings) == []


@pytest.mark.parametrize("path", [".bin/ng", "loose.js", "@scope/loose.js"])
def test_a_file_beside_packages_is_nobody_s(path: str) -> None:
    findings = Findings()
    assert closed_world._group({path: "sha"}, findings) == {}
    assert codes(findings) == [("unpublished-file", f"node_modules/{path}")]


@pytest.mark.parametrize("lacking", ["@angular/core", "@angular/cli"])
def test_a_framework_that_is_not_there_is_not_achieved(lacking: str) -> None:
    versions = {"@angular/core": "17.1.0", "@angular/cli": "17.2.0"}
    del versions[lacking]
    findings = Findings()
    world = SimpleNamespace(version=versions.get)
    assert check_versions(world, "17", findings) == versions  # type: ignore[arg-type]
    assert codes(findings) == [("version-not-achieved", f"node_modules/{lacking}/package.json")]
