"""The two bases that all programs share: one for Python, one for answers in Java.

A program has no image and no project of its own: a thousand cases need nothing but these. There is
no Python where Java is judged, so an answer in Java cannot run the program that it translates.
"""

from __future__ import annotations

from importlib.resources import files

from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.tracks.toolchains.python import (
    PYTHON_PACKAGES,
    python_check,
    site_packages,
)

#: Debian 12's.
JAVA = "17"
_LOCK = files("pytest_benchmac.tracks.program") / "packages.lock"
_JAVA_CHECK = (
    "java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p'"
)
_NO_PYTHON = "find / -xdev -name 'python*' -perm /111 ! -type d -print 2>/dev/null | head -n 5"
#: In every base: git applies patches.
_PACKAGES = ("ca-certificates", "git")


def python_recipe() -> BaseRecipe:
    """Python with NumPy, SciPy, scikit-learn, cryptography and python-dateutil, and no network."""
    packages = site_packages(_LOCK)
    asked = ("numpy", "scipy", "scikit-learn", "cryptography", "python-dateutil")
    versions = {each.name: each.version for each in packages if each.name in asked}
    told = "; ".join(f'print(v("{name}"))' for name in versions)
    return BaseRecipe(
        reference=None,
        apt_packages=PYTHON_PACKAGES,
        packages=packages,
        checks=(
            python_check(),
            ToolCheck(
                "packages",
                f"python3 -c 'from importlib.metadata import version as v; {told}'",
                "\n".join(versions.values()),
                version=", ".join(f"{name} {version}" for name, version in versions.items()),
            ),
        ),
    )


def java_recipe() -> BaseRecipe:
    """A JDK, and no Python anywhere."""
    return BaseRecipe(
        reference=None,
        apt_packages=(*_PACKAGES, f"openjdk-{JAVA}-jdk-headless"),
        checks=(
            ToolCheck("java", _JAVA_CHECK, JAVA, version=JAVA),
            ToolCheck("no python", _NO_PYTHON, "", version="absent"),
        ),
    )
