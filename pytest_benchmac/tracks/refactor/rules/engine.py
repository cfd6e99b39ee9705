"""Semgrep, in a sandbox of its own: it reads a copy of a tree in which nothing of the patch ran.

The engine lies in a base of its own, locked by version and digest, so that the host needs none and
what it reads cannot reach the host, if a file that the patch wrote makes it misbehave.

What it leaves out by itself is not left out here (tried at 1.182): `.semgrepignore` and
`.gitignore`, tests, `vendor` and `build`, lines with `nosem`, files above 1 MB. It exits with 0
after a rule ran out of time, so rules have no time of their own, and the scan as a whole has one.
`errors` and `skipped` are read, and `--validate`, which wants a network, is not used.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pytest_benchmac.ecosystems.pypi.lock import locked_packages
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.files.archives import pack
from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.refactor.environment import PYTHON_PACKAGES, PYTHON_RELEASE
from pytest_benchmac.tracks.refactor.rules.files import RuleSet
from pytest_benchmac.tracks.refactor.rules.matches import Scan, parse_scan

VERSION = "1.182.0"
_FOLDER = PurePosixPath("opt/semgrep")
_RESULT_BYTES = 256 * MIB
_UNPACK_S = 300.0
_ROOT = "tree"
_RUN = (
    f"PYTHONPATH=/{_FOLDER} python3 -c 'from semgrep.console_scripts.pysemgrep import main; main()'"
)
_OPTIONS = (
    "--no-git-ignore", "--novcs", "--x-ignore-semgrepignore-files",
    "--x-semgrepignore-filename=.benchmac-has-none", "--no-exclude-binary-files",
    "--disable-nosem", "--max-target-bytes=0", "--timeout=0", "--timeout-threshold=0",
    "--max-memory=0", "--max-match-context-size=0", "--metrics=off", "--disable-version-check",
    "--no-rewrite-rule-ids", "--oss-only", "--verbose",
)  # fmt: skip


def scan_recipe() -> BaseRecipe:
    """The base that has the engine."""
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
            ToolCheck("semgrep", check, VERSION, version=VERSION),
            ToolCheck(
                "python", "python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'",
                PYTHON_RELEASE, version=PYTHON_RELEASE,
            ),
        ),
    )  # fmt: skip


class Scanner:
    """Scans trees, one after the other, in a sandbox of `scan_recipe` with an empty project.

    Args:
        sandbox: started, without any network.
        rules: those to look for.
        exclude: patterns of paths that are not scanned.
        timeout_s: seconds for one scan.
        logs: where the engine's output goes, a file for each scan.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        rules: RuleSet,
        *,
        exclude: Sequence[str],
        timeout_s: float,
        logs: Path,
    ) -> None:
        self._sandbox = sandbox
        self._excluded = path_filter(exclude)
        self._timeout_s = timeout_s
        self._logs = logs
        self._config = sandbox.inbox / "rules.yml"
        sandbox.copy_in(rules.config, self._config)

    def scan(self, tree: SourceTree, name: str) -> Scan:
        """Find the matches of every rule.

        Args:
            tree: regular files on the host.
            name: of the log.

        Raises:
            InfrastructureError: the engine failed.
            CopyLimitError: there are more matches than the harness reads.
        """
        sandbox, log = self._sandbox, self._logs / f"scan.{name}.log"
        result = sandbox.home / "scan.json"
        with TemporaryDirectory() as folder:
            archive = Path(folder) / "tree.tar"
            kept = {path: tree.root / path for path in tree.files if not self._excluded(path)}
            pack(archive, {f"{_ROOT}/{path}": file for path, file in kept.items()})
            inbox = sandbox.inbox / "tree.tar"
            sandbox.copy_in(archive, inbox)
            unpack = f"rm -rf {_ROOT} {result} && mkdir {_ROOT} && tar -xf {inbox}"
            done = sandbox.run(unpack, timeout_s=_UNPACK_S, log=log)
            if done.exit_code != 0:
                raise InfrastructureError(f"the tree cannot be unpacked for rules: {done.stderr}")
            sandbox.copy_in(b"", inbox)
            line = shlex.join(["scan", f"--config={self._config}", *_OPTIONS, "--json"])
            done = sandbox.run(
                f"{_RUN} {line} --output={result} {_ROOT} </dev/null",
                timeout_s=self._timeout_s,
                log=log,
            )
            if done.timed_out:
                raise InfrastructureError(
                    f"the engine of rules took more than {self._timeout_s:g} s",
                    remedy="Raise `timeouts.scan` of the instance.",
                )
            copied = sandbox.copy_out(
                result, Path(folder), max_bytes=_RESULT_BYTES, max_files=1
            ).files
            if not copied:
                raise InfrastructureError(
                    f"the engine of rules ended with exit code {done.exit_code} and left no "
                    f"result: {done.stderr[-1000:]}"
                )
            return parse_scan((Path(folder) / copied[0].path).read_bytes(), _ROOT)
