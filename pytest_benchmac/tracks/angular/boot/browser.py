"""The browser: its image, and one boot of a built application in it."""

from __future__ import annotations

import base64
import json
import mimetypes
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, SandboxError
from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.angular.boot import record
from pytest_benchmac.tracks.angular.boot.base_image import CHROMIUM, PLAYWRIGHT, browser_recipe
from pytest_benchmac.tracks.angular.boot.config import MAX_PAGES, Boot
from pytest_benchmac.tracks.angular.boot.dom import VERSION_ATTRIBUTE
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Driven, record_of
from pytest_benchmac.tracks.protocol import Standby

#: Never reached: every request to it is answered inside the browser's sandbox. Browsers take
#: `localhost` for a secure context, as they do an application's own https address.
ORIGIN = "http://localhost"
#: What the page's clock shows, in milliseconds since 1970: 2025-01-15 12:00 UTC.
_NOW_MS = 1_736_942_400_000
#: How long a page may take to answer at all, to render its root, to stop changing, and to show
#: what is expected. Many times what it takes, so that no verdict depends on how busy a machine is.
_ANSWER_MS, _RENDER_MS, _SETTLE_MS, _EXPECT_MS = 10_000, 15_000, 10_000, 10_000
#: The driver stops looking this long before its own time is up, to write down what it saw.
_RESERVE_S = 15.0

#: The driver's exit status when there is no browser.
_NO_BROWSER = 70

_SITE_BYTES = 256 * MIB
_RESULT_BYTES = 64 * MIB
_TALLEST_PX = 3_000
_OUT = "out"
_INDEX = "index.html"
_INDEX_BYTES = MIB
#: Where a page says that its application is served, and what of it is a folder on the same server.
_BASE = re.compile(r"""<base\b[^>]*?\bhref\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_FOLDER = re.compile(r"/(?:(?!\.\.?/)[\w.~-]{1,100}/){1,10}", re.ASCII)


class BrokenBootError(Exception):
    """The boot broke off, or left something that is no record: the application's own doing."""


@dataclass(frozen=True)
class Site:
    """A built application: the folder on the host, and its files' paths below it."""

    root: Path
    files: Sequence[str]
    #: The folder of the server that its page says it is served from, `/` or `/a/b/`.
    base: str = "/"

    @classmethod
    def find(cls, folder: Path) -> Site | None:
        """The application below a folder: the outermost folder with an index.html; None without.

        Only regular files count, and no link is followed.
        """
        tree = SourceTree.scan(folder)
        indexes = sorted(tree.named(_INDEX), key=lambda path: (path.count("/"), path))
        if not indexes or tree.problem:
            return None
        inside = indexes[0].removesuffix(_INDEX)
        names = [path.removeprefix(inside) for path in tree.files if path.startswith(inside)]
        page = tree.text(indexes[0], _INDEX_BYTES) or ""
        named = _BASE.search(page)
        below = named is not None and _FOLDER.fullmatch(named[1]) is not None
        return cls(folder / inside, names, named[1] if named is not None and below else "/")

    def pack(self, blob: Path) -> dict[str, tuple[int, int, str]]:
        """Write all files into one; offset, length and content type of each.

        Raises:
            CopyLimitError: together they are too large.
        """
        placed: dict[str, tuple[int, int, str]] = {}
        tree = SourceTree.scan(self.root)
        with blob.open("wb") as target:
            for name in self.files:
                content = tree.read(name, _SITE_BYTES)
                if content is None:
                    continue
                offset = target.tell()
                if offset + len(content) > _SITE_BYTES:
                    raise CopyLimitError(f"the application has more than {_SITE_BYTES} bytes")
                target.write(content)
                placed[name] = (offset, len(content), _content_type(name))
        return placed


def _content_type(name: str) -> str:
    # Not the host's own tables: the same everywhere.
    kind, _ = mimetypes.MimeTypes().guess_type(name)
    if name.endswith((".js", ".mjs")):
        kind = "text/javascript"
    kind = kind or "application/octet-stream"
    text = kind.startswith("text/") or kind in {"application/json", "image/svg+xml"}
    return f"{kind}; charset=utf-8" if text else kind


def _answers(
    boot: Boot, fixtures: Sequence[HttpFixture], directory: Path
) -> Iterator[dict[str, Any]]:
    """Every recorded answer, the boot's own first, with bodies in base64."""
    for own in boot.fixtures:
        body = own.body.encode()
        for url in own.urls:
            yield _answer(own.method, url, own.status, own.content_type, body)
    for shared in fixtures:
        if shared.body_file is not None:
            body = (directory / shared.body_file).read_bytes()
        else:
            body = (shared.body or "").encode()
        yield _answer("GET", shared.url, shared.status, shared.content_type, body)


def _answer(method: str, url: str, status: int, content_type: str, body: bytes) -> dict[str, Any]:
    return {
        "method": method,
        "url": url,
        "status": status,
        "content_type": content_type,
        "body": base64.b64encode(body).decode(),
    }


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
    """All of a boot but the application: what to open and to do, and how long it may take."""

    boot: Boot
    #: Recorded answers besides those of `boot`.
    fixtures: Sequence[HttpFixture]
    #: The instance's folder, which bodies of fixtures lie in.
    directory: Path
    #: Seconds from when the application is there.
    timeout_s: float

    @property
    def standby(self) -> Standby:
        """A browser with open pages, waiting for the application."""
        return Standby(browser_recipe(), self.bring)

    def bring(self, sandbox: Sandbox) -> str:
        """Bring the driver and what it is told; the command that starts the browser."""
        script = (files("pytest_benchmac.tracks.angular.boot") / "drive.mjs").read_bytes()
        sandbox.copy_in(script, sandbox.inbox / "drive.mjs")
        sandbox.copy_in(json.dumps(self.told()).encode(), sandbox.inbox / "plan.json")
        out = sandbox.project / _OUT
        return f"mkdir {_OUT} && node {sandbox.inbox}/drive.mjs {sandbox.inbox} {out}"

    def told(self) -> dict[str, Any]:
        """What `drive.mjs` is told. Times in milliseconds, sizes in bytes or characters."""
        return {
            "playwright": f"/{PLAYWRIGHT}",
            "executable": str(CHROMIUM),
            "origin": ORIGIN,
            "index": _INDEX,
            "fixtures": list(_answers(self.boot, self.fixtures, self.directory)),
            "root": self.boot.root,
            "version_attribute": VERSION_ATTRIBUTE,
            "viewport": self.boot.viewport,
            "routes": _numbered(self.boot),
            "now": _NOW_MS,
            "answer_ms": _ANSWER_MS,
            "render_ms": _RENDER_MS,
            "settle_ms": _SETTLE_MS,
            "expect_ms": _EXPECT_MS,
            "budget_ms": 1000 * max(self.timeout_s - _RESERVE_S, self.timeout_s / 2),
            "bounds": {
                "message": record.MAX_MESSAGE,
                "entries": record.MAX_ENTRIES,
                "nodes": record.MAX_NODES,
                "html": record.MAX_HTML,
                "tall": _TALLEST_PX,
            },
        }

    def drive(
        self,
        sandbox: Sandbox,
        finish: Callable[[float], int | None],
        site: Site,
        *,
        scratch: Path,
        screenshots: Path,
    ) -> BootRecord:
        """Boot an application where the command of `standby` waits for it.

        Args:
            sandbox: of `browser_recipe`, without any network.
            finish: waits for that command, for at most so many seconds; its exit code.
            site: the application.
            scratch: a folder on the host for what goes in.
            screenshots: a new folder on the host, for the screenshots.

        Raises:
            BrokenBootError: nothing that can be read came out.
            CopyLimitError: the application, or what came out, is too large.
            SandboxError: the sandbox failed.
        """
        blob = scratch / "site.bin"
        placed = site.pack(blob)
        sandbox.copy_in(blob, sandbox.inbox / "site.bin")
        # Last: the driver takes it for the sign that all is there.
        index = {"base": site.base, "files": placed}
        sandbox.copy_in(json.dumps(index).encode(), sandbox.inbox / "site.json")
        blob.unlink()
        code = finish(self.timeout_s)
        copied = sandbox.copy_out(
            sandbox.project / _OUT, screenshots, max_bytes=_RESULT_BYTES, max_files=MAX_PAGES + 1
        )
        result = screenshots / "result.json"
        if code == _NO_BROWSER:
            raise SandboxError(
                "the browser does not start in its sandbox; the log of the stage says why",
                remedy="`benchmac images` lists the browser's base: remove it for a new one.",
            )
        if code != 0 or not result.exists():
            raise BrokenBootError(
                "the boot took too long"
                if code is None
                else f"the boot ended with exit code {code}"
            )
        content = result.read_bytes()
        result.unlink()
        try:
            driven = Driven.model_validate_json(content)
        except ValidationError as error:
            first = error.errors()[0]
            raise BrokenBootError(f"the boot's record is not one: {first['msg']}") from error
        taken = {str(file.path) for file in copied.files}
        for page in driven.pages:
            if page.screenshot is not None and page.screenshot not in taken:
                raise BrokenBootError(
                    f"the boot's record names a screenshot {page.screenshot} of none"
                )
        return record_of(driven, self.boot.root)
