"""What a sandbox may reach: `proxied`, `offline` or `open`.

```python
with Network("proxied", settings.cache) as network:
    with network.attach("case", instance.http_fixtures, instance.directory) as attachment:
        sandbox = engine.sandbox(image, limits=limits, network=attachment.sandbox, label="case")
        ...
        attachment.report()
```

One `Network` per harness process. Its proxy is a process of its own, started by the first
`attach`, and gone with the harness however that ends.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self
from urllib.parse import urlsplit

from pytest_benchmac.errors import InstanceError, NetworkError
from pytest_benchmac.model import HostAccess, HttpFixture, Origin
from pytest_benchmac.network.access import NetworkReport, merge_hosts
from pytest_benchmac.network.registry import (
    DEFAULT_PORTS,
    Registry,
    configured_registry,
    origin,
)
from pytest_benchmac.sandbox.base import CA_BUNDLE, PROXY_PORT, NetworkAttachment
from pytest_benchmac.settings import NetworkName

__all__ = ["Attachment", "HostAccess", "Network", "NetworkReport", "Origin", "merge_hosts"]

_PREFIX = "benchmac-net-"
#: A socket's path has at most 107 bytes, of which our own folders take some forty.
_MAX_TEMPORARY = 64
_START_TIMEOUT_S = 120.0
_ANSWER_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 5.0

#: npm's own calls home, which are no part of an install.
_QUIET_NPM = {
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
}
#: Every variable by which the usual tools of a sandbox take a whole bundle of certificates.
_CA_VARIABLES = (
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "npm_config_cafile",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
)


class Network:
    """The network policy of one harness process. A context manager; leaving it stops the proxy.

    Args:
        policy: `proxied`, `offline` or `open`.
        cache: folder for registry answers; shared by processes and runs.
        registry: URL of the npm registry that sandboxes may read; None asks this machine's
            configuration (NPM_CONFIG_REGISTRY, then `npm config get registry`).
    """

    def __init__(self, policy: NetworkName, cache: Path, *, registry: str | None = None) -> None:
        self.policy: NetworkName = policy
        self._cache = cache / "http"
        self._registry = Registry.parse(registry) if registry else None
        self._proxy: _Proxy | None = None
        self._attached = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the proxy, and with it every attachment."""
        with self._lock:
            if self._proxy is not None:
                self._proxy.stop()
                self._proxy = None

    @property
    def registry(self) -> Registry:
        """The npm registry that sandboxes may read.

        Raises:
            NetworkError: none is configured.
        """
        with self._lock:
            if self._registry is None:
                self._registry = configured_registry(os.environ)
            return self._registry

    def attach(
        self, label: str, fixtures: Sequence[HttpFixture] = (), directory: Path | None = None
    ) -> Attachment:
        """The network of one sandbox; a context manager, with the sandbox inside.

        Args:
            label: names the case in messages.
            fixtures: answers that this sandbox gets instead of the real hosts'.
            directory: folder that `body_file` of the fixtures is relative to.

        Raises:
            NetworkError: the proxy cannot be started, or no registry is configured.
            InstanceError: a fixture's file cannot be read.
        """
        if self.policy == "open":
            return Attachment(label, _open_attachment(os.environ), _registries(os.environ))
        messages = [_fixture_message(each, directory) for each in fixtures]
        registry = self.registry
        with self._lock:
            if self._proxy is None or not self._proxy.alive:
                if self._proxy is not None:
                    self._proxy.stop()
                self._proxy = _Proxy(self.policy, registry, self._cache)
            proxy = self._proxy
            self._attached += 1
            number = self._attached
        reply = proxy.ask({"op": "attach", "case": number, "fixtures": messages})
        attachment = NetworkAttachment(
            policy=self.policy,
            socket=Path(reply["socket"]),
            ca_bundle=proxy.ca,
            env=_proxy_env(registry),
        )
        names = (attachment.env["npm_config_registry"], registry.url)
        return Attachment(label, attachment, names, proxy, number)


@dataclass
class Attachment:
    """One sandbox's network. Leaving it disconnects the sandbox; reports can still be read."""

    label: str
    #: What the sandbox is to be started with.
    sandbox: NetworkAttachment
    #: URLs, each with a slash at its end, that package managers inside may know the registry by.
    registries: tuple[str, ...] = ()
    _proxy: _Proxy | None = None
    _number: int = 0
    _final: NetworkReport | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect the sandbox.

        Raises:
            NetworkError: the proxy is gone, and with it what the sandbox asked for.
        """
        if self._final is None:
            self._final = self._ask("detach")

    def report(self) -> NetworkReport:
        """What the sandbox asked for until now; empty for `open`, which is not watched.

        Raises:
            NetworkError: the proxy is gone.
        """
        return self._final or self._ask("report")

    def log(self) -> tuple[HostAccess, ...]:
        """Every host that the sandbox asked for."""
        return self.report().hosts

    def misses(self) -> tuple[str, ...]:
        """URLs that `offline` had nothing stored for."""
        return self.report().misses

    def upstream_failures(self) -> tuple[str, ...]:
        """What failed between proxy and registry; not the fault of what runs in the sandbox."""
        return self.report().failures

    def _ask(self, operation: str) -> NetworkReport:
        if self._proxy is None:
            return NetworkReport()
        reply = self._proxy.ask({"op": operation, "case": self._number})
        return NetworkReport.model_validate(reply["report"])


class _Proxy:
    """The proxy process, seen from the harness."""

    def __init__(self, policy: str, registry: Registry, cache: Path) -> None:
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
                [sys.executable, "-P", "-m", "pytest_benchmac.network.proxy"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                # Threads that parse large metadata would each keep memory for the next time.
                env={**os.environ, "PYTHONPATH": path, "MALLOC_ARENA_MAX": "2"},
                pass_fds=[lock.fileno()],
                start_new_session=True,
            )
        try:
            reply = self.ask(
                {
                    "policy": policy,
                    "registry": registry.url,
                    "cache": str(cache),
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


def _registries(env: Mapping[str, str]) -> tuple[str, ...]:
    """The machine's own registry; nothing where no npm and no variable name one."""
    try:
        return (configured_registry(env).url,)
    except NetworkError:
        return ()


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


def _fixture_message(fixture: HttpFixture, directory: Path | None) -> dict[str, Any]:
    body = _body_file(fixture, directory) if fixture.body is None else fixture.body.encode()
    parts = urlsplit(fixture.url)
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return {
        "url": origin(parts.scheme, (parts.hostname or "").lower(), port) + parts.path,
        "status": fixture.status,
        "content_type": fixture.content_type,
        "body": base64.b64encode(body).decode(),
    }


def _body_file(fixture: HttpFixture, directory: Path | None) -> bytes:
    if directory is None or fixture.body_file is None:
        raise InstanceError(
            f"`body_file` {fixture.body_file!r} has no folder to be relative to", where=fixture.url
        )
    path = (directory / fixture.body_file).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise InstanceError(
            f"`body_file` of {fixture.url} leaves the instance's folder", where=path
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise InstanceError(
            f"`body_file` of {fixture.url} cannot be read: {error.strerror}",
            where=path,
            remedy="Add the file, or correct `http_fixtures` in instance.toml.",
        ) from error


def _proxy_env(registry: Registry) -> dict[str, str]:
    proxy = f"http://127.0.0.1:{PROXY_PORT}"
    # A registry on the host's own loopback is reached through the proxy like any other.
    loopback = ",".join(n for n in ("127.0.0.1", "localhost", "::1") if n != registry.host)
    return {
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), loopback),
        **dict.fromkeys(_CA_VARIABLES, str(CA_BUNDLE)),
        # The proxy itself, which answers for the registry: see `proxy.PolicyAddon`.
        "npm_config_registry": f"{proxy}{registry.path}",
        **_QUIET_NPM,
    }


def _open_attachment(env: Mapping[str, str]) -> NetworkAttachment:
    """The engine's ordinary network, with the host's certificates, proxies and registry.

    User names and passwords in proxy or registry URLs stay outside.
    """
    passed = dict(_QUIET_NPM)
    bundle: Path | None = None
    if whole := env.get("SSL_CERT_FILE"):
        bundle = Path(whole)
        passed |= dict.fromkeys(_CA_VARIABLES, str(CA_BUNDLE))
    elif extra := env.get("NODE_EXTRA_CA_CERTS"):
        # Not a whole bundle: as SSL_CERT_FILE it would replace all public authorities.
        bundle = Path(extra)
        passed["NODE_EXTRA_CA_CERTS"] = str(CA_BUNDLE)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        if url := env.get(name):
            parts = urlsplit(url)
            passed[name] = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    for name in ("NO_PROXY", "no_proxy"):
        if hosts := env.get(name):
            passed[name] = hosts
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        if url := env.get(name):
            passed["npm_config_registry"] = Registry.parse(url).url
            break
    return NetworkAttachment(policy="open", ca_bundle=bundle, env=passed)
