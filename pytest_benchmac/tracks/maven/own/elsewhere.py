"""Other places to run tests in: what differs between machines differs, as it does where people are.

Code that asks where it is, by whatever call, gets another answer there than where the patch's own
tests run. What a base's own code does not pass in such a place is the place's. Where many people
are, some place of every case is: code that is wrong there alone cannot hope for the draw.
"""

from __future__ import annotations

import random
import string
from dataclasses import dataclass, replace

#: Of each row a place has one; None is where sandboxes are: in no country, in Greenwich.
_LOCALES = (
    ("en-US",),
    ("en-GB", "zh-CN", "hi-IN"),
    ("de-DE", "fr-FR", "es-ES", "it-IT"),
    ("ja-JP", "ko-KR", "ru-RU", "uk-UA"),
    ("pt-BR", "es-MX", "fr-CA", "en-AU"),
    ("tr-TR", "ar-EG", "th-TH", "nl-BE"),
)
_ZONES = (
    ("Europe/Berlin", "Europe/Paris", "Europe/London", "Europe/Madrid"),
    ("America/New_York", "America/Toronto", "America/Chicago"),
    ("America/Los_Angeles", "America/Denver", "America/Sao_Paulo"),
    ("Asia/Shanghai", "Asia/Tokyo", "Asia/Singapore"),
    ("Asia/Kolkata", "Australia/Adelaide", "Asia/Kathmandu"),
    ("Africa/Nairobi", "Europe/Istanbul", "Australia/Sydney"),
)
_SYSTEMS = (
    ("Windows 10", "Windows 11"),
    ("Windows Server 2019", "Windows Server 2022"),
    ("Mac OS X",),
    ("Linux",),
    ("FreeBSD", "SunOS", "AIX"),
    ("Linux", "Mac OS X"),
)
#: Names of threads of servers and pools, of what people start, and of nobody.
_THREADS = (
    "pool-{}-thread-{}",
    "http-nio-80{}-exec-{}",
    "ForkJoinPool-{}-worker-{}",
    "Thread-{}{}",
    "{0}#{1} worker",
    "",
)
_ENCODINGS = ("ISO-8859-1", "ISO-8859-15", "windows-1252")
#: Processors of a small machine, and of a large one.
_PROCESSORS = ((3, 16), (17, 129))
#: Releases behind the one that a case runs on.
_LATER = 8
#: How long, in milliseconds, tests are run again and again where code has run for long.
LASTING_MS = 2_000


@dataclass(frozen=True)
class Place:
    """What a run of the tests is told, and how its thread is called."""

    thread: str
    locale: str
    zone: str
    #: `name=value`.
    properties: tuple[str, ...]

    def __str__(self) -> str:
        """As RunTests.java reads it."""
        return ";".join((self.thread, self.locale, self.zone, *self.properties))


@dataclass(frozen=True)
class Elsewhere:
    """A machine with some places."""

    #: For the JVM's command line.
    options: tuple[str, ...]
    places: tuple[Place, ...]
    #: Milliseconds for which the tests are run again and again before they count.
    lasting_ms: int = 0


def elsewhere(rng: random.Random, java: str) -> tuple[Elsewhere, ...]:
    """A small machine and a large one, whose places have all that is listed here.

    Args:
        rng: what they are drawn from.
        java: the Java release that runs there.
    """
    rows = [
        [rng.choice(each) for each in rng.sample(kinds, len(kinds))]
        for kinds in (_LOCALES, _ZONES, _SYSTEMS)
    ]
    names = [_name(rng, each) for each in rng.sample(_THREADS, len(_THREADS))]
    # One place in three has a Java of later.
    releases = [int(java)] * 4 + [int(java) + rng.randrange(1, _LATER + 1) for _ in range(2)]
    rng.shuffle(releases)
    places = [
        Place(name, locale, zone, (f"os.name={system}", *_java(rng, release)))
        for name, locale, zone, system, release in zip(names, *rows, releases, strict=True)
    ]
    half = len(places) // 2
    return tuple(
        Elsewhere(
            (
                f"-Dfile.encoding={encoding}",
                f"-XX:ActiveProcessorCount={rng.randrange(*processors)}",
                # Waste is collected all the time there, and quickly.
                "-XX:+UseSerialGC",
                # Java 8 knows nothing of what is opened: RunTests says what release it is.
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
            ),
            tuple(own),
        )
        for encoding, processors, own in zip(
            rng.sample(_ENCODINGS, 2), _PROCESSORS, (places[:half], places[half:]), strict=True
        )
    )


def lasting(rng: random.Random, java: str) -> Elsewhere:
    """A machine with one place, where the same classes have run for a while when the tests count.

    Code that is right at first (until it was called some thousand times, or waste was collected
    some times) is wrong there, as it is in programs that people start and leave running.

    Args:
        rng: what it is drawn from.
        java: the Java release that runs there.
    """
    machine = rng.choice(elsewhere(rng, java))
    return replace(machine, places=(rng.choice(machine.places),), lasting_ms=LASTING_MS)


def _name(rng: random.Random, pattern: str) -> str:
    if not pattern:
        return "".join(rng.choices(string.ascii_lowercase, k=8))
    return pattern.format(rng.randrange(1, 90), rng.randrange(1, 90))


def _java(rng: random.Random, release: int) -> tuple[str, str]:
    version = f"java.version={release}.0.{rng.randrange(30, 90)}"
    return version, f"java.specification.version={release}"
