"""What a case asked for: the part of its record that the network writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pytest_benchmac.model.base import Model
from pytest_benchmac.model.evaluation import HostAccess, Origin

#: Distinct hosts, misses and failures kept per case; a hostile case can ask for any number.
MAX_ENTRIES = 256
_MAX_ENTRY = 1000
#: Stands for every further host, once `MAX_ENTRIES` are kept.
OTHER_HOSTS = "(other hosts)"


class NetworkReport(Model):
    """Everything that a case asked its network for, so far."""

    hosts: tuple[HostAccess, ...] = ()
    #: URLs that `offline` had nothing stored for.
    misses: tuple[str, ...] = ()
    #: One sentence per URL that the registry, or the way to it, failed for.
    failures: tuple[str, ...] = ()
    #: Those URLs.
    failed_urls: tuple[str, ...] = ()


def merge_hosts(reports: Iterable[NetworkReport]) -> tuple[HostAccess, ...]:
    """The hosts of several sandboxes of one case, their requests added up."""
    merged: dict[tuple[str, int, bool], Counter[Origin]] = {}
    for host in (host for report in reports for host in report.hosts):
        key = (host.host, host.port, host.allowed)
        merged.setdefault(key, Counter()).update(host.origins)
    return _host_accesses(merged)


def _host_accesses(
    hosts: Mapping[tuple[str, int, bool], Counter[Origin]],
) -> tuple[HostAccess, ...]:
    return tuple(
        HostAccess(
            host=host,
            port=port,
            allowed=allowed,
            requests=origins.total(),
            origins=dict(sorted(origins.items())),
        )
        for (host, port, allowed), origins in sorted(hosts.items())
    )


@dataclass
class AccessLog:
    """Collects a report; bounded, whatever the case asks for."""

    _hosts: dict[tuple[str, int, bool], Counter[Origin]] = field(default_factory=dict)
    _misses: dict[str, None] = field(default_factory=dict)
    _failures: dict[str, None] = field(default_factory=dict)
    _failed_urls: dict[str, None] = field(default_factory=dict)

    def count(self, host: str, port: int, origin: Origin, *, allowed: bool) -> None:
        """One request was answered."""
        key = (printable(host), port, allowed)
        if key not in self._hosts and len(self._hosts) >= MAX_ENTRIES:
            key = (OTHER_HOSTS, 0, allowed)
        self._hosts.setdefault(key, Counter())[origin] += 1

    def miss(self, url: str) -> None:
        """Nothing was stored for this URL."""
        _add(self._misses, url)

    def failure(self, url: str, what: str) -> None:
        """The registry failed for this URL; `what` is a sentence about it."""
        _add(self._failures, what)
        _add(self._failed_urls, url)

    def report(self) -> NetworkReport:
        """What was collected so far."""
        return NetworkReport(
            hosts=_host_accesses(self._hosts),
            misses=tuple(self._misses),
            failures=tuple(self._failures),
            failed_urls=tuple(self._failed_urls),
        )


def _add(entries: dict[str, None], entry: str) -> None:
    if len(entries) < MAX_ENTRIES:
        entries[entry[:_MAX_ENTRY]] = None


def printable(host: str) -> str:
    """A host name as records and terminals can take it: short, no control characters."""
    return re.sub(r"[^A-Za-z0-9.:_\[\]-]", "?", host[:255])
