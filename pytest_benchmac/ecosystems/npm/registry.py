"""Package registries: which ones this machine uses, and what a URL below one of them names.

Only what an npm client has to read is recognised: the metadata of a package, the metadata of one
version, and a tarball. Everything else a registry offers (search, logins, audit, publishing) is
`None` here, and refused by the proxy.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from pytest_benchmac.model.errors import NetworkError

DEFAULT_PORTS = {"http": 80, "https": 443}

_NAME = r"(?:@[A-Za-z0-9~][A-Za-z0-9~._-]*/)?[A-Za-z0-9~][A-Za-z0-9~._!'()*-]*"
_METADATA = re.compile(rf"(?P<package>{_NAME})(?:/(?P<version>[A-Za-z0-9][A-Za-z0-9.+~^_-]*))?")
_TARBALL = re.compile(rf"(?P<package>{_NAME})/-/(?P<filename>[A-Za-z0-9~][A-Za-z0-9.+~_-]*\.tgz)")
#: npm's own bound on package names; generous for versions and file names too.
_MAX_NAME = 214


@dataclass(frozen=True)
class Metadata:
    """What a registry says about a package, or about one version (or tag) of it."""

    package: str
    version: str | None = None
    #: The short form that installs ask for; the long form is another document.
    abbreviated: bool = False


@dataclass(frozen=True)
class Tarball:
    """One published file of a package."""

    package: str
    filename: str

    @property
    def version(self) -> str | None:
        """The version that the file name spells, None if it has an unusual form."""
        prefix = self.package.rpartition("/")[2] + "-"
        if not self.filename.startswith(prefix):
            return None
        return self.filename.removeprefix(prefix).removesuffix(".tgz")


@dataclass(frozen=True)
class Registry:
    """One npm registry: an origin and the path that everything of it lies below."""

    scheme: str
    host: str
    port: int
    #: Begins and ends with a slash.
    path: str

    @classmethod
    def parse(cls, url: str) -> Registry:
        """Read a registry's URL; user names and passwords in it are dropped.

        Raises:
            NetworkError: it is not an http or https URL with a host.
        """
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except ValueError as error:
            raise NetworkError(f"the registry URL is malformed: {error}") from error
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise NetworkError(
                f"the registry URL is not http or https with a host (scheme {parts.scheme!r})",
                remedy="Look at NPM_CONFIG_REGISTRY and `npm config get registry`.",
            )
        return cls(
            scheme=parts.scheme,
            host=parts.hostname.lower(),
            port=port or DEFAULT_PORTS[parts.scheme],
            path=(parts.path if parts.path.endswith("/") else parts.path + "/"),
        )

    @property
    def url(self) -> str:
        """The base URL, ending with a slash, without credentials."""
        return f"{origin(self.scheme, self.host, self.port)}{self.path}"

    def resource(self, path: str, *, accept: str = "") -> Metadata | Tarball | None:
        """What a request path names; None for everything an install does not need to read.

        The query is left out of account. URLs for the registry are always built anew from the
        result, so that nothing of a request but these names travels further.
        """
        raw = path.partition("?")[0].partition("#")[0]
        if not raw.startswith(self.path):
            return None
        rest = unquote(raw.removeprefix(self.path))
        if len(rest) > 3 * _MAX_NAME or not rest.isascii():
            return None
        if match := _TARBALL.fullmatch(rest):
            return Tarball(match["package"], match["filename"])
        if match := _METADATA.fullmatch(rest):
            return Metadata(
                match["package"],
                match["version"],
                abbreviated="application/vnd.npm.install-v1+json" in accept.lower(),
            )
        return None

    def url_of(self, resource: Metadata | Tarball) -> str:
        """The one URL that a resource is fetched from, and named by in messages."""
        if isinstance(resource, Tarball):
            return f"{self.url}{resource.package}/-/{quote(resource.filename)}"
        version = f"/{quote(resource.version)}" if resource.version else ""
        return f"{self.url}{quote(resource.package, safe='@')}{version}"


def origin(scheme: str, host: str, port: int) -> str:
    """`scheme://host[:port]`, the port only where it is not the scheme's own."""
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}" + ("" if DEFAULT_PORTS[scheme] == port else f":{port}")


def configured_registry(env: Mapping[str, str]) -> Registry:
    """The registry that this machine's npm uses: the environment's, else npm's own answer.

    Raises:
        NetworkError: there is neither.
    """
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        if url := env.get(name):
            return Registry.parse(url)
    npm = shutil.which("npm", path=env.get("PATH"))
    if npm is None:
        raise NetworkError(
            "no package registry is known: npm is not installed and NPM_CONFIG_REGISTRY is not set",
            remedy="Set NPM_CONFIG_REGISTRY to the URL of the registry that installs may use.",
        )
    try:
        asked = subprocess.run(
            [npm, "config", "get", "registry"],
            env=dict(env),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NetworkError(
            f"`npm config get registry` failed: {error}",
            remedy="Set NPM_CONFIG_REGISTRY to the URL of the registry that installs may use.",
        ) from error
    return Registry.parse(asked.stdout)
