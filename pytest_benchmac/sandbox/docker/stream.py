"""The output of a command in a container, as it comes."""

from __future__ import annotations

import socket
import struct
import time
from typing import Any, Protocol, Self

from pytest_benchmac.sandbox.docker.client import API_TIMEOUT_S, engine_errors
from pytest_benchmac.sandbox.output import Output


class Streams(Protocol):
    """Takes both streams of a command."""

    def stdout(self, data: bytes) -> None:
        """Take a piece of standard output."""
        ...

    def stderr(self, data: bytes) -> None:
        """Take a piece of standard error."""
        ...


class CollectedOutput:
    """What a script of the harness printed; never much."""

    def __init__(self) -> None:
        self.text = b""

    def stdout(self, data: bytes) -> None:
        """Take a piece of standard output."""
        self.text += data

    def stderr(self, data: bytes) -> None:
        """Say nothing of errors: the exit code does."""


class ExecStream:
    """The attached streams of one exec: frames of (stream, length, bytes), read with a timeout.

    Read here and not by the SDK's generator, which has no timeout.
    """

    _HEADER = struct.Struct(">BxxxL")

    def __init__(self, attached: Any) -> None:
        self._attached = attached
        # The SDK wraps the sockets of Unix and TCP engines, but not those of TLS.
        self._socket: socket.socket = getattr(attached, "_sock", attached)
        self._pending = b""
        self._stream = 0
        self._left = 0
        self.ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._attached.close()

    def send(self, data: bytes, timeout_s: float = API_TIMEOUT_S) -> None:
        """Write to the command's standard input."""
        self._socket.settimeout(timeout_s)
        self._socket.sendall(data)

    def pump(self, output: Streams, timeout_s: float) -> None:
        """Pass on what arrives; wait for at most `timeout_s` seconds for something to."""
        self._socket.settimeout(max(timeout_s, 0.001))
        try:
            data = self._socket.recv(256 * 1024)
        except TimeoutError:
            return
        if not data:
            self.ended = True
            return
        data = self._pending + data
        position = 0
        while position < len(data):
            if self._left == 0:
                if len(data) - position < self._HEADER.size:
                    break
                self._stream, self._left = self._HEADER.unpack_from(data, position)
                position += self._HEADER.size
                continue
            piece = data[position : position + self._left]
            (output.stderr if self._stream == 2 else output.stdout)(piece)
            position += len(piece)
            self._left -= len(piece)
        self._pending = data[position:]


class ExecConversation:
    """Talks to a command in a container; see `base.Conversation`.

    Args:
        stream: of a command that talks.
        output: takes its standard error.
        what: it is, for errors.

    Raises:
        SandboxError: the engine failed.
    """

    def __init__(self, stream: ExecStream, output: Output, what: str) -> None:
        self._stream = stream
        self._output = output
        self._what = what
        self._arrived: list[bytes] = []

    def send(self, data: bytes, timeout_s: float) -> bool:
        """Write to its standard input."""
        try:
            self._stream.send(data, timeout_s)
        except (TimeoutError, BrokenPipeError, ConnectionResetError):
            return False
        return True

    def receive(self, timeout_s: float) -> bytes | None:
        """Wait for what it writes."""
        deadline = time.monotonic() + timeout_s
        while not self._arrived:
            if self._stream.ended:
                return None
            if (left := deadline - time.monotonic()) <= 0:
                return b""
            with engine_errors(self._what):
                self._stream.pump(self, left)
        data = b"".join(self._arrived)
        self._arrived.clear()
        return data

    def stdout(self, data: bytes) -> None:
        """Keep a piece of standard output."""
        self._arrived.append(data)

    def stderr(self, data: bytes) -> None:
        """Log a piece of standard error."""
        self._output.stderr(data)
