"""The proxy process, seen from the harness."""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from pytest_benchmac.model.errors import NetworkError

_PREFIX = "benchmac-net-"
#: A socket's path has at most 107 bytes, of which our own folders take some forty.
_MAX_TEMPORARY = 64
_START_TIMEOUT_S = 120.0
_ANSWER_TIMEOUT_S = 60.0
#: Of one read or write, and bytes of one read.
_REQUEST_TIMEOUT_S, _READ_BYTES = 120.0, 1 << 18
#: glibc's: threads that parse large metadata would each keep memory for the next time, and what
#: held a body would stay with the process in pieces.
_MEMORY = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "262144"}
_STOP_TIMEOUT_S = 5.0


class Proxy:
    """The proxy process, seen from the harness."""

    def __init__(self, policy: str, cache: Path, max_cache_bytes: int | None = None) -> None:
        _remove_leftovers()
        self._directory, lock = _private_directory()
        self._log = self._directory / "proxy.log"
        self._lock = threading.Lock()
        package_root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
        with lock, self._log.open("wb") as log:
            # Not in the foreground's process group: Ctrl-C is the harness's, which still has
            # sandboxes to end. -P: modules of the current folder are not the proxy's.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pytest_benchmac.network.proxy.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "PYTHONPATH": path, **_MEMORY},
                pass_fds=[lock.fileno()],
                start_new_session=True,
            )
        try:
            reply = self.ask(
                {
                    "policy": policy,
                    "cache": str(cache),
                    "max_cache_bytes": max_cache_bytes,
                    "directory": str(self._directory),
                    "parent": os.getpid(),
                },
                timeout_s=_START_TIMEOUT_S,
            )
        except NetworkError:
            self.stop()
            raise
        self.ca = Path(reply["ca"])

    @property
    def alive(self) -> bool:
        """Is the process running?"""
        return self._process.poll() is None

    def ask(
        self, message: Mapping[str, Any], timeout_s: float = _ANSWER_TIMEOUT_S
    ) -> dict[str, Any]:
        """Send one message and wait for its answer. Raises NetworkError."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise NetworkError("the proxy has no pipes")
        with self._lock:
            try:
                stdin.write(json.dumps(message).encode() + b"\n")
                stdin.flush()
            except (OSError, ValueError) as error:
                raise self._failed("the proxy is gone") from error
            waiting = select.poll()
            waiting.register(stdout, select.POLLIN)
            if not waiting.poll(timeout_s * 1000):
                raise self._failed(f"the proxy did not answer within {timeout_s:.0f} s")
            line = stdout.readline()
        if not line:
            raise self._failed("the proxy ended")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise NetworkError(f"the proxy cannot start: {reply['error']}")
        return reply

    def stop(self) -> None:
        """End the process and remove its folder."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # What a killed process did not take any more is written once more here.
                with suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _failed(self, what: str) -> NetworkError:
        self._process.kill()
        self._process.wait()
        try:
            tail = self._log.read_text(errors="replace").strip().splitlines()[-5:]
        except OSError:
            tail = []
        return NetworkError("\n  ".join([what + (":" if tail else ""), *tail]))


def ask_through(sock: Path, url: str) -> int:
    """Send a GET through a case's socket, and read the answer; its HTTP status.

    Args:
        sock: the Unix socket.
        url: of the proxy's own address.

    Raises:
        NetworkError: there is no whole answer.
    """
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=_REQUEST_TIMEOUT_S)
    try:
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(_REQUEST_TIMEOUT_S)
        connection.sock.connect(str(sock))
        connection.request("GET", parts.path)
        response = connection.getresponse()
        while response.read(_READ_BYTES):
            pass
    except (OSError, http.client.HTTPException) as error:
        raise NetworkError(f"{url} is not answered: {error}") from error
    finally:
        connection.close()
    return response.status


def _private_directory() -> tuple[Path, IO[bytes]]:
    """A new folder for a proxy, and the lock that marks it as in use while a process holds it."""
    parent = tempfile.gettempdir()
    if len(parent) > _MAX_TEMPORARY:
        raise NetworkError(
            f"the folder for temporary files is too deep for a Unix socket: {parent}",
            remedy=f"Set TMPDIR to a path of at most {_MAX_TEMPORARY} characters.",
        )
    new = Path(tempfile.mkdtemp(prefix="new-" + _PREFIX, dir=parent))
    lock = (new / "lock").open("wb")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return new.rename(new.with_name(new.name.removeprefix("new-"))), lock


def _remove_leftovers() -> None:
    """Remove the folders of proxies that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            with (folder / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            # In use, someone else's, or being removed by another process.
            continue
