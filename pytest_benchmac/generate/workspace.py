"""What a SUT works in: an instance's sandbox in which every command becomes a trajectory step."""

from __future__ import annotations

import os
import select
import shlex
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.model.errors import BenchmacError, SandboxError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.trajectory import OUTPUT_HEAD_BYTES, OUTPUT_TAIL_BYTES, Step
from pytest_benchmac.sandbox.base import PreparedImage, Sandbox
from pytest_benchmac.tracks.adapter import Executed, Usage

_CHUNK_BYTES = 64 * 1024
_POLL_SECONDS = 0.1
_SET_UP_SECONDS = 60.0
#: Linux takes 128 KiB per argument.
_MAX_ARGUMENT_BYTES = 64 * 1024


class WorkspaceError(BenchmacError):
    """The SUT cannot go on, by its own doing; not for adapters to catch."""


class TimeIsUpError(WorkspaceError):
    """The SUT's time is used up."""


class SandboxLostError(WorkspaceError):
    """A command of the SUT brought the sandbox down, and with it what the SUT had changed."""


@dataclass
class RecordingWorkspace:
    """One instance in one sandbox, for one SUT: see `tracks.adapter.Workspace`."""

    instance: Instance
    sandbox: Sandbox
    image: PreparedImage
    redactor: Redactor
    #: Seconds that the SUT has in all.
    time_limit_s: float
    #: What the SUT is told to do.
    task: str
    #: Gets every step as it ends.
    record: Callable[[Step], None]
    #: Shows a line of progress.
    progress: Callable[[str], None]
    #: What went wrong on the way to the package registry so far.
    network_trouble: Callable[[], Sequence[str]]
    usage: Usage = field(default_factory=Usage)
    #: Number of the last step.
    steps: int = 0
    _message: str | None = None

    def __post_init__(self) -> None:
        self._began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the SUT began."""
        return time.monotonic() - self._began

    @property
    def remaining_s(self) -> float:
        """Seconds that the SUT still has; not below zero."""
        return max(0.0, self.time_limit_s - self.elapsed_s)

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        bash: bool = False,
        preamble: str = "",
        opaque: bool = False,
    ) -> Executed:
        """See `Workspace.run`.

        Raises:
            SandboxError: the engine failed.
            TimeIsUpError: the SUT's time was used up before or while it ran.
            SandboxLostError: the command brought the sandbox down.
        """
        self.check_time()
        if "\0" in command:
            refused = "A command cannot hold the character NUL.\n"
            return self._executed(command, Executed(126, False, 0.0, refused), opaque=opaque)
        shell = "bash" if bash else "sh"
        # The shell of a preamble stays: it may have said what is to be done in the end.
        line = self._shell_line(command, shell, "" if preamble else "exec ")
        with (
            tempfile.TemporaryDirectory(prefix="benchmac-step-") as scratch,
            _drained(Path(scratch) / "output", self.redactor) as kept,
        ):
            result = self.sandbox.run(
                f"{preamble}\n{line}" if preamble else line,
                timeout_s=max(min(timeout_s, self.remaining_s), 0.001),
                log=kept.path,
                env=env,
            )
        executed = Executed(
            exit_code=result.exit_code,
            timed_out=result.timed_out,
            duration_s=round(result.duration_s, 3),
            output=kept.text,
        )
        self._executed(command, executed, opaque=opaque)
        if result.timed_out:
            self.check_time()
        elif result.exit_code is None:
            hit = f" ({', '.join(result.limits_hit)})" if result.limits_hit else ""
            raise SandboxLostError(f"step {self.steps} brought the sandbox down{hit}")
        return executed

    def set_up(self, command: str) -> None:
        """Run a command of the harness, which is no step of the SUT.

        Raises:
            SandboxError: it did not succeed.
        """
        result = self.sandbox.run(command, timeout_s=_SET_UP_SECONDS, log=Path(os.devnull))
        if result.exit_code != 0:
            said = self.redactor.text(result.stderr.strip())[:500]
            raise SandboxError(f"`{command}` exited {result.exit_code}: {said}")

    def say(self, message: str) -> None:
        """What the model said; it goes with the next command."""
        self.flush()
        self._message = self.redactor.text(message)

    def note(self, text: str) -> None:
        """Show something that is no step."""
        self.progress(self.redactor.text(text))

    def flush(self) -> None:
        """Record a message that no command followed as a step of its own."""
        if self._message is not None:
            self._add(Step(step=self.steps + 1, message=self._message))

    def check_time(self) -> None:
        """Raise TimeIsUpError when the SUT's time is used up."""
        if not self.remaining_s:
            raise TimeIsUpError(f"the limit of {self.time_limit_s:g} s")

    def copy_in(self, content: bytes | Path, name: str) -> PurePosixPath:
        """Put a file into the sandbox's inbox, where the SUT can read it; its path there."""
        destination = self.sandbox.inbox / name
        self.sandbox.copy_in(content, destination)
        return destination

    def _shell_line(self, command: str, shell: str, how: str) -> str:
        # A model may write what UTF-8 cannot hold, and more than one argument may have.
        content = command.encode("utf-8", "replace")
        if len(content) > _MAX_ARGUMENT_BYTES:
            return f"{how}{shell} {self.copy_in(content, 'command.sh')}"
        text = content.decode()
        return text if shell == "sh" else f"{how}{shell} -c {shlex.quote(text)}"

    def _executed(self, command: str, executed: Executed, *, opaque: bool) -> Executed:
        self._add(
            Step(
                step=self.steps + 1,
                command=self.redactor.text(command),
                exit_code=executed.exit_code,
                timed_out=executed.timed_out,
                duration_s=executed.duration_s,
                output=executed.output,
                message=self._message,
                opaque=opaque,
            )
        )
        return executed

    def _add(self, step: Step) -> None:
        self.steps, self._message = step.step, None
        self.record(step)


class _Kept:
    """The beginning and the end of an output, redacted."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self.path = path
        self._stream = redactor.stream()
        self._head = bytearray()
        self._tail = bytearray()
        self._bytes = 0

    def take(self, piece: bytes, *, last: bool = False) -> None:
        piece = self._stream.feed(piece) + (self._stream.finish() if last else b"")
        self._bytes += len(piece)
        room = OUTPUT_HEAD_BYTES - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * OUTPUT_TAIL_BYTES:
            del self._tail[:-OUTPUT_TAIL_BYTES]

    @property
    def text(self) -> str:
        tail = bytes(self._tail[-OUTPUT_TAIL_BYTES:])
        left_out = self._bytes - len(self._head) - len(tail)
        gap = f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b""
        return (bytes(self._head) + gap + tail).decode(errors="replace")


@contextmanager
def _drained(path: Path, redactor: Redactor) -> Iterator[_Kept]:
    """A named pipe for a sandbox to log to: unredacted output never reaches a disk."""
    os.mkfifo(path, 0o600)
    # Without blocking, since nothing has opened the other end yet, and perhaps never will.
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    kept = _Kept(path, redactor)
    over = threading.Event()

    def drain() -> None:
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        while True:
            # Looked at before reading: what was written before `over` is then still read.
            was_over = over.is_set()
            ready = poll.poll(0 if was_over else 1000 * _POLL_SECONDS)
            piece = b""
            if any(event & select.POLLIN for _, event in ready):
                piece = os.read(reader, _CHUNK_BYTES)
            if piece:
                kept.take(piece)
            elif was_over:
                kept.take(b"", last=True)
                return
            elif ready:
                # The writer is gone: poll would return at once, over and over.
                time.sleep(_POLL_SECONDS / 10)

    thread = threading.Thread(target=drain, name="benchmac-output", daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        over.set()
        thread.join()
        os.close(reader)
