"""Variables of a sandbox that tell its tools what they may reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pytest_benchmac.ecosystems.npm.registry import Registry
from pytest_benchmac.ecosystems.npm.variables import QUIET_NPM
from pytest_benchmac.sandbox.base import CA_BUNDLE, PROXY_PORT, NetworkAttachment

#: Every variable by which the usual tools of a sandbox take a whole bundle of certificates.
_CA_VARIABLES = (
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "npm_config_cafile",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
)


def proxy_env(registry: Registry) -> dict[str, str]:
    proxy = f"http://127.0.0.1:{PROXY_PORT}"
    # A registry on the host's own loopback is reached through the proxy like any other.
    loopback = ",".join(n for n in ("127.0.0.1", "localhost", "::1") if n != registry.host)
    return {
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), loopback),
        **dict.fromkeys(_CA_VARIABLES, str(CA_BUNDLE)),
        # The proxy itself, which answers for the registry: see `proxy.PolicyAddon`.
        "npm_config_registry": f"{proxy}{registry.path}",
        **QUIET_NPM,
    }


def open_attachment(env: Mapping[str, str]) -> NetworkAttachment:
    """The engine's ordinary network, with the host's certificates, proxies and registry.

    User names and passwords in proxy or registry URLs stay outside.
    """
    passed = dict(QUIET_NPM)
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
