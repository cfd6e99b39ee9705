"""Under which conditions two applications boot: drawn from a seed, the same for both."""

from __future__ import annotations

import hmac
import random
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from pytest_benchmac.model.base import Model
from pytest_benchmac.tracks.angular.boot.config import Boot

#: Where every address is told to be, whatever the origin of a boot.
ORIGIN = "http://localhost"

_FIRST_DAY = datetime(2025, 2, 1, tzinfo=UTC)
_DAYS = 600
#: Languages and time zones that dates and numbers are written alike in, or nearly so.
_LOCALES = ("en-US", "en-GB", "en-CA", "en-AU")
_ZONES = ("UTC", "Europe/London", "Europe/Lisbon", "Africa/Accra", "Atlantic/Reykjavik")
_HOSTS = ("app", "www", "portal", "my", "web", "shop", "go")
_NAMES = ("northfield", "brightwater", "oakline", "quayside", "fernhill", "larkspur", "stonebridge")
_ENDINGS = ("com", "net", "org", "io", "eu", "app")
_PORTS = ("", "", ":8443", ":9443", ":4443")
#: A window may be larger than declared, by so many CSS pixels: a smaller one may fold a menu away.
_LARGER = range(0, 65, 8)
_LOCAL = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])([:/]|$)")


class Conditions(Model):
    """What a page can see of where and when it runs."""

    #: Scheme, host and port. Every request is answered in the browser's sandbox: it leads nowhere.
    origin: str
    #: When the page's clock starts: milliseconds since 1970.
    now: int
    #: Width and height in CSS pixels.
    viewport: tuple[int, int]
    locale: str
    #: Name of the time zone.
    timezone: str
    #: What `Math.random` starts from.
    random: int


def chance(seed: int, name: str) -> random.Random:
    """Random numbers for one purpose; what is seen of them tells nothing of another purpose's.

    Args:
        seed: of the case, in [0, 2**53).
        name: of the purpose.
    """
    digest = hmac.digest(seed.to_bytes(8, "big"), name.encode(), "sha256")
    return random.Random(digest)  # noqa: S311 - what must not be foreseen is the seed


def draw(seed: int, boot: Boot, addresses: Iterable[str], *, plain: bool = False) -> Conditions:
    """Draw the conditions of a boot.

    Args:
        seed: of the case.
        boot: what the instance declares.
        addresses: of the fixtures. A page by https cannot ask plain http, but of its own machine.
        plain: window, language and time zone as declared.
    """
    numbers = chance(seed, "conditions")
    day = _FIRST_DAY + timedelta(days=numbers.randrange(_DAYS))
    # Far from midnight and from the next minute: texts that tell them stay as they are.
    moment = day.replace(
        hour=numbers.randint(9, 16), minute=numbers.randrange(60), second=numbers.randint(2, 9)
    )
    plain_http = any(each.startswith("http://") and not _LOCAL.match(each) for each in addresses)
    host = (numbers.choice(_HOSTS), numbers.choice(_NAMES), numbers.choice(_ENDINGS))
    port = numbers.choice(_PORTS)
    local = f"http://localhost:{numbers.randint(3000, 9999)}"
    width, height = boot.viewport
    larger = (numbers.choice(_LARGER), numbers.choice(_LARGER))
    locale, zone = numbers.choice(_LOCALES), numbers.choice(_ZONES)
    return Conditions(
        # Browsers take `localhost` for a secure context, as they do an https address.
        origin=local if plain_http else f"https://{'.'.join(host)}{port}",
        now=int(moment.timestamp() * 1000) + numbers.randrange(1000),
        viewport=(width, height) if plain else (width + larger[0], height + larger[1]),
        locale=_LOCALES[0] if plain else locale,
        timezone=_ZONES[0] if plain else zone,
        random=chance(seed, "Math.random").randrange(1, 2**31),
    )
