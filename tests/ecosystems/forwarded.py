"""The variables and files of a sandbox, and its forwarder, for clients that run on the host."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.network.network import Attachment
from pytest_benchmac.sandbox import base
from tests.network.tiny import eventually

FORWARDER = Path(base.__file__).with_name("forwarder.pl")


@contextlib.contextmanager
def environment(attachment: Attachment, home: Path) -> Iterator[dict[str, str]]:
    """A sandbox's variables and its forwarder, on the host."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        ["perl", FORWARDER, str(attachment.sandbox.socket), str(port)], stdin=subprocess.DEVNULL
    )

    def listening() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    try:
        assert eventually(listening)
        env = {
            name: value.replace(f":{base.PROXY_PORT}", f":{port}").replace(
                str(base.CA_BUNDLE), str(attachment.sandbox.ca_bundle)
            )
            for name, value in attachment.sandbox.env.items()
        }
        # A failing test shall not wait for npm's patience.
        patience = {"npm_config_fetch_retries": "0"}
        for name, content in attachment.sandbox.home_files.items():
            file = home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.replace(b":%d" % base.PROXY_PORT, b":%d" % port))
        yield {"PATH": os.environ["PATH"], "HOME": str(home), **patience, **env}
    finally:
        process.terminate()
        process.wait()


def run(command: list[str], env: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which(command[0])
    if found is None:
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(
        [found, *command[1:]],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
