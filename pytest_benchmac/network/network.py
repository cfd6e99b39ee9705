"""What a sandbox may reach: `proxied`, `offline` or `open`.

```python
with Network("proxied", settings.cache) as network:
    with network.attach("case", fixtures, folder, ecosystems) as attachment:
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pytest_benchmac.ecosystems.address import Registry
from pytest_benchmac.ecosystems.base import Ecosystem, Setup
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.model.evaluation import HostAccess, Origin
from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.model.settings import NetworkName, Settings
from pytest_benchmac.network.access import NetworkReport, merge_hosts
from pytest_benchmac.network.fixtures import fixture_message
from pytest_benchmac.network.proxy_process import Proxy, ask_through
from pytest_benchmac.network.variables import PROXY_URL, open_attachment, proxied_setup
from pytest_benchmac.sandbox.base import CA_BUNDLE, NetworkAttachment

__all__ = ["Attachment", "HostAccess", "Network", "NetworkReport", "Origin", "merge_hosts"]


class Network:
    """The network policy of one harness process. A context manager; leaving it stops the proxy.

    Args:
        policy: `proxied`, `offline` or `open`.
        cache: folder for registry answers; shared by processes and runs.
        max_cache_bytes: bound on that folder; None for none.
        registries: URLs of registries that sandboxes may read, by ecosystem; for others this
            machine's configuration is asked.
    """

    def __init__(
        self,
        policy: NetworkName,
        cache: Path,
        *,
        max_cache_bytes: int | None = None,
        registries: Mapping[str, str] | None = None,
    ) -> None:
        self.policy: NetworkName = policy
        self._cache, self._max_cache_bytes = cache / "http", max_cache_bytes
        self._registries = {name: Registry.parse(url) for name, url in (registries or {}).items()}
        self._proxy: Proxy | None = None
        self._attached = 0
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The network that a run's settings ask for."""
        return cls(settings.network, settings.cache, max_cache_bytes=settings.cache_bytes)

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

    def registry(self, ecosystem: Ecosystem) -> str:
        """URL of the registry that sandboxes may read, with a slash at its end.

        Raises:
            NetworkError: none is configured.
        """
        return self._configured(ecosystem).url

    def outage(self, ecosystems: Sequence[Ecosystem], output: str) -> str:
        """Why a failed command is no submission's fault under `open`, which is not watched.

        Args:
            ecosystems: whose tools may have written the output.
            output: of the command.

        Returns:
            A sentence where the output blames a registry that does not answer the harness now
            either; else nothing, whatever a patch may have printed.
        """
        for each in ecosystems:
            if line := each.network_failure(output):
                with suppress(NetworkError):
                    registry = self._configured(each)
                    try:
                        each.probe(registry)
                    except NetworkError as error:
                        return f"{line}: {error.what}"
        return ""

    def _configured(self, ecosystem: Ecosystem) -> Registry:
        with self._lock:
            if ecosystem.name not in self._registries:
                self._registries[ecosystem.name] = ecosystem.registry(os.environ)
            return self._registries[ecosystem.name]

    def attach(
        self,
        label: str,
        fixtures: Sequence[HttpFixture] = (),
        directory: Path | None = None,
        ecosystems: Sequence[Ecosystem] = (),
    ) -> Attachment:
        """The network of one sandbox; a context manager, with the sandbox inside.

        Args:
            label: names the case in messages.
            fixtures: answers that this sandbox gets instead of the real hosts'.
            directory: folder that `body_file` of the fixtures is relative to.
            ecosystems: those whose registries it may read.

        Raises:
            NetworkError: the proxy cannot be started, or no registry is configured.
            InstanceError: a fixture's file cannot be read.
        """
        if self.policy == "open":
            attachment = open_attachment(os.environ, ecosystems)
            return Attachment(label, attachment, tuple(self._known(ecosystems)))
        messages = [fixture_message(each, directory) for each in fixtures]
        told: list[dict[str, str]] = []
        setups: list[Setup] = []
        names: dict[str, str] = {}
        hosts: list[str] = []
        for each in ecosystems:
            registry, trouble = self._served(each)
            address = PROXY_URL + each.mount(registry)
            setups.append(each.proxied(address, str(CA_BUNDLE)))
            told.append({"ecosystem": each.name, "url": registry.url, "trouble": trouble})
            names[registry.url] = address
            hosts.append(registry.host)
        with self._lock:
            if self._proxy is None or not self._proxy.alive:
                if self._proxy is not None:
                    self._proxy.stop()
                self._proxy = Proxy(self.policy, self._cache, self._max_cache_bytes)
            proxy = self._proxy
            self._attached += 1
            number = self._attached
        reply = proxy.ask(
            {"op": "attach", "case": number, "fixtures": messages, "registries": told}
        )
        setup = proxied_setup(setups, hosts)
        pairs = tuple(each for url, address in names.items() for each in (address, url))
        attachment = NetworkAttachment(
            policy=self.policy,
            socket=Path(reply["socket"]),
            ca_bundle=proxy.ca,
            env=setup.env,
            home_files=setup.home_files,
        )
        return Attachment(label, attachment, pairs, names, proxy, number)

    def _served(self, ecosystem: Ecosystem) -> tuple[Registry, str]:
        """The registry of an ecosystem that can do without one may have the trouble to be none."""
        try:
            return self._configured(ecosystem), ""
        except NetworkError as error:
            if ecosystem.required:
                raise
            return Registry.parse(f"http://{ecosystem.name}.invalid/"), str(error)

    def _known(self, ecosystems: Sequence[Ecosystem]) -> Iterator[str]:
        """URLs of the machine's own registries, where it names them."""
        for each in ecosystems:
            with suppress(NetworkError):
                yield self.registry(each)


@dataclass
class Attachment:
    """One sandbox's network. Leaving it disconnects the sandbox; reports can still be read."""

    label: str
    #: What the sandbox is to be started with.
    sandbox: NetworkAttachment
    #: URLs, each with a slash at its end, that package managers inside may know the registry by.
    registries: tuple[str, ...] = ()
    #: By a registry's own URL, the one that stands for it inside.
    addresses: Mapping[str, str] = field(default_factory=dict)
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
            # Of a proxy that is gone there is no report, now and later.
            self._final = NetworkReport()
            self._final = self._ask("detach")

    def report(self) -> NetworkReport:
        """What the sandbox asked for until now; empty for `open`, which is not watched.

        Raises:
            NetworkError: the proxy is gone.
        """
        return self._final or self._ask("report")

    def ask(self, url: str) -> int:
        """Ask for a URL of a registry as the sandbox would; the answer's HTTP status.

        Raises:
            NetworkError: no registry here has it, or the proxy does not answer.
        """
        registry = max((each for each in self.addresses if url.startswith(each)), default="")
        if not registry or self.sandbox.socket is None:
            raise NetworkError(f"{url} is of no registry that {self.label} may read")
        inside = self.addresses[registry] + url.removeprefix(registry)
        return ask_through(self.sandbox.socket, inside)

    def _ask(self, operation: str) -> NetworkReport:
        if self._proxy is None:
            return NetworkReport()
        reply = self._proxy.ask({"op": operation, "case": self._number})
        return NetworkReport.model_validate(reply["report"])
