"""The entry point: options, markers, and the start of a session that judges."""

from __future__ import annotations

import pytest

from pytest_benchmac.model.memory import many_objects, stay
from pytest_benchmac.plugin import hookspecs
from pytest_benchmac.plugin.options import add_options, options_of

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
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare `pytest_benchmac_stage`."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and, if cases are asked for, the hooks that judge them."""
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    option = options_of(config)
    if option.patch_dir or option.silver or option.baseline:
        with many_objects():
            from pytest_benchmac.plugin.session import begin

        begin(config)
        # pytest looks through all of memory some ten times at the end of a session.
        stay()
