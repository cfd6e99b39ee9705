"""A scan of rules, in a sandbox of its own: a copy of a tree in which nothing of the patch ran.

The engine lies in a base of its own, locked by version and digest, or is the machine's program, so
that what it reads cannot reach the host, if a file that the patch wrote makes it misbehave.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.files.archives import pack
from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.copying import read_file
from pytest_benchmac.tracks.refactor.rules.engines import OPENGREP, Engine
from pytest_benchmac.tracks.refactor.rules.files import RuleSet
from pytest_benchmac.tracks.refactor.rules.matches import Scan, parse_scan

_RESULT_BYTES = 256 * MIB
_UNPACK_S = 300.0
_ROOT = "tree"


class Scanner:
    """Scans trees, one after the other, in a sandbox of its recipe with an empty project.

    Args:
        engine: what scans.
        sandbox: started, without any network.
        rules: those to look for.
        exclude: patterns of paths that are not scanned.
        timeout_s: seconds for one scan.
        logs: where the engine's output goes, a file for each scan.
    """

    def __init__(
        self,
        engine: Engine,
        sandbox: Sandbox,
        rules: RuleSet,
        *,
        exclude: Sequence[str],
        timeout_s: float,
        logs: Path,
    ) -> None:
        self._engine = engine
        self._sandbox = sandbox
        self._excluded = path_filter(exclude)
        self._timeout_s = timeout_s
        self._logs = logs
        self._config = sandbox.inbox / "rules.yml"
        sandbox.copy_in(rules.config, self._config)
        self._program = sandbox.inbox / OPENGREP
        if engine.program is not None:
            sandbox.copy_in(engine.program, self._program)

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
        if self._engine.program is not None:
            unpack += f" && cp {self._program} . && chmod 755 {OPENGREP}"
        done = sandbox.run(unpack, timeout_s=_UNPACK_S, log=log)
        if done.exit_code != 0:
            raise InfrastructureError(f"the tree cannot be unpacked for rules: {done.stderr}")
        sandbox.copy_in(b"", inbox)
        line = shlex.join(["scan", f"--config={self._config}", *self._engine.options])
        done = sandbox.run(
            f"{self._engine.command} {line} --output={result} {_ROOT} </dev/null",
            timeout_s=self._timeout_s,
            log=log,
        )
        if done.timed_out:
            raise InfrastructureError(
                f"the engine of rules took more than {self._timeout_s:g} s",
                remedy="Raise `timeouts.scan` of the instance.",
            )
        content = read_file(sandbox, result, max_bytes=_RESULT_BYTES)
        if content is None:
            raise InfrastructureError(
                f"the engine of rules ended with exit code {done.exit_code} and left no "
                f"result: {done.stderr[-1000:]}"
            )
        return parse_scan(content, _ROOT, self._engine.name)
