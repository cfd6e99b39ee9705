"""The base image that has the browser and its driver."""

from __future__ import annotations

from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.ecosystems.npm.node import node_package
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.tracks.toolchains.node import node_check

#: What drives the browser, pinned: an exact Node, and Playwright without its own browsers.
NODE_VERSION = "22.23.3"
PLAYWRIGHT_VERSION = "1.65.1"
PLAYWRIGHT = PurePosixPath("usr/local/lib/node_modules/playwright-core")
#: Debian's wrapper script around it looks at the memory of the host and at the user's settings.
CHROMIUM = PurePosixPath("/usr/lib/chromium/chromium-headless-shell")
#: Loaded into a browser's processes, it moves their clock by `FAKETIME` seconds. `$LIB` is replaced
#: by the loader.
MOVED_CLOCK = "/usr/$LIB/faketime/libfaketimeMT.so.1"
#: One tuple for every base with a browser: they share one system then.
CHROMIUM_PACKAGES = ("chromium-headless-shell", "libfaketime")


def chromium_check() -> ToolCheck:
    """Does Debian's browser start?"""
    return ToolCheck(
        "chromium",
        f"{CHROMIUM} --version >/dev/null && echo starts",
        "starts",
        version="Debian's",
    )


def browser_recipe() -> BaseRecipe:
    """Debian with its Chromium and libfaketime, an exact Node and an exact Playwright.

    There is no reference to pull: the browser is Debian's, and its version is recorded.
    """
    return BaseRecipe(
        reference=None,
        apt_packages=CHROMIUM_PACKAGES,
        packages=(
            node_package(NODE_VERSION),
            Package("npm", "playwright-core", PLAYWRIGHT_VERSION, PLAYWRIGHT),
        ),
        checks=(
            node_check(NODE_VERSION),
            ToolCheck(
                "playwright-core",
                f"node -p 'require(\"/{PLAYWRIGHT}/package.json\").version'",
                PLAYWRIGHT_VERSION,
                version=PLAYWRIGHT_VERSION,
            ),
            chromium_check(),
            ToolCheck(
                "libfaketime",
                f"LD_PRELOAD='{MOVED_CLOCK}' FAKETIME='@2020-05-17 12:00:00' date +%Y",
                "2020",
                version="Debian's",
            ),
        ),
    )
