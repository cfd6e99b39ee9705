"""The engines of static rules: Semgrep's from a locked list, or the machine's own opengrep.

What they leave out by themselves is not left out here (tried with Semgrep 1.182, opengrep 1.30):
`.semgrepignore` and `.gitignore`, tests, `vendor` and `build`, lines with `nosem`, files above
1 MB. They exit with 0 after a rule ran out of time, so rules have no time of their own, and the
scan as a whole has one. `--validate`, which wants a network, is not used.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath

from pytest_benchmac.ecosystems.pypi.lock import locked_packages
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.tracks.toolchains.python import PYTHON_PACKAGES, python_check

SEMGREP_VERSION = "1.182.0"
OPENGREP = "opengrep"
_FOLDER = PurePosixPath("opt/semgrep")
_SEMGREP = (
    f"PYTHONPATH=/{_FOLDER} python3 -c 'from semgrep.console_scripts.pysemgrep import main; main()'"
)
_SHARED_OPTIONS = (
    "--no-git-ignore", "--x-ignore-semgrepignore-files", "--disable-nosem", "--max-target-bytes=0",
    "--timeout=0", "--timeout-threshold=0", "--max-memory=0", "--disable-version-check",
    "--no-rewrite-rule-ids", "--verbose", "--json",
)  # fmt: skip
_SEMGREP_OPTIONS = (
    *_SHARED_OPTIONS,
    "--novcs", "--x-semgrepignore-filename=.benchmac-has-none", "--no-exclude-binary-files",
    "--max-match-context-size=0", "--metrics=off", "--oss-only",
)  # fmt: skip
#: Beyond its bound on a file's matches there are none at all; the harness bounds the result.
_OPENGREP_OPTIONS = (*_SHARED_OPTIONS, "--max-match-per-file=1000000")


@dataclass(frozen=True)
class Engine:
    """What finds the matches of rules, in a sandbox of its own."""

    name: str
    #: The base that it runs on.
    recipe: BaseRecipe
    #: Shell text that starts it, in the folder that has `program`.
    command: str
    options: tuple[str, ...]
    #: The machine's program, brought into the sandbox; None where the base has the engine.
    program: Path | None = None

    @property
    def decisive(self) -> dict[str, str]:
        """Its name and digest, where the machine decides which it is; else nothing.

        Raises:
            InfrastructureError: the program cannot be read.
        """
        if self.program is None:
            return {}
        try:
            with self.program.open("rb") as file:
                return {self.name: hashlib.file_digest(file, "sha256").hexdigest()}
        except OSError as error:
            raise InfrastructureError(
                f"the engine of rules {self.program} cannot be read: {error.strerror}",
                remedy="Let everybody read it, or take it off PATH: Semgrep scans then.",
            ) from error


def installed_engine() -> Engine:
    """Opengrep where this machine has it on its PATH, else Semgrep."""
    found = shutil.which(OPENGREP)
    return SEMGREP if found is None else opengrep(Path(found).resolve())


def opengrep(program: Path) -> Engine:
    """The engine that a program of this machine is: one file that needs nothing beside itself."""
    recipe = BaseRecipe(reference=None, apt_packages=PYTHON_PACKAGES)
    # It unpacks itself below its cache.
    command = f'XDG_CACHE_HOME="$PWD/.cache" ./{OPENGREP}'
    return Engine(OPENGREP, recipe, command, _OPENGREP_OPTIONS, program)


def _semgrep_recipe() -> BaseRecipe:
    lock = files("pytest_benchmac.tracks.refactor.rules") / "semgrep.lock"
    # Its own `--version` writes to a home, which checks have not.
    check = (
        f"PYTHONPATH=/{_FOLDER} python3 -c "
        "'from importlib.metadata import version; print(version(\"semgrep\"))'"
    )
    return BaseRecipe(
        reference=None,
        apt_packages=PYTHON_PACKAGES,
        packages=locked_packages(lock.read_text("utf-8"), _FOLDER),
        checks=(
            ToolCheck("semgrep", check, SEMGREP_VERSION, version=SEMGREP_VERSION),
            python_check(),
        ),
    )


SEMGREP = Engine("semgrep", _semgrep_recipe(), _SEMGREP, _SEMGREP_OPTIONS)
