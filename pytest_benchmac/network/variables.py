"""What a sandbox gets so that its tools know what they may reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pytest_benchmac.ecosystems.base import Ecosystem, Setup
from pytest_benchmac.sandbox.base import CA_BUNDLE, PROXY_PORT, NetworkAttachment

PROXY_URL = f"http://127.0.0.1:{PROXY_PORT}"
#: Variables by which the usual tools of a sandbox take a whole bundle of certificates; those of
#: package managers are their ecosystems'.
_CA_VARIABLES = (
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
)


def proxied_setup(setups: Iterable[Setup], hosts: Iterable[str]) -> Setup:
    """Variables and files for a sandbox whose only way out is the proxy.

    Args:
        setups: of the ecosystems.
        hosts: of their registries.
    """
    # A registry on the host's own loopback is reached through the proxy like any other.
    loopback = ",".join(n for n in ("127.0.0.1", "localhost", "::1") if n not in set(hosts))
    general = {
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), PROXY_URL),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), loopback),
        **dict.fromkeys(_CA_VARIABLES, str(CA_BUNDLE)),
    }
    return _joined([Setup(general), *setups])


def open_attachment(
    env: Mapping[str, str], ecosystems: Iterable[Ecosystem] = ()
) -> NetworkAttachment:
    """The engine's ordinary network, with the host's certificates, proxies and registries.

    User names and passwords in proxy or registry URLs stay outside.
    """
    passed: dict[str, str] = {}
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
    # Whoever names a whole bundle for all tools names it for package managers too.
    ca = str(CA_BUNDLE) if "SSL_CERT_FILE" in passed else ""
    setup = _joined([Setup(passed), *(each.open(env, ca) for each in ecosystems)])
    return NetworkAttachment(
        policy="open", ca_bundle=bundle, env=setup.env, home_files=setup.home_files
    )


def _joined(setups: Iterable[Setup]) -> Setup:
    env: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for each in setups:
        env |= each.env
        files |= each.home_files
    return Setup(env, files)
