"""A hook of MkDocs: pages of the repository that lie outside of docs/, and links to them.

On the repository's own pages links are relative to the file, so that they work where the files are
read as they are. Here each is led to the page that the site has of it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
#: Pages outside of docs/: path in the repository -> path on the site. Files that pages link to and
#: that are no page of the site lie below `repository/`.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "measured.md",
    "instances/README.md": "packaged-instances.md",
}
_LINK = re.compile(r"(\]\()([^)\s:#]+)(#[^)\s]*)?(\))")
#: What the API page is made of, by mkdocstrings.
_REFERENCE = """\
# Reference

What `pytest_benchmac.api` offers; [Judging as a function](api.md) has examples.

::: pytest_benchmac.api
    options:
      members: true

::: pytest_benchmac.model.settings

::: pytest_benchmac.model.evaluation

::: pytest_benchmac.tracks.protocol
"""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs/, and the files that pages link to."""
    pages = PAGES | {
        path: posixpath.join("tracks", path.removeprefix("pytest_benchmac/tracks/"))
        for path in _tracked_readmes()
    }
    config.extra["pages"] = pages
    for path, place in pages.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    files.append(File.generated(config, "reference.md", content=_REFERENCE))
    for path in sorted(_linked_files(files, pages)):
        place = posixpath.join("repository", path)
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links out of docs/ to pages of the site."""
    pages: dict[str, str] = config.extra["pages"]
    source = _source_of(page.file, pages)
    return _LINK.sub(lambda link: _led(link, source, page.file.src_uri, pages), markdown)


def _tracked_readmes() -> list[str]:
    folder = ROOT / "pytest_benchmac" / "tracks"
    return [path.relative_to(ROOT).as_posix() for path in sorted(folder.rglob("README.md"))]


def _source_of(file: File, pages: dict[str, str]) -> str:
    """Where a page of the site lies in the repository."""
    for path, place in pages.items():
        if place == file.src_uri:
            return path
    return posixpath.join("docs", file.src_uri)


def _target(link: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _linked_files(files: Files, pages: dict[str, str]) -> set[str]:
    found = set()
    for file in files.documentation_pages():
        source = _source_of(file, pages)
        for link in _LINK.finditer(file.content_string):
            target = _target(link[2], source)
            if target not in pages and not target.startswith("docs/") and (ROOT / target).is_file():
                found.add(target)
    return found


def _led(link: re.Match[str], source: str, here: str, pages: dict[str, str]) -> str:
    target = _target(link[2], source)
    if target in pages:
        place = pages[target]
    elif target.startswith("docs/"):
        place = target.removeprefix("docs/")
    elif (ROOT / target).is_file():
        place = posixpath.join("repository", target)
    else:
        return link[0]
    led = posixpath.relpath(place, posixpath.dirname(here) or ".")
    return f"{link[1]}{led}{link[3] or ''}{link[4]}"
