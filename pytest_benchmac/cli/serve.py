"""`benchmac report --serve`: pages of report folders on loopback, written anew as runs go on."""

from __future__ import annotations

import hashlib
import html
import json
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from rich.console import Console

from pytest_benchmac.judging.running import running_cases
from pytest_benchmac.model.errors import BenchmacError, InputError
from pytest_benchmac.report.asked import asked_in
from pytest_benchmac.report.cases import load_cases
from pytest_benchmac.report.page.page import ASSETS, packaged_silver_patches, write_page

_LOOPBACK = "127.0.0.1"
#: Names under which a browser on this machine asks. A page of another site, which has its own name
#: point here (DNS rebinding), does not get an answer.
_OWN_NAMES = frozenset({"127.0.0.1", "localhost"})


@dataclass
class _Run:
    """One report folder, and the page that is kept of it."""

    name: str
    folder: Path
    page: Path
    stamp: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self) -> str:
        """Write the page again if a record was added or changed; the new stamp."""
        with self.lock:
            stamp = self._stamp()
            if stamp != self.stamp:
                running = running_cases(self.folder)
                write_page(
                    self.page,
                    load_cases([self.folder]),
                    title=f"Report: {self.name}",
                    live=True,
                    # While cases run, what has no record is not missing yet.
                    asked=None if running else asked_in([self.folder]),
                    running=running,
                    stamp=stamp,
                    patches=packaged_silver_patches(),
                )
                self.stamp = stamp
            return stamp

    def _stamp(self) -> str:
        digest = hashlib.sha256()
        for path in sorted((self.folder / "evaluations").glob("*/*.json")):
            try:
                told = path.stat()
            except FileNotFoundError:
                continue
            digest.update(f"{path} {told.st_mtime_ns} {told.st_size}\n".encode())
        digest.update("\n".join(running_cases(self.folder)).encode())
        return digest.hexdigest()[:16]


def report_folders(folders: Sequence[Path]) -> Iterator[Path]:
    """The folders themselves where they hold evaluations, else those right in them that do."""
    for folder in folders:
        if (folder / "evaluations").is_dir():
            yield folder
        elif folder.is_dir():
            yield from sorted(p.parent for p in folder.glob("*/evaluations") if p.is_dir())


class _Handler(SimpleHTTPRequestHandler):
    """Serves the list of runs, and below `/<number>/` the page of each."""

    def __init__(self, server: ReportServer, *args: object, **kwargs: object) -> None:
        self._benchmac = server
        super().__init__(*args, directory=str(server.pages), **kwargs)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if host not in _OWN_NAMES:
            self.send_error(HTTPStatus.FORBIDDEN, "ask for localhost")
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/":
            self._send(self._benchmac.index(), "text/html; charset=utf-8")
            return
        run = self._benchmac.runs.get(path.split("/")[1])
        if run is None:
            self.send_error(HTTPStatus.NOT_FOUND, "no such run")
            return
        rest = "/".join(path.split("/")[2:])
        try:
            if rest in ("", "index.html", f"{ASSETS}/stamp.json"):
                stamp = run.refresh()
                if rest.endswith("stamp.json"):
                    self._send(json.dumps({"stamp": stamp}), "application/json")
                    return
        except BenchmacError as error:
            self._send(str(error), "text/plain; charset=utf-8", HTTPStatus.SERVICE_UNAVAILABLE)
            return
        super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Nothing: the terminal says where to look, and stays quiet."""

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        """No listings."""
        self.send_error(HTTPStatus.NOT_FOUND, "nothing here")

    def _send(self, text: str, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class ReportServer:
    """Pages of runs on loopback; `close` stops it and removes them."""

    def __init__(self, folders: Sequence[Path], *, port: int = 0) -> None:
        """Bind the port.

        Args:
            folders: report folders, or folders of them.
            port: 0 takes a free one.

        Raises:
            InputError: no report folder, or the port is taken.
        """
        self._scratch = tempfile.TemporaryDirectory(prefix="benchmac-pages-")
        self.pages = Path(self._scratch.name)
        self._folders = tuple(folders)
        self.runs: dict[str, _Run] = {}
        #: Each request is answered in a thread of its own.
        self._finding = threading.Lock()
        self._find_runs()
        if not self.runs:
            self._scratch.cleanup()
            raise InputError(
                "no report folder here",
                where=", ".join(map(str, folders)),
                remedy="Name the folder that pytest got as --reports, or the one above it.",
            )
        try:
            self._http = ThreadingHTTPServer((_LOOPBACK, port), partial(_Handler, self))
        except OSError as error:
            self._scratch.cleanup()
            raise InputError(
                f"cannot listen on port {port}: {error.strerror}",
                where="--port",
                remedy="Choose another; 0 takes a free one.",
            ) from error
        self.url = f"http://{_LOOPBACK}:{self._http.server_address[1]}/"

    def _find_runs(self) -> None:
        """Runs that started since are found too; a run keeps its address."""
        with self._finding:
            known = {run.folder for run in self.runs.values()}
            for folder in report_folders(self._folders):
                resolved = folder.resolve()
                if resolved not in known:
                    number = str(len(self.runs) + 1)
                    self.runs[number] = _Run(resolved.name, resolved, self.pages / number)

    def index(self) -> str:
        """The list of runs."""
        self._find_runs()
        items = "".join(
            f'<li><a href="/{quote(number)}/">{html.escape(run.name)}</a>'
            f" <small>{html.escape(str(run.folder))}</small></li>"
            for number, run in list(self.runs.items())
        )
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Runs</title>'
            "<style>body{font:16px system-ui;margin:2rem}:root{color-scheme:light dark}</style>"
            f"<h1>Runs</h1><ul>{items}</ul></html>"
        )

    def serve_forever(self) -> None:
        """Answer until `close`."""
        self._http.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Stop, and remove the pages."""
        self._http.shutdown()
        self._http.server_close()
        self._scratch.cleanup()


def serve(folders: Sequence[Path], *, port: int) -> int:
    """Serve until interrupted; the exit status."""
    server = ReportServer(folders, port=port)
    thread = threading.Thread(target=server.serve_forever, name="benchmac-serve", daemon=True)
    thread.start()
    try:
        # Whoever reads this may interrupt at once.
        told = f"{server.url}  (Ctrl-C ends it)"
        Console(highlight=False, soft_wrap=True).print(told, markup=False)
        thread.join()
    except KeyboardInterrupt:
        return 0
    finally:
        server.close()
    return 0
