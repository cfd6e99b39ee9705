"""Black-box cases, run through the command line. What they expect stays on the host.

All cases are one command of the sandbox, one after the other: starting a command, and copying what
it left, takes longer than most programs. Whatever one case does to the next one, it does not know
what either has to leave.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.files.archives import pack
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import CommandResult, Sandbox
from pytest_benchmac.tracks.refactor.behaviour.cases import BehaviourCase, Did

#: Bounds on what all cases leave.
_LEFT_BYTES, _LEFT_FILES = 256 * MIB, 50_000
#: Exit status of `timeout` for a command that it ended, by either signal.
_TIMED_OUT = (124, 137)
_KILL_AFTER_S = 5
#: Seconds beside those of the cases.
_MORE_S = 120.0
_MOST_S = 86_000.0

#: Runs a command line in the sandbox for so many seconds, with variables.
Run = Callable[[str, float, Mapping[str, str]], CommandResult]


class CaseRunner:
    """Runs cases, one after the other, each in a folder of its own.

    Args:
        sandbox: with the project as it was installed.
        command: the instance's `behaviour.run`.
        cases: those to run; what they expect is not brought.
        timeout_s: seconds for one case.
        run: runs a command line in the sandbox.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        command: str,
        cases: Sequence[BehaviourCase],
        *,
        timeout_s: float,
        run: Run,
    ) -> None:
        self._sandbox = sandbox
        self._cases = cases
        self._timeout_s = timeout_s
        self._run = run
        self._folder = sandbox.home / "cases"
        self._script = sandbox.inbox / "cases.sh"
        packed: dict[str, bytes | Path] = {}
        for case in cases:
            packed[f"{case.id}/stdin"] = case.stdin.encode()
            packed |= {f"{case.id}/work/{path}": t.encode() for path, t in case.files.items()}
        inbox = sandbox.inbox / "cases.tar"
        with TemporaryDirectory() as folder:
            archive = Path(folder) / "cases.tar"
            pack(archive, packed)
            sandbox.copy_in(archive, inbox)
        lines = [f"rm -rf {self._folder} && mkdir {self._folder} || exit 1"]
        lines += [f"tar -xf {inbox} -C {self._folder} || exit 1"]
        lines += [self._line(case, command) for case in cases]
        sandbox.copy_in("\n".join(lines).encode() + b"\n", self._script)

    def _line(self, case: BehaviourCase, command: str) -> str:
        given = " ".join(shlex.quote(f"{name}={value}") for name, value in case.env.items())
        one = shlex.quote(f"{command} {shlex.join(case.argv)}")
        # The variable is what the harness adds: it beats the case's own.
        return (
            f"mkdir -p {self._folder}/{case.id}/work && cd {self._folder}/{case.id}/work && "
            f"{{ env {given} $MORE timeout -k {_KILL_AFTER_S} {self._timeout_s:g} sh -c {one} "
            "<../stdin >../stdout 2>../stderr; echo $? >../exit; }"
        )

    def run(self, env: Mapping[str, str]) -> dict[str, Did]:
        """Run all cases; what each left, by id.

        Args:
            env: variables of every case, which beat its own; values without blanks.

        Raises:
            CopyLimitError: they leave more than the harness reads.
        """
        project = str(self._sandbox.project)
        more = " ".join(f"{name}={value}" for name, value in env.items())
        self._run(
            f"sh {self._script}",
            min(_MORE_S + len(self._cases) * (self._timeout_s + _KILL_AFTER_S), _MOST_S),
            {"PROJECT": project, "PYTHONPATH": project, "MORE": more},
        )
        with TemporaryDirectory() as folder:
            self._sandbox.copy_out(
                self._folder, Path(folder), max_bytes=_LEFT_BYTES, max_files=_LEFT_FILES
            )
            tree = SourceTree.scan(Path(folder))
            return {case.id: _left(tree, case) for case in self._cases}


def _left(tree: SourceTree, case: BehaviourCase) -> Did:
    def text(path: str) -> str | None:
        content = tree.read(f"{case.id}/{path}", _LEFT_BYTES)
        return None if content is None else content.decode(errors="replace")

    ended = (text("exit") or "").strip()
    code = int(ended) if ended.isdecimal() and len(ended) < 4 else None
    files = {path: text(f"work/{path}") for path in case.expect.files}
    return Did(
        exit=None if code in _TIMED_OUT else code,
        stdout=text("stdout") or "",
        stderr=text("stderr") or "",
        files={path: content for path, content in files.items() if content is not None},
    )
