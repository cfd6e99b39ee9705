"""The content security policy that a case is served with."""

from __future__ import annotations

from pytest_benchmac.tracks.angular.boot.record import Executed

#: What a content security policy calls each kind of script.
_SOURCES = {"blob": "blob:", "data": "data:", "elsewhere": "*"}


def policy_like(base: Executed) -> str:
    """A content security policy as strict as what the base executed allows.

    Evaluated text and inline scripts are let through: the browser tells of each, and new ones are
    findings. It is for what the browser tells nothing of, and so that nothing of it runs.
    """
    ran = {_SOURCES[each.kind] for each in base.foreign if each.kind in _SOURCES}
    sources = " ".join(["'self'", "'unsafe-inline'", "'unsafe-eval'", *sorted(ran)])
    workers = "'self' blob:" if base.workers else "'none'"
    return f"script-src {sources}; worker-src {workers}; object-src 'none'"
