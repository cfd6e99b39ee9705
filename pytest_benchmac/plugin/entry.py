"""The entry point: options, markers, and the start of a session that judges."""

from __future__ import annotations

import os
from typing import get_args

import pytest

from pytest_benchmac.model.settings import NetworkName, SandboxName, Settings
from pytest_benchmac.plugin import hooks

# What else the package has is imported when something is judged, and not before: pytest loads
# this module in every project of the environment that it is installed in.

pytest_plugins = ["pytest_benchmac.plugin.fixtures"]

DEFAULT_REPORTS = "reports/latest"
SOURCE_MIRROR_VARIABLE = "BENCHMAC_SOURCE_MIRROR"

_MARKERS = (
    "benchmac_track(name): run the test for cases of this track only",
    "benchmac_stage(name): run the test for cases that have this stage; where the stage did not "
    "pass, the test is skipped, or fails if nothing else in the session says so",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the `benchmac` group."""
    group = parser.getgroup("benchmac", "judging patches that migrate a code base")
    group.addoption(
        "--patch-dir",
        action="append",
        default=[],
        metavar="PATH",
        help="judge the patches in this folder (PATH/<instance_id>.patch or "
        "PATH/<sut>/<instance_id>.patch) or predictions file (.jsonl, .json); repeatable",
    )
    group.addoption(
        "--silver", action="store_true", help="judge the known-good patches: tests the harness"
    )
    group.addoption(
        "--baseline",
        action="store_true",
        help="judge installation and build of the untouched base: tests the instances",
    )
    group.addoption(
        "--instances",
        action="append",
        default=[],
        metavar="PATH",
        help="folder of instances, or of one; repeatable (default: the packaged set)",
    )
    group.addoption(
        "--instance",
        action="append",
        default=[],
        metavar="GLOB",
        help="only instances whose id matches this shell pattern; repeatable (default: *)",
    )
    group.addoption(
        "--sandbox",
        choices=get_args(SandboxName),
        default=Settings.sandbox,
        help="where stages run; auto takes docker if an engine answers, else bubblewrap; local "
        "has NO isolation (default: %(default)s)",
    )
    group.addoption(
        "--network",
        choices=get_args(NetworkName),
        help="what stages may reach: registries and recorded fixtures only (proxied), what is "
        "stored of them (offline), or anything (open) (default: proxied; local: open)",
    )
    group.addoption(
        "--source-mirror",
        default=os.environ.get(SOURCE_MIRROR_VARIABLE),
        metavar="DIR",
        help="bare git repositories at DIR/<owner>/<name>.git, used instead of cloning "
        f"(default: the value of {SOURCE_MIRROR_VARIABLE}, if any)",
    )
    group.addoption(
        "--reports",
        default=DEFAULT_REPORTS,
        metavar="DIR",
        help="where records, logs and artifacts go, and stored evaluations come from "
        "(default: %(default)s)",
    )
    group.addoption(
        "--shard",
        metavar="I/N",
        help="judge the I-th of N parts of the cases, for runs on several machines; merge the "
        "reports with `benchmac aggregate`",
    )
    group.addoption(
        "--shard-durations",
        metavar="DIR",
        help="report folder whose recorded durations balance the parts; the same on all machines "
        "(default: cases count alike)",
    )
    group.addoption(
        "--no-page",
        action="store_true",
        help="do not write index.html; `benchmac report` makes it at any time",
    )
    group.addoption("--rerun", action="store_true", help="judge again what has a stored evaluation")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare `pytest_benchmac_stage`."""
    pluginmanager.add_hookspecs(hooks)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and, if cases are asked for, the hooks that judge them."""
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    option = config.option
    if option.patch_dir or option.silver or option.baseline:
        from pytest_benchmac.plugin.session import begin

        begin(config)
