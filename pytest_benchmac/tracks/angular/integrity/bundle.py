"""The scripts that a build made: are there any, and are they about as large as the baseline's?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.findings import Findings

#: The bundle's share of the baseline's modern scripts, in bytes, that it must have at least. The
#: lowest honest one is 0.41, where scripts for old browsers go.
SIZE_FLOOR = 0.3
_MAX_SCRIPTS = 5_000
#: Scripts for browsers without modules, which builders up to version 12 make beside the others.
_OLD_BROWSERS = re.compile(r"[.-]es5[.-]")
_SCRIPTS = (".js", ".mjs")


def bundle_scripts(artifacts: SourceTree) -> list[str]:
    """The modern scripts of the build: those beside an entry page, or anywhere if there is none."""
    pages = {path.rpartition("/")[0] for path in artifacts.named("index.html", "index.csr.html")}
    return [
        path
        for path in artifacts.files
        if path.endswith(_SCRIPTS)
        and not _OLD_BROWSERS.search(path.rpartition("/")[2])
        and (not pages or path.rpartition("/")[0] in pages)
    ][:_MAX_SCRIPTS]


def script_bytes(artifacts: SourceTree) -> int:
    """Bytes of the modern scripts; for the baseline's build, what the floor is a share of."""
    return sum(artifacts.files[path] for path in bundle_scripts(artifacts))


def check_scripts_made(
    artifacts: SourceTree,
    baseline_script_bytes: int | None,
    base_targets: Sequence[BuildTarget],
    findings: Findings,
) -> None:
    """See that there are scripts, and enough of them. Never raises.

    Args:
        artifacts: the output folders of the build that is judged.
        baseline_script_bytes: `script_bytes` of the baseline's build; None if there is none.
        base_targets: what that build made. Of one that no minifier went over no size follows.
        findings: where to.
    """
    if any(each.options.get("optimization") is False for each in base_targets):
        baseline_script_bytes = None
    scripts = bundle_scripts(artifacts)
    if not scripts:
        findings.fatal(
            "bundle-empty",
            "The build left no script.",
            expected="scripts beside index.html",
            seen=f"{len(artifacts.files)} files",
        )
        return
    size = sum(artifacts.files[path] for path in scripts)
    if baseline_script_bytes and size < SIZE_FLOOR * baseline_script_bytes:
        findings.fatal(
            "bundle-too-small",
            "The build's scripts are far smaller than the baseline's.",
            expected=f"at least {SIZE_FLOOR:.0%} of {baseline_script_bytes} bytes",
            seen=f"{size} bytes",
        )
