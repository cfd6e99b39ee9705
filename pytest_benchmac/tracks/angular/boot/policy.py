"""The content security policies that the base and a case are served with."""

from __future__ import annotations

import base64
from urllib.parse import quote, urlsplit

from pytest_benchmac.tracks.angular.boot.record import BootRecord

#: The driver puts the digests of what the served page itself has inline here.
PAGE = "'page'"

#: What a content security policy calls each kind of script.
_SOURCES = {
    "blob": "blob:",
    "data": "data:",
    "elsewhere": "*",
    "eval": "'unsafe-eval'",
    "wasm": "'wasm-unsafe-eval'",
}
_WEB = ("http", "https")
#: Everything but popups: what another window runs is told to nobody.
_SANDBOX = (
    "sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock "
    "allow-presentation allow-same-origin allow-scripts allow-top-navigation"
)
_ALWAYS = f"object-src 'none'; {_SANDBOX}"

#: What the base is served with: it may execute whatever it does, which is written down.
LEARNING = (
    "script-src * blob: data: 'unsafe-inline' 'unsafe-eval'; worker-src * blob: data:; " + _ALWAYS
)


def policy_like(record: BootRecord) -> str:
    """A content security policy that allows what the base executed, and no more.

    Inline are the scripts and handlers that the served page has, which the rules on pages have
    judged, and those that the base added to its pages, by their digests. Scripts of other hosts
    that the base asked for in vain may be asked for in vain.
    """
    base = record.executed
    ran = {_SOURCES[each.kind] for each in base.foreign if each.kind in _SOURCES}
    added = {_digest(each.sha256) for each in base.foreign if each.kind == "inline"}
    sources = " ".join(
        ["'self'", "'unsafe-hashes'", PAGE, *sorted(ran), *sorted(added), *_asked(record)]
    )
    workers = "'self' blob:" if base.workers else "'none'"
    return f"script-src {sources}; worker-src {workers}; {_ALWAYS}"


def _asked(record: BootRecord) -> list[str]:
    """Addresses of scripts that the driver refused, as a policy names them: without a query."""
    asked = {
        urlsplit(each.url)
        for page in record.pages
        for each in page.requests
        if (each.kind, each.why) == ("script", "refused")
    }
    return sorted(
        {
            f"{each.scheme}://{each.netloc}{quote(each.path, safe='/%')}"
            for each in asked
            # What ends in `/` would allow all that lies below.
            if each.scheme in _WEB and not each.path.endswith("/") and each.path
        }
    )


def _digest(sha256: str) -> str:
    return f"'sha256-{base64.b64encode(bytes.fromhex(sha256)).decode()}'"
