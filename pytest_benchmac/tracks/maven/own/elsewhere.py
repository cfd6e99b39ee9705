"""Another place to run tests in: what differs between machines differs, and nobody can foresee how.

Code that asks where it is, by whatever call, gets another answer there than where the patch's own
tests run. What a base's own code does not pass in that place is the place's.
"""

from __future__ import annotations

import random
import string
from dataclasses import dataclass

#: None is where sandboxes are: in no country, in Greenwich.
_LOCALES = ("de-DE", "en-AU", "es-MX", "fr-CA", "it-IT", "ja-JP", "ko-KR", "nl-BE", "pt-BR")
_ZONES = (
    "Africa/Nairobi",
    "America/Denver",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Australia/Adelaide",
)
_ENCODINGS = ("ISO-8859-1", "ISO-8859-15", "windows-1252")
_SYSTEMS = ("FreeBSD", "Mac OS X", "SunOS")


@dataclass(frozen=True)
class Elsewhere:
    """What a JVM of the harness is told there, and how it calls its thread."""

    #: For the JVM's command line.
    options: tuple[str, ...]
    thread: str
    #: Properties that no command line sets.
    properties: tuple[str, ...]


def elsewhere(rng: random.Random, java: str) -> Elsewhere:
    """Such a place.

    Args:
        rng: what it is drawn from.
        java: the Java release that runs there.
    """
    language, _, country = rng.choice(_LOCALES).partition("-")
    options = (
        f"-Duser.language={language}",
        f"-Duser.country={country}",
        f"-Duser.timezone={rng.choice(_ZONES)}",
        f"-Dfile.encoding={rng.choice(_ENCODINGS)}",
        f"-Dos.name={rng.choice(_SYSTEMS)}",
        f"-XX:ActiveProcessorCount={rng.randrange(3, 17)}",
    )
    thread = "".join(rng.choices(string.ascii_lowercase, k=8))
    version = f"java.version={java}.0.{rng.randrange(30, 90)}"
    return Elsewhere(options, thread, (version,))
