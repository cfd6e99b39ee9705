"""mitmproxy's master and the addons that the proxy has, and no other.

`mitmproxy.addons` imports all of its modules, with a web server and a directory client, which take
half of the time in which the proxy starts; and `mitmproxy.master` imports that package. So the
master is to be had from here, where the package is made bare before.
"""

import sys
from importlib.util import find_spec
from types import ModuleType

_NAME = "mitmproxy.addons"


def _bare() -> ModuleType:
    """The package, of which nothing was run.

    Raises:
        ImportError: there is no such package.
    """
    spec = find_spec(_NAME)
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError(f"{_NAME} is no package", name=_NAME)
    package = ModuleType(_NAME)
    package.__spec__ = spec
    package.__path__ = list(spec.submodule_search_locations)
    return package


sys.modules.setdefault(_NAME, _bare())

from mitmproxy.addons import (  # noqa: E402 - not before the package is bare
    core,
    errorcheck,
    next_layer,
    proxyserver,
    tlsconfig,
)
from mitmproxy.master import Master  # noqa: E402 - it imports that package

__all__ = ["Master", "core", "errorcheck", "next_layer", "proxyserver", "tlsconfig"]
