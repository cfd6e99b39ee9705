"""Under which conditions two applications boot: drawn from a seed, the same for both."""

from __future__ import annotations

import hmac
import random
import re
import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from string import ascii_lowercase
from typing import Literal, TypeVar

from pytest_benchmac.model.base import Model
from pytest_benchmac.tracks.angular.boot.config import Boot

#: Where every address is told to be, whatever the origin of a boot.
ORIGIN = "http://localhost"

_Card = TypeVar("_Card")

#: What there is to draw from, with where it comes from.
_DRAWN = tomllib.loads(files(__package__).joinpath("drawn.toml").read_text("utf-8"))

_FIRST_DAY = datetime(2025, 2, 1, tzinfo=UTC)
_DAYS = 600
#: One visitor comes so much later: no application is to end with the days that others have.
_LATER_DAYS = range(700, 2_000)
#: Languages and time zones that dates and numbers are written alike in, or nearly so.
_LOCALES = ("en-US", "en-GB", "en-CA", "en-AU")
_ZONES = ("UTC", "Europe/London", "Europe/Lisbon", "Africa/Accra", "Atlantic/Reykjavik")
#: Of visitors on walks: far in the west, near, far in the east, and where clocks are not whole
#: hours away: all that there are.
_FAR_ZONES: dict[str, list[str]] = _DRAWN["zones"]
_OTHER_LOCALES: list[str] = _DRAWN["locales"]
_HOSTS = ("app.", "www.", "portal.", "my.", "web.", "shop.", "go.", "", "")
_HOST_WORDS: list[str] = _DRAWN["host_words"]
_ENDINGS: list[str] = _DRAWN["host_endings"]
#: None that browsers refuse.
_PORTS = range(20_000, 60_000)
#: A window may be larger than declared, by so many CSS pixels: a smaller one may fold a menu away.
_LARGER = range(0, 65, 8)
#: Where a page begins on the screen, in CSS pixels from its left and its top: windows have bars
#: above their pages. Less than any window is wide and high (`driver/turns.mjs`): one that lies
#: outside of its screen gets no frames, and each picture waits for the page's time to go on.
_LEFT, _TOP = range(301), range(70, 301)
_LOCAL = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])([:/]|$)")


#: Walks that find a way of their own, and all whose visitors are drawn: see `driver/walk.mjs`. The
#: others have the browser of declared pages.
WALKERS, WALKS = 3, 6


System = Literal["Linux", "Windows", "macOS"]
#: Of whose browsers there are some beside Chromium: `driver/makers.mjs` has what they lack.
Maker = Literal["firefox", "safari"]


class Visitor(Model):
    """Whose browser a page is in. The defaults are those of declared pages."""

    locale: str
    #: Languages that the browser names beside it, the next best first.
    languages: tuple[str, ...] = ()
    #: Name of the time zone.
    timezone: str
    color_scheme: Literal["light", "dark"] = "light"
    #: Pixels of the screen for one CSS pixel.
    pixel_ratio: float = 1.0
    #: The address of the page that led here; empty for none.
    referrer: str = ""
    #: Has another site's page opened the window?
    opened: bool = False
    #: What its browser says to run on.
    system: System = "Linux"
    #: The maker that its browser claims, and then it lacks what only Chromium has; None: Chromium.
    maker: Maker | None = None
    #: How much later than the others it comes.
    later_days: int = 0
    #: Where its page begins on the screen: CSS pixels from the left and from the top.
    corner: tuple[int, int] = (0, 0)


class Conditions(Visitor):
    """What a page can see of where and when it runs."""

    #: Scheme, host and port. Every request is answered in the browser's sandbox: it leads nowhere.
    origin: str
    #: When the page's clock starts: milliseconds since 1970.
    now: int
    #: Width and height in CSS pixels.
    viewport: tuple[int, int]
    #: What `Math.random` starts from.
    random: int
    #: Has this browser an older engine, or that of control visits? Neither has in plain boots.
    older: bool
    older_controls: bool
    #: Who walks, by number of the walk.
    visitors: tuple[Visitor, ...]
    #: Who comes on control visits: on a computer, and on a telephone.
    controls: tuple[Visitor, ...]


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
    host = _host(numbers)
    port = numbers.choice(("", "", f":{numbers.choice(_PORTS)}"))
    local = f"http://localhost:{numbers.randint(3000, 9999)}"
    width, height = boot.viewport
    larger = (numbers.choice(_LARGER), numbers.choice(_LARGER))
    locale, zone = numbers.choice(_LOCALES), numbers.choice(_ZONES)
    older = chance(seed, "engine").randrange(2) == 1
    return Conditions(
        # Browsers take `localhost` for a secure context, as they do an https address.
        origin=local if plain_http else f"https://{host}{port}",
        now=int(moment.timestamp() * 1000) + numbers.randrange(1000),
        viewport=(width, height) if plain else (width + larger[0], height + larger[1]),
        locale=_LOCALES[0] if plain else locale,
        timezone=_ZONES[0] if plain else zone,
        random=chance(seed, "Math.random").randrange(1, 2**31),
        older=not plain and older,
        older_controls=not (plain or older),
        corner=(0, 0) if plain else _corner(chance(seed, "corner")),
        visitors=() if plain else draw_visitors(seed),
        controls=() if plain else draw_controls(seed),
    )


def _beside(locale: str) -> tuple[str, ...]:
    """Languages that browsers name beside one: itself without a region, and English."""
    language = locale.split("-")[0]
    return (language,) if language == "en" else (language, "en-US", "en")


def _corner(numbers: random.Random) -> tuple[int, int]:
    return numbers.choice(_LEFT), numbers.choice(_TOP)


def _host(numbers: random.Random) -> str:
    def part() -> str:
        if numbers.randrange(2):
            return numbers.choice(_HOST_WORDS)
        return "".join(numbers.choices(ascii_lowercase, k=numbers.randint(3, 8)))

    figures = numbers.choice(("", "", str(numbers.randrange(1000))))
    name = part() + numbers.choice(("", "-")) + part() + figures
    return f"{numbers.choice(_HOSTS)}{name}.{numbers.choice(_ENDINGS)}"


def draw_controls(seed: int) -> tuple[Visitor, Visitor]:
    """Draw who comes on control visits, whose clocks go on: from where midnight is far.

    One of the two has a browser of another maker, or both.

    Args:
        seed: of the case.
    """
    numbers = chance(seed, "controls")
    zones = numbers.sample(_FAR_ZONES["near"], 2)
    kinds: list[tuple[Maker | None, Maker | None]]
    kinds = [("firefox", None), (None, "safari"), ("firefox", "safari")]
    makers = chance(seed, "makers").choice(kinds)
    computer, telephone = (
        Visitor(
            locale=locale,
            languages=_beside(locale),
            timezone=zone,
            corner=_corner(numbers),
            maker=maker,
        )
        for locale, zone, maker in zip(
            numbers.sample(_OTHER_LOCALES, 2), zones, makers, strict=True
        )
    )
    return computer, telephone


def draw_visitors(seed: int) -> tuple[Visitor, ...]:
    """Draw who walks: each kind of visitor comes under every seed, and nobody knows on which walk.

    Args:
        seed: of the case.
    """
    numbers = chance(seed, "visitors")

    def dealt(cards: Sequence[_Card]) -> list[_Card]:
        """The cards in an order that is drawn."""
        return numbers.sample(cards, len(cards))

    far = [numbers.choice(zones) for zones in _FAR_ZONES.values()]
    near = [numbers.choice(_ZONES) for _ in range(WALKS - len(far))]
    zones = dealt([*far, *near])
    locales = dealt([numbers.choice(_OTHER_LOCALES), *numbers.choices(_LOCALES, k=WALKS - 1)])
    languages = dealt([_beside(each) if at % 2 else () for at, each in enumerate(locales)])
    # Those that find a way are dealt apart: they are who uses what they see.
    colors = [*dealt(("dark", "dark", "light")), *dealt(("dark", "light", "light"))]
    # The others have windows of their own, some of them large: no more pixels than needed.
    ratios = [*dealt((1.0, 1.5, 2.0)), *([1.0] * (WALKS - WALKERS))]
    link = f"https://{_host(numbers)}/{numbers.choice(_HOSTS).rstrip('.')}"
    referrers = [*dealt((link, "", "")), *dealt((link, link, ""))]
    others: list[System] = ["Windows"] * (WALKS - WALKERS)
    own: tuple[System, ...] = ("Linux", "Windows", "macOS")
    systems = [*dealt(own), *others]
    opened = [*dealt((True, True, False)), *([False] * (WALKS - WALKERS))]
    laters = [*dealt((numbers.choice(_LATER_DAYS), 0, 0)), *([0] * (WALKS - WALKERS))]
    ways: tuple[Maker | None, ...] = ("firefox", None, None)
    rest: tuple[Maker | None, ...] = ("safari", None, None)
    makers = [*dealt(ways), *dealt(rest)]
    return tuple(
        Visitor(
            locale=locale,
            languages=more,
            timezone=zone,
            color_scheme=color,
            pixel_ratio=ratio,
            referrer=referrer,
            opened=by_page,
            system=system,
            later_days=later,
            maker=maker,
            corner=_corner(numbers),
        )
        for locale, more, zone, color, ratio, referrer, by_page, system, later, maker in zip(
            locales,
            languages,
            zones,
            colors,
            ratios,
            referrers,
            opened,
            systems,
            laters,
            makers,
            strict=True,
        )
    )
