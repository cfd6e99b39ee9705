"""Addresses of registries, and of what can be read from one."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from pytest_benchmac.model.errors import NetworkError

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Registry:
    """One registry: an origin and the path that everything of it lies below."""

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
                remedy="Look at what configures it: `benchmac doctor` names the registries.",
            )
        return cls(
            scheme=parts.scheme,
            host=parts.hostname.lower(),
            port=port or DEFAULT_PORTS[parts.scheme],
            path=(parts.path if parts.path.endswith("/") else parts.path + "/"),
        )

    @property
    def origin(self) -> str:
        """The base URL without its path."""
        return origin(self.scheme, self.host, self.port)

    @property
    def url(self) -> str:
        """The base URL, ending with a slash, without credentials."""
        return f"{self.origin}{self.path}"

    @property
    def folder(self) -> str:
        """The folder of the cache that what the registry answered lies in."""
        return quote(self.url, safe="")


@dataclass(frozen=True)
class Resource:
    """Something of a registry that sandboxes may read."""

    #: What it is fetched from, and named by in messages. Always built anew from the parts of a
    #: request that were understood, so that nothing else of a request travels further.
    url: str
    #: Its path in the cache.
    place: str


@dataclass(frozen=True)
class MetadataAddress(Resource):
    """What a registry says about its files; it can change."""

    accept: str = "*/*"
    #: What was answered once stays, as the checksum of a published file does.
    lasting: bool = False


@dataclass(frozen=True)
class File(Resource):
    """A published file: it never changes, and what is served is verified."""

    #: The package or folder that it belongs to.
    package: str
    filename: str


@dataclass(frozen=True)
class Described:
    """What a registry's own metadata says of a file."""

    #: Where it is fetched from.
    url: str
    #: Digests as in npm's lock files and in HTML: `sha512-<base64>`, several with blanks between.
    integrity: str


def origin(scheme: str, host: str, port: int) -> str:
    """`scheme://host[:port]`, the port only where it is not the scheme's own."""
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}" + ("" if DEFAULT_PORTS[scheme] == port else f":{port}")
