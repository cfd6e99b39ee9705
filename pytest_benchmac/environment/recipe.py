"""What a base image is made of, and what it has to have."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.model.errors import ImageError

#: uid and gid of the unprivileged user that every base has and every stage runs as.
STAGE_UID = 1000
#: Its name in bootstrapped bases, and in every command's environment.
STAGE_USER = "benchmac"

#: What `BaseRecipe.places` are links to; whoever starts a sandbox makes the folders.
PLACES = PurePosixPath("/benchmac/home/.places")

#: Seconds for the command of one check.
CHECK_TIMEOUT_S = 60


@dataclass(frozen=True)
class BaseFile:
    """A file of our own in a bootstrapped base, owned by root and readable by all."""

    #: Path below the root file system.
    path: PurePosixPath
    text: str
    executable: bool = False


@dataclass(frozen=True)
class ToolCheck:
    """A tool of the base: what `command` has to print, and the version to record."""

    tool: str
    command: str
    expected: str
    version: str

    def confirm(self, seen: str) -> None:
        """Compare what the command printed with what it has to.

        Raises:
            ImageError: it is something else.
        """
        if seen.strip() != self.expected:
            raise ImageError(
                f"the base image is not what the instance asks for: `{self.command}` printed "
                f"{seen.strip()[:500]!r} instead of {self.expected!r}",
                remedy="correct the image reference or the versions in instance.toml",
            )


@dataclass(frozen=True)
class BaseRecipe:
    """How to get the base image: pull `reference`, else bootstrap an equivalent."""

    #: None where nobody publishes such an image: it is always bootstrapped then.
    reference: str | None
    apt_packages: tuple[str, ...]
    packages: tuple[Package, ...] = ()
    #: What a bootstrapped base needs beside packages to do what the pulled one does.
    files: tuple[BaseFile, ...] = ()
    #: Checked in every base, pulled or bootstrapped.
    checks: tuple[ToolCheck, ...] = ()
    #: Taken where `reference` cannot be pulled, and nothing equal to it bootstrapped.
    substitute: BaseRecipe | None = None
    #: Names of folders directly below the root that commands may write, since each is a link to
    #: the folder of its name in PLACES. Of bootstrapped bases alone.
    places: tuple[str, ...] = ()

    def bootstrapped(self, places: tuple[str, ...], packages: tuple[str, ...]) -> BaseRecipe:
        """What is taken where no image is pulled, with these places and further packages."""
        recipe = self.substitute or self
        return replace(
            recipe,
            reference=None,
            apt_packages=tuple(dict.fromkeys((*recipe.apt_packages, *packages))),
            places=places,
        )

    @property
    def inputs(self) -> str:
        """All of it as text, for keys."""
        return json.dumps(self._fields(), default=str, sort_keys=True)

    @property
    def content(self) -> str:
        """As text, what a bootstrapped base has in it: recipes may differ in the rest alone."""
        decisive = self._fields() | {"apt_packages": sorted(self.apt_packages)}
        for name in ("reference", "checks", "substitute"):
            del decisive[name]
        return json.dumps(decisive, default=str, sort_keys=True)

    def _fields(self) -> dict[str, Any]:
        fields = asdict(self)
        if not self.places:
            # The keys of bases without any are older than this field.
            del fields["places"]
        return fields

    @property
    def tools(self) -> dict[str, str]:
        """Tool -> version, of a base that was checked."""
        return {check.tool: check.version for check in self.checks}
