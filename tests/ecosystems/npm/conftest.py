"""The fixtures of the network's own tests."""

from tests.network.conftest import (
    attachment,
    authority,
    cache,
    client,
    proxied,
    registry,
    running_proxy,
    running_registry,
)

__all__ = [
    "attachment",
    "authority",
    "cache",
    "client",
    "proxied",
    "registry",
    "running_proxy",
    "running_registry",
]
