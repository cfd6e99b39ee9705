"""The entry point: options, markers, and the start of a session that judges."""

from __future__ import annotations

import pytest

from pytest_benchmac.model.options import run_options
from pytest_benchmac.plugin import hookspecs

# What else the package has is imported when something is judged, and not before: pytest loads
# this module in every project of the environment that it is installed in.

pytest_plugins = ["pytest_benchmac.plugin.fixtures"]

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
        "--instance",
        action="append",
        default=[],
        metavar="GLOB",
        help="only instances whose id matches this shell pattern; repeatable (default: *)",
    )
    for flag, keywords in run_options().items():
        group.addoption(flag, **keywords)
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


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare `pytest_benchmac_stage`."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and, if cases are asked for, the hooks that judge them."""
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    option = config.option
    if option.patch_dir or option.silver or option.baseline:
        from pytest_benchmac.plugin.session import begin

        begin(config)
