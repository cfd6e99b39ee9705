"""Texts of a project in the sandbox of a system under test."""

from __future__ import annotations

import shlex

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.copying import read_file
from pytest_benchmac.tracks.adapter import Workspace

_MAX_FILE_BYTES = 2 * MIB
_COMMAND_SECONDS = 60.0


class UnwritableError(ValueError):
    """A file that cannot be written; its text says why."""


class ProjectFiles:
    """Reads and writes files of a project; what is written is a step of the system under test."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._written = 0

    def read(self, path: str) -> str | None:
        """The text of a file below the project; None where there is none that can be read.

        Bytes that are no UTF-8 stay what they are when the text is written again.
        """
        sandbox = self._workspace.sandbox
        try:
            content = read_file(sandbox, sandbox.project / path, max_bytes=_MAX_FILE_BYTES)
        except CopyLimitError:
            return None
        return None if content is None else content.decode("utf-8", "surrogateescape")

    def write(self, path: str, text: str | None) -> None:
        """Write a file, or remove it where there is no text.

        Raises:
            UnwritableError: that cannot be.
        """
        place = shlex.quote(path)
        if text is None:
            command = f"rm -f -- {place}"
        else:
            self._written += 1
            content = text.encode("utf-8", "surrogateescape")
            source = self._workspace.copy_in(content, f"edit.{self._written}")
            folder = shlex.quote(path.rpartition("/")[0] or ".")
            command = f"mkdir -p -- {folder} && cat {shlex.quote(str(source))} > {place}"
        done = self._workspace.run(command, timeout_s=_COMMAND_SECONDS)
        if done.exit_code != 0:
            raise UnwritableError(f"{path} cannot be written: {done.output.strip()}")

    def named(self, name: str) -> list[str]:
        """Paths of the files of a name, outside of what builds make."""
        command = f"find . -name {shlex.quote(name)} -type f -not -path '*/target/*'"
        found = self._workspace.run(command, timeout_s=_COMMAND_SECONDS).output
        return sorted(line.removeprefix("./") for line in found.splitlines())
