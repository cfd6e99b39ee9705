"""The compatibility compiler of Angular 12 to 15, which makes Ivy of packages before a build."""

from __future__ import annotations

import shlex
from collections.abc import Container

COMPILER = "@angular/compiler-cli"
NGCC_TIMEOUT_S = 600.0
#: The first that the installed version has.
_FILES = ("bundles/ngcc/main-ngcc.js", "ngcc/main-ngcc.js")
_PACKAGES = "node_modules"


def ngcc_command(published: Container[str]) -> str | None:
    """The command that runs it on `node_modules`; None where the version has none.

    Args:
        published: files of the verified compiler, by path.
    """
    path = next((path for path in _FILES if path in published), None)
    if path is None:
        return None
    # As the Angular CLI asks for it, so that the build finds nothing left to do.
    words = ["node", f"{_PACKAGES}/{COMPILER}/{path}", "--first-only"]
    words += ["--create-ivy-entry-points", "--async", "false", "--properties"]
    words += ["es2020", "es2015", "browser", "module", "main"]
    return shlex.join(words)
