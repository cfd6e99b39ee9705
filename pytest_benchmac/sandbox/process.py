"""Following one process of this machine: its output, its end, its time limit."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Self

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.sandbox.base import Conversation
from pytest_benchmac.sandbox.output import Output

_CHUNK = 256 * 1024

#: Seconds that output gets to drain after the process is dead.
_DRAIN_S = 5.0


class Program:
    """A program of ours that runs a command, started; its output, its end, its time limit.

    A context manager: leaving it ends the program, if it is not known to have ended.

    Args:
        argv: the program.
        output: takes both streams.
        end: called once, when the program has ended, its time is up, its output cannot be kept,
            or nobody waits for it; afterwards neither it nor anything it started may be alive.
        env: its whole environment.
        cwd: its working directory.
        user: uid and gid to run as.
        pass_fds: descriptors that stay open in it.
        talks: is it sent anything? Else its standard input is empty.

    Raises:
        SandboxError: it cannot be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        output: Output,
        *,
        end: Callable[[subprocess.Popen[bytes]], None],
        env: Mapping[str, str],
        cwd: Path | None = None,
        user: int | None = None,
        pass_fds: Sequence[int] = (),
        talks: bool = False,
    ) -> None:
        self._output = output
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                cwd=cwd,
                user=user,
                group=user,
                extra_groups=[] if user is not None else None,
                pass_fds=pass_fds,
                bufsize=0,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise SandboxError(f"{argv[0]} cannot be started: {error}") from error
        self._resources = ExitStack()
        # Last entered, first left: ended before its streams are closed.
        self._resources.enter_context(self._process)
        self._end = ExitStack()
        self._end.callback(end, self._process)
        self._resources.push(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._resources.close()

    def follow(self, timeout_s: float) -> tuple[int | None, float]:
        """Take its output until it has ended.

        Args:
            timeout_s: seconds from now.

        Returns:
            Its exit code (128 + N for signal N, None if its time was up first), and the seconds
            that this took.

        Raises:
            StoreError: its output cannot be written.
        """
        started = time.monotonic()
        with self, selectors.DefaultSelector() as selector:
            with self._end:
                _register(selector, self._process, self._output)
                timed_out = not _pump_until_death(selector, self._process, started + timeout_s)
                duration_s = time.monotonic() - started
            _pump(selector, time.monotonic() + _DRAIN_S)
            exit_code = self._process.wait()
        if exit_code < 0:
            exit_code = 128 - exit_code
        return (None if timed_out else exit_code), duration_s


@contextmanager
def piped_conversation(
    start: Callable[[Output], AbstractContextManager[Program]], log: Path, max_bytes: int
) -> Iterator[Conversation]:
    """Talk to a program that `talks`, until the context is left.

    Args:
        start: starts it, with where its standard error goes.
        log: the file for that.
        max_bytes: bound on the file.

    Raises:
        StoreError: its standard error cannot be written.
        SandboxError: it cannot be started.
    """
    with (
        Output(log, max_bytes=max_bytes, capture_bytes=0) as output,
        start(output) as program,
        selectors.DefaultSelector() as selector,
    ):
        yield _PipedConversation(program, selector)


class _PipedConversation:
    """See `base.Conversation`; the program is entered, and followed by nobody."""

    def __init__(self, program: Program, selector: selectors.BaseSelector) -> None:
        process = program._process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("all three streams have to be pipes")
        self._stdin = process.stdin.fileno()
        self._arrived: list[bytes] = []
        self._selector = selector
        self._selector.register(process.stdout, selectors.EVENT_READ, self._arrived.append)
        self._selector.register(process.stderr, selectors.EVENT_READ, program._output.stderr)
        self._stdout = process.stdout
        os.set_blocking(self._stdin, False)

    def send(self, data: bytes, timeout_s: float) -> bool:
        """Write to its standard input."""
        deadline = time.monotonic() + timeout_s
        left = memoryview(data)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            while left:
                try:
                    left = left[os.write(self._stdin, left) :]
                except BlockingIOError:
                    # It may itself wait for somebody to take what it says.
                    self._take(0)
                    if time.monotonic() > deadline:
                        return False
                    selector.select(0.05)
                except BrokenPipeError:
                    return False
        return True

    def receive(self, timeout_s: float) -> bytes | None:
        """Wait for what it writes."""
        deadline = time.monotonic() + timeout_s
        while not self._arrived:
            if self._stdout not in self._selector.get_map():
                return None
            if (left := deadline - time.monotonic()) <= 0:
                return b""
            self._take(left)
        data = b"".join(self._arrived)
        self._arrived.clear()
        return data

    def _take(self, timeout_s: float) -> None:
        for key, _ in self._selector.select(timeout_s):
            if data := os.read(key.fd, _CHUNK):
                key.data(data)
            else:
                self._selector.unregister(key.fileobj)


def _register(
    selector: selectors.BaseSelector, process: subprocess.Popen[bytes], output: Output
) -> None:
    if process.stdout is None or process.stderr is None:
        raise ValueError("both streams have to be pipes")
    selector.register(process.stdout, selectors.EVENT_READ, output.stdout)
    selector.register(process.stderr, selectors.EVENT_READ, output.stderr)


def _pump_until_death(
    selector: selectors.BaseSelector, process: subprocess.Popen[bytes], deadline: float
) -> bool:
    """Pass output on until the process is dead, whoever holds its streams; False if time is up."""
    died = os.pidfd_open(process.pid)
    selector.register(died, selectors.EVENT_READ)
    try:
        return _pump(selector, deadline, until=died)
    finally:
        selector.unregister(died)
        os.close(died)


def _pump(selector: selectors.BaseSelector, deadline: float, *, until: int | None = None) -> bool:
    """Pass output on until the descriptor `until` is ready, or both streams have ended.

    Returns:
        False when the deadline came first.
    """
    while selector.get_map():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        ready = {key.fd: key for key, _ in selector.select(left)}
        for key in ready.values():
            if key.fd == until:
                continue
            if data := os.read(key.fd, _CHUNK):
                key.data(data)
            else:
                selector.unregister(key.fileobj)
        if until in ready:
            return True
    return True
