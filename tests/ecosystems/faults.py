"""Registries that fail in each way there is, and the real tools that meet them.

`python -m tests.ecosystems.faults` captures what the tools print, as `<ecosystem>/outputs/`.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.pypi.ecosystem import pypi
from tests.network.tiny import REGISTRY_HOST, make_tarball, sri

HERE = Path(__file__).parent
#: What a server can do to an answer.
SERVED = ("status_503", "status_429", "timeout", "reset", "closed", "truncated", "corrupt")
#: No server is there at all.
UNREACHED = ("refused", "dns")
#: The machine fails, not the registry.
LOCAL = ("disk_full", "memory")
FAULTS = (*SERVED, *UNREACHED, *LOCAL)
PATIENCE_S = 60
#: Maven itself, not the wrapper that knows Debian's repository.
MVN = "/usr/share/maven/bin/mvn"


@dataclass
class FaultyRegistry:
    """What it publishes by path, which paths it fails at, and how."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    fault: str = ""
    #: Paths that have a fault; the others are answered.
    at: Callable[[str], bool] = lambda _: True
    #: How many requests there were.
    asked: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)


def _handler(registry: FaultyRegistry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            return

        def do_GET(self) -> None:
            path = self.path.partition("?")[0].lstrip("/")
            registry.asked += 1
            body = registry.files.get(path)
            fault = registry.fault if registry.at(path) else ""
            if fault.startswith("status_"):
                return self.answer(int(fault.removeprefix("status_")), b"unavailable")
            if fault == "timeout":
                registry.stopped.wait(PATIENCE_S)
            if fault in {"timeout", "closed", "reset"}:
                if fault == "reset":
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True
                # Only the last reference closes it, and with it what was read is reset.
                self.rfile.close()
                return self.connection.close()
            if body is None:
                return self.answer(404, b"{}")
            if fault == "corrupt":
                # As many bytes, of which the last are others.
                body = body[:-64] + bytes(each ^ 0x15 for each in body[-64:])
            return self.answer(200, body, cut=fault == "truncated")

        def answer(self, status: int, body: bytes, *, cut: bool = False) -> None:
            self.send_response(status)
            simple = "application/vnd.pypi.simple.v1+json"
            self.send_header("content-type", simple if self.path.endswith("/") else "text/plain")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if cut else body)
            self.close_connection = cut

        def finish(self) -> None:
            if not self.wfile.closed and self.connection.fileno() >= 0:
                super().finish()

    return Handler


@contextmanager
def serving_faults(tool: Tool, fault: str = "") -> Iterator[FaultyRegistry]:
    """A registry with what the tool wants, which has a fault."""
    registry = FaultyRegistry(fault=fault)
    with ThreadingHTTPServer((REGISTRY_HOST, 0), _handler(registry)) as server:
        server.daemon_threads = True
        # A client that was reset is none of the test's.
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        registry.url = f"http://{REGISTRY_HOST}:{server.server_port}/"
        registry.files = tool.publish(registry.url)
        if fault in tool.of_files:
            registry.at = tool.is_file
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield registry
        finally:
            registry.stopped.set()
            server.shutdown()


@dataclass(frozen=True)
class Tool:
    """A package manager that asks a registry for one package of a megabyte."""

    ecosystem: Ecosystem
    program: str
    #: By path: all that the registry at this address has.
    publish: Callable[[str], dict[str, bytes]]
    is_file: Callable[[str], bool]
    #: Prepares the folder; what to run there.
    command: Callable[[Path], list[str]]
    #: Variables that make it ask the registry at an address, through no proxy.
    direct: Callable[[str, Path], dict[str, str]]
    #: Its address space, in bytes, that is too small.
    too_small: int
    #: Faults of files alone; for the others, metadata is asked for first.
    of_files: frozenset[str] = frozenset({"truncated", "corrupt"})

    @property
    def faults(self) -> tuple[str, ...]:
        """Those that it tells of: after 429, Maven waits for five minutes."""
        maven = self.ecosystem.name == "maven"
        return tuple(each for each in FAULTS if not (maven and each == "status_429"))

    @property
    def outputs(self) -> Path:
        return HERE / self.ecosystem.name / "outputs"


def _npm_files(url: str) -> dict[str, bytes]:
    content = make_tarball("left", "1.0.0", {"big": os.urandom(1 << 20)})
    dist = {"integrity": sri(content), "tarball": f"{url}left/-/left-1.0.0.tgz"}
    version = {"name": "left", "version": "1.0.0", "dist": dist}
    package = {"name": "left", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    return {
        "left": json.dumps(package).encode(),
        "left/1.0.0": json.dumps(version).encode(),
        "left/-/left-1.0.0.tgz": content,
        "npm/latest": b"{}",
    }


def _npm_command(folder: Path) -> list[str]:
    (folder / "package.json").write_text(
        json.dumps({"name": "app", "version": "1.0.0", "dependencies": {"left": "1.0.0"}})
    )
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--no-progress", "--logs-max=0"]
    patience = ["--fetch-retries=0", "--fetch-timeout=2000"]
    return ["npm", "install", f"--cache={folder}/cache", *quiet, *patience]


POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>org.example</groupId><artifactId>left</artifactId><version>1.0.0</version>
    <relativePath/></parent>
  <artifactId>app</artifactId>
</project>
"""
_LEFT = "org/example/left/1.0.0/left-1.0.0.pom"


def _maven_files(_: str) -> dict[str, bytes]:
    pom = (
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        "<artifactId>left</artifactId><version>1.0.0</version><packaging>pom</packaging>"
        f"<description>{os.urandom(1 << 19).hex()}</description></project>"
    ).encode()
    return {
        _LEFT: pom,
        f"{_LEFT}.sha1": hashlib.sha1(pom).hexdigest().encode(),
        maven_central.probe_path: b"<metadata/>",
    }


def _maven_command(folder: Path) -> list[str]:
    (folder / "pom.xml").write_text(POM)
    options = ["--batch-mode", "--no-transfer-progress", "--strict-checksums"]
    http = "-Dmaven.wagon.http"
    patience = ["-Dmaven.wagon.rto=2000", f"{http}.retryHandler.count=0"]
    return [MVN, *options, *patience, f"-Dmaven.repo.local={folder}/repository", "validate"]


def _maven_direct(url: str, folder: Path) -> dict[str, str]:
    for name, content in maven_central.open({"MAVEN_MIRROR_URL": url}, "").home_files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return {"MAVEN_OPTS": f"-Duser.home={folder}"}


def _pypi_files(_: str) -> dict[str, bytes]:
    packed, about = io.BytesIO(), "left-1.0.0.dist-info"
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("left/big", os.urandom(1 << 20))
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: left\nVersion: 1.0.0\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    content, filename = packed.getvalue(), "left-1.0.0-py3-none-any.whl"
    file = {
        "filename": filename,
        "url": f"/files/{filename}",
        "hashes": {"sha256": hashlib.sha256(content).hexdigest()},
    }
    index = {"meta": {"api-version": "1.0"}, "name": "left", "files": [file]}
    return {"left/": json.dumps(index).encode(), f"files/{filename}": content, "pip/": b"{}"}


def _pypi_command(folder: Path) -> list[str]:
    quiet = ["--disable-pip-version-check", "--no-cache-dir", "--progress-bar=off", "--timeout=2"]
    quiet.append("--trusted-host=registry.invalid")
    return [sys.executable, "-m", "pip", "install", *quiet, f"--target={folder}/lib", "left==1.0.0"]


TOOLS = {
    "npm": Tool(
        npm, "npm", _npm_files, lambda path: path.endswith(".tgz"), _npm_command,
        lambda url, _: {"npm_config_registry": url}, 700_000_000,
    ),
    "maven": Tool(
        maven_central, MVN, _maven_files,
        lambda path: path.endswith(".pom"), _maven_command, _maven_direct, 400_000_000,
    ),
    "pypi": Tool(
        pypi, sys.executable, _pypi_files, lambda path: path.endswith(".whl"), _pypi_command,
        lambda url, _: {"PIP_INDEX_URL": url, "PIP_RETRIES": "1", "PIP_CONFIG_FILE": os.devnull},
        40_000_000,
        # Of a page that is answered so, pip says nothing but that there is no such package.
        frozenset({"truncated", "corrupt", "status_503", "status_429"}),
    ),
}  # fmt: skip


def run_tool(tool: Tool, folder: Path, env: Mapping[str, str], fault: str = "") -> tuple[int, str]:
    """The exit code, and all that it prints."""
    command = tool.command(folder)
    if fault == "memory":
        command = ["prlimit", f"--as={tool.too_small}", *command]
    inside = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), **env}
    for name in ("JAVA_HOME", "LD_LIBRARY_PATH"):
        if name in os.environ:
            inside[name] = os.environ[name]
    done = subprocess.run(
        command, cwd=folder, env=inside, timeout=PATIENCE_S,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(errors="replace")


def meet(tool: Tool, fault: str, folder: Path) -> tuple[int, str]:
    """What the tool says of a fault when nothing is between it and its registry."""
    with serving_faults(tool, fault if fault in SERVED else "") as registry:
        url = registry.url
        if fault == "dns":
            url = "http://registry.invalid/"
        if fault == "refused":
            with socket.create_server((REGISTRY_HOST, 0)) as free:
                url = f"http://{REGISTRY_HOST}:{free.getsockname()[1]}/"
        with _disk(folder, full=fault == "disk_full") as inside:
            return run_tool(tool, inside, tool.direct(url, inside), fault)


@contextmanager
def _disk(folder: Path, *, full: bool) -> Iterator[Path]:
    """The folder itself, or a file system in it that has no room for a package."""
    if not full:
        yield folder
        return
    with small_disk(folder / "small", "96k"):
        yield folder / "small"


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A new folder that is a file system of this size."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder]
    if subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("this machine does not let root mount a tmpfs")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def without_places(text: str, *folders: Path) -> str:
    """An output without this machine's paths, host names, ports, times and colours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for each in (*folders, Path(sys.prefix), Path(sys.base_prefix), HERE.parents[1]):
        text = text.replace(str(each), "/folder")
    text = re.sub(
        r"(localhost|127\.0\.0\.1|\[?::1\]?)([:/])\d{4,5}", r"registry.invalid\g<2>80", text
    )
    text = text.replace("localhost", "registry.invalid").replace("127.0.0.1", "192.0.2.1")
    text = re.sub(r"\d{4}-\d\d-\d\d[T_][\d_:.+-]+Z?(-debug-\d+\.log)?", "<time>", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x0", text)
    text = re.sub(r"(pid|PID)[ =]\d+|hs_err_pid\d+", "pid 1", text)
    text = re.sub(r"port(: |=)\d+", r"port\g<1>80", text)
    trace = re.compile(r"\s{2,}((at|File) \S|\^+$|from \S+ import|import )")
    lines = (line.rstrip() for line in text.splitlines() if not trace.search(line))
    # Repeated lines say nothing new.
    return "".join(f"{line}\n" for line, _ in itertools.groupby(lines))


def capture(names: Sequence[str]) -> None:
    """Write what these tools say of every fault."""
    for tool in map(TOOLS.__getitem__, names):
        tool.outputs.mkdir(exist_ok=True)
        if shutil.which(tool.program) is None:
            sys.exit(f"{tool.program} is not installed")
        for fault in tool.faults:
            with tempfile.TemporaryDirectory(prefix="fault-") as name:
                folder = Path(name)
                code, text = meet(tool, fault, folder)
                if code == 0:
                    sys.exit(f"{tool.program} gets along with {fault}")
                (tool.outputs / f"{fault}.txt").write_text(without_places(text, folder))


if __name__ == "__main__":
    capture(sys.argv[1:] or list(TOOLS))
