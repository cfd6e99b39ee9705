"""Where this machine takes Debian packages from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.model.errors import ImageError

#: Where Debian's keys lie unless a source says otherwise.
DEFAULT_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True)
class DebianSource:
    """One package source of this machine."""

    uri: str
    suite: str
    components: tuple[str, ...]
    keyring: str | None


def debian_source(apt: Path = Path("/etc/apt")) -> DebianSource:
    """The Debian release that this machine's apt installs from.

    Args:
        apt: apt's configuration folder.

    Raises:
        ImageError: no Debian source is configured.
    """
    lists = apt / "sources.list.d"
    found: list[DebianSource] = []
    for path in sorted(lists.glob("*.sources")):
        found += _deb822(path.read_text())
    for path in [apt / "sources.list", *sorted(lists.glob("*.list"))]:
        if path.is_file():
            found += _one_line(path.read_text())
    for each in found:
        # Security and update suites have no base system of their own.
        if "main" in each.components and "-" not in each.suite and "/" not in each.suite:
            return each
    raise ImageError(
        f"no Debian package source is configured in {apt}",
        remedy="on a system that is not Debian, install Docker and let it pull the base image",
    )


def _deb822(text: str) -> Iterator[DebianSource]:
    for stanza in text.split("\n\n"):
        fields: dict[str, str] = {}
        for line in stanza.splitlines():
            name, colon, value = line.partition(":")
            if colon and not line.startswith(("#", " ", "\t")):
                fields[name.strip().lower()] = value.strip()
        enabled = fields.get("enabled", "yes").lower() not in {"no", "false", "0"}
        if not enabled or "deb" not in fields.get("types", "").split():
            continue
        for uri in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                components = tuple(fields.get("components", "").split())
                yield DebianSource(uri, suite, components, fields.get("signed-by"))


def _one_line(text: str) -> Iterator[DebianSource]:
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words or words[0] != "deb":
            continue
        keyring = None
        if words[1].startswith("["):
            end = next(i for i, word in enumerate(words) if word.endswith("]"))
            for option in " ".join(words[1 : end + 1]).strip("[]").split():
                if option.startswith("signed-by="):
                    keyring = option.removeprefix("signed-by=")
            words[1 : end + 1] = []
        if len(words) >= 4:
            yield DebianSource(words[1], words[2], tuple(words[3:]), keyring)
