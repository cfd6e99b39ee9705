"""Which registry a request means, where one lies below another."""

from __future__ import annotations

from mitmproxy import http

from pytest_benchmac.ecosystems.address import Registry
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.network.proxy.policy import _named, _target
from pytest_benchmac.network.proxy.relay import SandboxClient, Served

OUTER = Served(NpmRepository(Registry.parse("https://one.invalid/")), "/")
INNER = Served(NpmRepository(Registry.parse("https://two.invalid/api/")), "/-inner/")
BELOW = Served(NpmRepository(Registry.parse("https://one.invalid/below/")), "/-below/")


def test_the_longest_mount_is_meant() -> None:
    """Whatever the order: npm's own mount may be `/`."""
    for served in ((OUTER, INNER), (INNER, OUTER)):
        case = SandboxClient({}, served)
        request = http.Request.make("GET", "http://127.0.0.1:3128/-inner/left")
        assert _target(case, request) == ("https", "two.invalid", 443)
        assert _named(case, request, "https://two.invalid") == (INNER, "left")
        request = http.Request.make("GET", "http://127.0.0.1:3128/left")
        assert _target(case, request) == ("https", "one.invalid", 443)
        assert _named(case, request, "https://one.invalid") == (OUTER, "left")


def test_the_longest_path_of_one_host_is_meant() -> None:
    for served in ((OUTER, BELOW), (BELOW, OUTER)):
        case = SandboxClient({}, served)
        request = http.Request.make("GET", "https://one.invalid/below/left")
        assert _named(case, request, "https://one.invalid") == (BELOW, "left")
        request = http.Request.make("GET", "https://one.invalid/belowleft")
        assert _named(case, request, "https://one.invalid") == (OUTER, "belowleft")
