"""One boot of a built application in a browser."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.copying import read_file
from pytest_benchmac.tracks.angular.boot import record
from pytest_benchmac.tracks.angular.boot.answered import answered_texts
from pytest_benchmac.tracks.angular.boot.base_image import (
    CHROMIUM,
    MOVED_CLOCK,
    PLAYWRIGHT,
    browser_recipe,
)
from pytest_benchmac.tracks.angular.boot.conditions import chance, draw
from pytest_benchmac.tracks.angular.boot.config import MAX_PAGES, Boot
from pytest_benchmac.tracks.angular.boot.dom import VERSION_ATTRIBUTE
from pytest_benchmac.tracks.angular.boot.known import KnownBoots
from pytest_benchmac.tracks.angular.boot.policy import LEARNING
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Driven, record_of
from pytest_benchmac.tracks.angular.boot.recorded import answers
from pytest_benchmac.tracks.angular.boot.site import INDEX, Site
from pytest_benchmac.tracks.angular.boot.vary import literals, vary
from pytest_benchmac.tracks.angular.boot.walked import MAX_PICTURES, Walks, Way
from pytest_benchmac.tracks.protocol import Standby

#: How long a page may take to answer at all, to render its root, to stop changing, and to show
#: what is expected. Many times what it takes, so that no verdict depends on how busy a machine is.
_ANSWER_MS, _RENDER_MS, _SETTLE_MS, _EXPECT_MS = 10_000, 15_000, 10_000, 10_000
#: How long a page lives from one look to the next, while something is waited for.
_POLL_MS = 40
#: How much later, in milliseconds, the base takes its walks once more: what tells seconds is noise
#: then, not the day.
_LATER_MS = 11_000
#: How long, in seconds, from one look to the next whether the base's boot is over.
_ASK_S = 0.1
#: The driver stops looking this long before its own time is up, to write down what it saw.
_RESERVE_S = 15.0

#: The driver's exit status when there is no browser.
_NO_BROWSER = 70
#: The file that says where the boot of the base has come to: one of `_State`.
_STATE = "state"

_RESULT_BYTES = 64 * MIB
_STATE_BYTES = 100
_TALLEST_PX = 3_000
_OUT = "out"
_RESULT = "result.json"


class _State(StrEnum):
    BOOTED = "booted"
    #: The driver was told the way of the base.
    KNOWN = "known"
    NO_BROWSER = "no-browser"
    #: The driver ended without any of these.
    ENDED = "ended"


class NoBrowserError(SandboxError):
    """The browser does not start in its sandbox, where nothing of the case is yet."""


class BrokenBootError(Exception):
    """The boot broke off, or left something that is no record: the application's own doing."""


def _scripts() -> list[Traversable]:
    """The driver's files."""
    folder = files("pytest_benchmac.tracks.angular.boot") / "driver"
    return sorted(folder.iterdir(), key=lambda script: script.name)


def _state(sandbox: Sandbox) -> str:
    """One of `_State`; "" as long as the file is not there, or not all of it."""
    content = read_file(sandbox, sandbox.project / _OUT / _STATE, max_bytes=_STATE_BYTES)
    return "" if content is None else content.decode().strip()


def _no_browser() -> NoBrowserError:
    return NoBrowserError(
        "the browser does not start in its sandbox; the log of the stage says why",
        remedy="`benchmac images` lists the browser's base: remove it for a new one.",
    )


def _numbered(boot: Boot) -> list[dict[str, Any]]:
    """The routes, each with the number of its first page."""
    routes: list[dict[str, Any]] = []
    number = 0
    for route in boot.routes:
        routes.append({**route.model_dump(), "number": number})
        number += 1 + len(route.interactions)
    return routes


@dataclass(frozen=True)
class BootPlan:
    """All of a boot but the case's application: what to open and to do, under which conditions."""

    boot: Boot
    #: Recorded answers besides those of `boot`.
    fixtures: Sequence[HttpFixture]
    #: The instance's folder, which bodies of fixtures lie in.
    directory: Path
    #: Seconds from when the application is there.
    timeout_s: float
    #: What the conditions are drawn from.
    seed: int
    #: Window, language, time zone and data as declared, and not drawn.
    plain: bool = False
    #: The untouched base's application, booted before the case's; None where nothing is compared.
    base: Site | None = None
    #: The way of its boot, where it was booted elsewhere already.
    way: Way | None = None
    #: Boots of bases that are known already; None where each plan's own is looked at.
    known: KnownBoots | None = None
    #: Names of components that packages define, at the base and in the case.
    libraries: frozenset[str] = frozenset()
    #: Are the walks all that is done, a few seconds later and with other random numbers?
    later: bool = False

    @cached_property
    def data(self) -> tuple[Boot, Sequence[HttpFixture]]:
        """What both applications are answered, and what is entered and expected with it."""
        return self._varied(later=False)

    @cached_property
    def data_later(self) -> tuple[Boot, Sequence[HttpFixture]]:
        """What both are answered when somebody comes back after a while."""
        return self._varied(later=True)

    def _varied(self, *, later: bool) -> tuple[Boot, Sequence[HttpFixture]]:
        if self.plain or self.base is None:
            return self.boot, self.fixtures
        seed = chance(self.seed, "data").getrandbits(63)
        return vary(self.boot, self.fixtures, seed, self.literals, later=later)

    @cached_property
    def answered(self) -> frozenset[str]:
        """Texts that both applications are answered, and that are not as declared."""
        answered = answered_texts(*self.data) | answered_texts(*self.data_later)
        return answered - answered_texts(self.boot, self.fixtures)

    @cached_property
    def literals(self) -> frozenset[str]:
        """Strings that the base's scripts have; none where nothing is compared."""
        return frozenset() if self.base is None else literals(self.base.scripts())

    @cached_property
    def key(self) -> str:
        """Stands for all that decides the boot of the base.

        Raises:
            ValueError: there is no base.
        """
        if self.base is None:
            raise ValueError("nothing is compared")
        digest = hashlib.sha256(json.dumps([browser_recipe().inputs, self.told()]).encode())
        for script in _scripts():
            digest.update(hashlib.sha256(script.read_bytes()).digest())
        digest.update(json.dumps(self.base.told, sort_keys=True).encode())
        for name in self.base.files:
            digest.update(hashlib.sha256(self.base.read(name) or b"").digest())
        return digest.hexdigest()[:32]

    @property
    def standby(self) -> Standby:
        """A browser that boots the base, and then waits for the case."""
        return Standby(browser_recipe(), self.bring)

    def bring(self, sandbox: Sandbox) -> str:
        """Bring the driver and what it is told; the command that starts the browser."""
        for script in _scripts():
            sandbox.copy_in(script.read_bytes(), sandbox.inbox / script.name)
        told = self.told()
        way = self.way
        if way is None and self.base is not None and self.known is not None:
            seen = self.known.find(self.key)
            way = None if seen is None else seen.way
        if way is not None:
            told["way"] = way.model_dump()
        elif self.base is not None:
            told["base"] = self._bring_site(sandbox, self.base, "base", LEARNING)
        sandbox.copy_in(json.dumps(told).encode(), sandbox.inbox / "plan.json")
        out = sandbox.project / _OUT
        state = f"{_OUT}/{_STATE}"
        return (
            f"mkdir {_OUT} && {{ node {sandbox.inbox}/drive.mjs {sandbox.inbox} {out}; code=$?; "
            f"[ -e {state} ] || echo {_State.ENDED} > {state}; exit $code; }}"
        )

    def _bring_site(self, sandbox: Sandbox, site: Site, name: str, policy: str) -> dict[str, Any]:
        """Bring an application's files; where each of them lies, and how it is served.

        Raises:
            CopyLimitError: it is too large.
        """
        with TemporaryDirectory(prefix="benchmac-") as folder:
            blob = Path(folder) / "files.bin"
            placed = site.pack(blob)
            sandbox.copy_in(blob, sandbox.inbox / name / blob.name)
        return {**site.told, "files": placed, "policy": policy}

    def told(self) -> dict[str, Any]:
        """What the driver is told. Times in milliseconds, sizes in bytes or characters."""
        boot, shared = self.data
        fixtures = list(answers(boot.fixtures, shared, self.directory))
        boot_later, shared_later = self.data_later
        addresses = [each["url"] for each in fixtures]
        drawn = draw(self.seed, self.boot, addresses, plain=self.plain)
        if self.later:
            other = {"now": drawn.now + _LATER_MS, "random": drawn.random % 2**30 + 1}
            drawn = drawn.model_copy(update=other)
        return {
            **drawn.model_dump(),
            "playwright": f"/{PLAYWRIGHT}",
            "executable": str(CHROMIUM),
            "clock": MOVED_CLOCK,
            "index": INDEX,
            "fixtures": fixtures,
            "root": self.boot.root,
            "version_attribute": VERSION_ATTRIBUTE,
            "routes": [] if self.later else _numbered(boot),
            "walks": {
                "key": f"{chance(self.seed, 'walk').getrandbits(128):032x}",
                "fixtures": [*answers(boot.walk_fixtures, (), self.directory), *fixtures],
                "later": [
                    *answers(boot_later.walk_fixtures, (), self.directory),
                    *answers(boot_later.fixtures, shared_later, self.directory),
                ],
            },
            "poll_ms": _POLL_MS,
            "answer_ms": _ANSWER_MS,
            "render_ms": _RENDER_MS,
            "settle_ms": _SETTLE_MS,
            "expect_ms": _EXPECT_MS,
            "budget_ms": 1000 * max(self.timeout_s - _RESERVE_S, self.timeout_s / 2),
            "bounds": {
                "message": record.MAX_MESSAGE,
                "entries": record.MAX_ENTRIES,
                "nodes": record.MAX_NODES,
                "kinds": record.MAX_KINDS,
                "tall": _TALLEST_PX,
            },
        }

    def base_record(self, sandbox: Sandbox, screenshots: Path) -> BootRecord:
        """Wait for the boot of the base, where the command of `standby` carries it out.

        Nobody waits for one that was known when that command was started.

        Args:
            sandbox: of `browser_recipe`, without any network; nothing of the case is in it.
            screenshots: a new folder on the host that its screenshots, and no other files, are put
                in.

        Raises:
            BrokenBootError: it broke off, was not over in time, or nothing that can be read came
                out.
            CopyLimitError: what came out is too large.
            NoBrowserError: there is no browser.
            SandboxError: the sandbox failed.
        """
        end = time.monotonic() + self.timeout_s
        while time.monotonic() < end:
            match _state(sandbox):
                case _State.BOOTED:
                    return self._read(sandbox, "base", screenshots)
                case _State.KNOWN:
                    seen = self.known.take(self.key, screenshots) if self.known else None
                    if seen is None:
                        raise BrokenBootError("the boot of the base is not known any more")
                    return seen
                case _State.NO_BROWSER:
                    raise _no_browser()
                case _State.ENDED:
                    raise BrokenBootError("the boot of the base broke off; its log says why")
            time.sleep(_ASK_S)
        raise BrokenBootError("the boot of the base took too long")

    def drive(
        self,
        sandbox: Sandbox,
        finish: Callable[[float], int | None],
        site: Site,
        *,
        screenshots: Path,
        policy: str = LEARNING,
    ) -> BootRecord:
        """Boot the case's application where the command of `standby` waits for it.

        Args:
            sandbox: of `browser_recipe`, without any network.
            finish: waits for that command, for at most so many seconds; its exit code.
            site: the application.
            policy: the content security policy that it is served with.
            screenshots: a new folder on the host, for the screenshots.

        Raises:
            BrokenBootError: nothing that can be read came out.
            CopyLimitError: the application, or what came out, is too large.
            NoBrowserError: there is no browser.
            SandboxError: the sandbox failed.
        """
        index = self._bring_site(sandbox, site, "case", policy)
        # Last: the driver takes it for the sign that all is there.
        sandbox.copy_in(json.dumps(index).encode(), sandbox.inbox / "case" / "index.json")
        code = finish(self.timeout_s)
        if code == _NO_BROWSER:
            raise _no_browser()
        if code != 0:
            raise BrokenBootError(
                "the boot took too long"
                if code is None
                else f"the boot ended with exit code {code}"
            )
        return self._read(sandbox, "case", screenshots)

    def walks_later(self, sandbox: Sandbox, way: Way, *, log: Path, screenshots: Path) -> Walks:
        """Take the walks of the base on the base once more: what differs then is noise.

        Args:
            sandbox: of `browser_recipe`, without any network; nothing of the case is in it.
            way: of its boot.
            log: a new file on the host, for the driver's output.
            screenshots: a new folder on the host.

        Raises:
            BrokenBootError: nothing that can be read came out.
            CopyLimitError: the application, or what came out, is too large.
            NoBrowserError: there is no browser.
            SandboxError: the sandbox failed.
            ValueError: there is no base.
        """
        if self.base is None:
            raise ValueError("nothing is compared")
        later = replace(self, way=way, later=True)
        command = later.bring(sandbox)

        def finish(timeout_s: float) -> int | None:
            return sandbox.run(command, timeout_s=timeout_s, log=log).exit_code

        return later.drive(sandbox, finish, self.base, screenshots=screenshots).walks

    def _read(self, sandbox: Sandbox, name: str, screenshots: Path) -> BootRecord:
        copied = sandbox.copy_out(
            sandbox.project / _OUT / name,
            screenshots,
            max_bytes=_RESULT_BYTES,
            # Each page with and without its texts, and the record.
            max_files=2 * (MAX_PAGES + MAX_PICTURES) + 1,
        )
        result = screenshots / _RESULT
        if not result.exists():
            raise BrokenBootError("the boot left no record")
        content = result.read_bytes()
        result.unlink()
        try:
            driven = Driven.model_validate_json(content)
        except ValidationError as error:
            first = error.errors()[0]
            raise BrokenBootError(f"the boot's record is not one: {first['msg']}") from error
        taken = {str(file.path) for file in copied.files}
        named = [page.screenshot for page in driven.pages]
        named += [step.picture for walk in driven.walks for step in walk]
        for picture in named:
            if picture is not None and picture not in taken:
                raise BrokenBootError(
                    f"the boot's record names {picture}, a screenshot that is not there"
                )
        return record_of(driven, self.boot.root)
