"""The output of a command in a container, as it comes."""

from __future__ import annotations

import socket
import struct
from typing import Any, Self

from pytest_benchmac.sandbox.docker.client import API_TIMEOUT_S
from pytest_benchmac.sandbox.output import Output


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

    def send(self, data: bytes) -> None:
        """Write to the command's standard input."""
        self._socket.settimeout(API_TIMEOUT_S)
        self._socket.sendall(data)

    def pump(self, output: Output | CollectedOutput, timeout_s: float) -> None:
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
