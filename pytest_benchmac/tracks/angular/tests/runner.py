"""What an Angular instance's tests run in, and Karma, which needs a browser."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.angular.boot.base_image import (
    CHROMIUM,
    CHROMIUM_PACKAGES,
    chromium_check,
)
from pytest_benchmac.tracks.angular.tests.config import ReporterName
from pytest_benchmac.tracks.reporters.report import (
    Reported,
    parse_report,
    reported_run,
)
from pytest_benchmac.tracks.reporters.runner import REPORT_SCRIPT, Reporter
from pytest_benchmac.tracks.reporters.runner import REPORTERS as SHARED
from pytest_benchmac.tracks.runs import Run

#: Neither goes along: what earlier stages left there is no part of the patched source.
LEFT_BEHIND = ("./.git", "./.angular")


def tests_recipe(base: BaseRecipe) -> BaseRecipe:
    """The exact Node and npm of an instance, and Debian's Chromium.

    Args:
        base: the instance's own recipe.
    """
    return BaseRecipe(
        reference=None,
        apt_packages=CHROMIUM_PACKAGES,
        packages=base.packages,
        checks=(*base.checks, chromium_check()),
    )


class _KarmaReported(Reported):
    browser_failed: bool


def read_karma_report(content: bytes) -> Run:
    """The run that Karma's report tells of.

    Raises:
        BrokenRunError: it is none, or of a run that did not come to its end.
        SandboxError: there was no browser to run them.
    """
    reported = parse_report(content, _KarmaReported)
    if reported.browser_failed and not reported.cases:
        raise SandboxError(
            "the browser does not start in its sandbox; the log of the stage says why",
            remedy="`benchmac images` lists its base: remove it, and it is made anew.",
        )
    return reported_run(reported)


REPORTERS: Mapping[ReporterName, Reporter] = {
    "karma": Reporter(
        (files("pytest_benchmac.tracks.angular.tests") / "karma.conf.cjs", REPORT_SCRIPT),
        (
            "--watch=false",
            "--karma-config={file}",
            "--browsers=Benchmac",
            "--reporters=benchmac",
            "--code-coverage=false",
            "--source-map=false",
            "--progress=false",
        ),
        read=read_karma_report,
        plan={"chromium": str(CHROMIUM)},
    ),
    "jest": SHARED["jest"],
    "vitest": SHARED["vitest"],
}
