"""What a URL below a PyPI index names: the simple API (PEP 503 and 691) and its files.

Files usually lie on another host than the index. Sandboxes are shown an index whose files lie
beside it; the harness fetches each from where the registry's own index says, by its SHA-256.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import quote, unquote, urljoin, urlsplit

from pytest_benchmac.ecosystems.address import (
    DEFAULT_PORTS,
    Described,
    File,
    MetadataAddress,
    Registry,
)
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage, text_of
from pytest_benchmac.ecosystems.cache import Document, integrity_of
from pytest_benchmac.ecosystems.upstream import UpstreamError

_JSON, _HTML = "application/vnd.pypi.simple.v1+json", "text/html"
_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+!-]{0,230}\.(?:whl|tar\.gz|tar\.bz2|zip)")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Release:
    """A file that an index names."""

    filename: str
    url: str
    sha256: str
    requires_python: str = ""
    #: False, or the reason, which may be empty.
    yanked: bool | str = False

    @property
    def usable(self) -> bool:
        """Can it be asked for, fetched and verified? ValueError where its address is none."""
        return (
            _FILE.fullmatch(self.filename) is not None
            and _SHA256.fullmatch(self.sha256) is not None
            and urlsplit(self.url).scheme in DEFAULT_PORTS
        )


class PypiRepository:
    """One index; see `answers.Repository`."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def project(self, name: str) -> MetadataAddress:
        """What the index says of a project, whose name may have any spelling."""
        normal = normalised(name)
        return MetadataAddress(
            url=f"{self.registry.url}{normal}/",
            place=f"{self.registry.folder}/{normal}/index",
            accept=f"{_JSON}, {_HTML}; q=0.1",
        )

    def file(self, project: str, filename: str) -> File:
        """A published file of a project."""
        normal = normalised(project)
        return File(
            url=f"{self.registry.url}{normal}/{quote(filename)}",
            place=f"{self.registry.folder}/{normal}/files/{filename}",
            package=normal,
            filename=filename,
        )

    def resource(self, path: str, accept: str) -> MetadataAddress | File | None:
        """See `answers.Repository`."""
        project, _, filename = unquote(path).partition("/")
        if not _PROJECT.fullmatch(project):
            return None
        if not filename:
            return self.project(project)
        return self.file(project, filename) if _FILE.fullmatch(filename) else None

    def releases(self, document: Document, project: str) -> tuple[Release, ...]:
        """The files with a SHA-256 that a project's index names, wheels first.

        Raises:
            UpstreamError: it cannot be read.
        """
        if document.status != 200:
            return ()
        text, page = text_of(document, project), self.project(project).url
        try:
            if document.content_type.partition(";")[0].strip().endswith("json"):
                found = list(_from_json(json.loads(text), page))
            else:
                found = _from_html(text.decode(), page)
            kept = [each for each in found if each.usable]
        except (ValueError, TypeError, AttributeError) as error:
            raise UpstreamError(f"the index of {project} cannot be read: {error!r}") from error
        return tuple(sorted(kept, key=lambda each: not each.filename.endswith(".whl")))

    def describe(self, file: File, answers: Answers, usage: FetchUsage) -> Described | None:
        """By the project's index; published files never change, so a stored one of any age does."""
        metadata = self.project(file.package)
        stored = answers.kept(metadata)
        if stored and (found := self._described(stored, file)):
            return found
        document, _ = answers.document(metadata, usage)
        return self._described(document, file)

    def _described(self, document: Document, file: File) -> Described | None:
        for each in self.releases(document, file.package):
            if each.filename == file.filename:
                return Described(each.url, integrity_of("sha256", each.sha256))
        return None

    def shown(self, metadata: MetadataAddress, document: Document) -> Document:
        """The index with its files beside it, in HTML, which every client takes."""
        releases = self.releases(document, metadata.url.rstrip("/").rpartition("/")[2])
        page = gzip.compress(_page(releases).encode(), 1, mtime=0)
        return Document(document.status, page, _HTML)


def normalised(name: str) -> str:
    """A project's name as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _from_json(index: dict[str, object], page: str) -> Iterable[Release]:
    files = index.get("files")
    for each in files if isinstance(files, list) else ():
        yanked = each.get("yanked", False)
        yield Release(
            filename=str(each["filename"]) if "filename" in each else "",
            url=urljoin(page, str(each.get("url", ""))),
            sha256=str((each.get("hashes") or {}).get("sha256", "")).lower(),
            requires_python=str(each.get("requires-python") or ""),
            yanked=yanked if isinstance(yanked, (bool, str)) else False,
        )


class _Anchors(HTMLParser):
    """Collects the files that a page of the simple API links to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self._page = page
        self.found: list[Release] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag != "a" or not (address := given.get("href")):
            return
        url, _, fragment = urljoin(self._page, address).partition("#")
        algorithm, _, digest = fragment.partition("=")
        self.found.append(
            Release(
                filename=unquote(urlsplit(url).path.rpartition("/")[2]),
                url=url,
                sha256=digest.lower() if algorithm == "sha256" else "",
                requires_python=given.get("data-requires-python") or "",
                yanked=(given["data-yanked"] or "") if "data-yanked" in given else False,
            )
        )


def _from_html(text: str, page: str) -> list[Release]:
    anchors = _Anchors(page)
    anchors.feed(text)
    return anchors.found


def _page(releases: Iterable[Release]) -> str:
    lines = []
    for each in releases:
        more = ""
        if each.requires_python:
            more += f' data-requires-python="{html.escape(each.requires_python)}"'
        if each.yanked is not False:
            reason = "" if each.yanked is True else each.yanked
            more += f' data-yanked="{html.escape(reason)}"'
        href = f"{quote(each.filename)}#sha256={each.sha256}"
        lines.append(f'<a href="{href}"{more}>{html.escape(each.filename)}</a><br>')
    return "<!DOCTYPE html><html><body>\n" + "\n".join(lines) + "\n</body></html>\n"
