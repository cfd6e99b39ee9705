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

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pytest_benchmac.ecosystems.npm.registry import Registry, configured_registry
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.model.evaluation import HostAccess, Origin
from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.model.settings import NetworkName
from pytest_benchmac.network.access import NetworkReport, merge_hosts
from pytest_benchmac.network.fixtures import fixture_message
from pytest_benchmac.network.proxy_process import Proxy
from pytest_benchmac.network.variables import open_attachment, proxy_env
from pytest_benchmac.sandbox.base import NetworkAttachment

__all__ = ["Attachment", "HostAccess", "Network", "NetworkReport", "Origin", "merge_hosts"]


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
        self._proxy: Proxy | None = None
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
            return Attachment(label, open_attachment(os.environ), _registries(os.environ))
        messages = [fixture_message(each, directory) for each in fixtures]
        registry = self.registry
        with self._lock:
            if self._proxy is None or not self._proxy.alive:
                if self._proxy is not None:
                    self._proxy.stop()
                self._proxy = Proxy(self.policy, registry, self._cache)
            proxy = self._proxy
            self._attached += 1
            number = self._attached
        reply = proxy.ask({"op": "attach", "case": number, "fixtures": messages})
        attachment = NetworkAttachment(
            policy=self.policy,
            socket=Path(reply["socket"]),
            ca_bundle=proxy.ca,
            env=proxy_env(registry),
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
    _proxy: Proxy | None = None
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


def _registries(env: Mapping[str, str]) -> tuple[str, ...]:
    """The machine's own registry; nothing where no npm and no variable name one."""
    try:
        return (configured_registry(env).url,)
    except NetworkError:
        return ()
