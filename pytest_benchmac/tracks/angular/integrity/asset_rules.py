"""What a build copies beside its bundles: it is still there, and has in it what it had."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.asset_pictures import (
    is_picture,
    of_data,
    shows_nothing,
)
from pytest_benchmac.tracks.angular.integrity.page import FOLDER, active_content, elements
from pytest_benchmac.tracks.angular.integrity.server_files import check_orders
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import assets, digest
from pytest_benchmac.tracks.findings import Findings

_MAX_BYTES = 4 * MIB
#: What browsers ask for where a page names no icon.
_UNASKED = "favicon.ico"
#: So many icons of a page are looked at: each is decoded.
_MAX_ICONS = 50
_ICONS = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed"})
#: An empty file that a host acts on: it takes folders whose names begin with `_`. Others, such as
#: `.gitkeep` and `.npmignore`, are there for other programs.
_FOR_HOSTS = ".nojekyll"


def check_copied(
    target: BuildTarget,
    old: BuildTarget | None,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """What the base copies beside its bundles is still there; new orders for servers are told.

    Args:
        target: of the patched tree.
        old: of the base; None where it has none like it.
        trees: the base's and the patched one.
        findings: where to.
    """
    if old is None:
        return
    old_tree, tree = trees
    copied, before = assets(target, tree), assets(old, old_tree)
    absent = [file for place, file in before.items() if place not in copied]
    # Most trees copy the same places, and nothing has to be read.
    contents = {digest(tree, file) for file in copied.values()} if absent else set()
    gone = [
        file
        for file in absent
        if (old_tree.files[file] or file.rpartition("/")[2] == _FOR_HOSTS)
        and digest(old_tree, file) not in contents
    ]
    if gone:
        findings.fatal(
            "asset-missing",
            "The build does not copy a file any more that the base's build does.",
            file=gone[0],
            expected="all assets of the base, wherever they lie",
            seen=f"{len(gone)} missing",
        )
    for place in sorted(before.keys() & copied.keys()):
        _check_content(place, (before[place], copied[place]), trees, findings)
    _check_icons((old, target), (before, copied), trees, findings)
    check_orders((before, copied), trees, findings)


def _check_content(
    place: str, paths: tuple[str, str], trees: tuple[SourceTree, SourceTree], findings: Findings
) -> None:
    """A file that lies where it lay has in it what it had, or something at least."""
    before, after = (tree.read(path, _MAX_BYTES) for tree, path in zip(trees, paths, strict=True))
    if before is None or (after is not None and _text(before) == _text(after)):
        return
    if after is None:
        findings.warning(
            "asset-changed",
            f"The build copies a file to {place} that is too large to be looked at.",
            file=paths[1],
            expected=f"the base's {len(before)} bytes",
            seen=f"more than {_MAX_BYTES} bytes",
        )
        return
    picture = is_picture(place) and not shows_nothing(place, before)
    emptied = before.strip() and (
        not after.strip() or (picture and shows_nothing(place, after, before))
    )
    (findings.fatal if emptied else findings.warning)(
        "asset-emptied" if emptied else "asset-changed",
        f"There is nothing any more in a file that the build copies to {place}."
        if emptied
        else f"The build copies another file to {place} than the base's does.",
        file=paths[1],
        expected=f"the base's {len(before)} bytes",
        seen=f"{len(after)} bytes",
    )


def _text(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").rstrip()


def _check_icons(
    targets: tuple[BuildTarget, BuildTarget],
    copied: tuple[dict[str, str], dict[str, str]],
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """If the entry page has an icon, it has one that shows something."""
    if (number := len(_named(targets[1], trees[1]))) > _MAX_ICONS:
        findings.fatal(
            "asset-emptied",
            "The entry page has more icons than are looked at.",
            file=targets[1].path("index"),
            expected=f"at most {_MAX_ICONS}",
            seen=number,
        )
        return
    had, has = (
        list(_icons(target, places, tree))
        for target, places, tree in zip(targets, copied, trees, strict=True)
    )
    if not any(content is not None and not shows_nothing(name, content) for name, content in had):
        return
    seen = [content is not None and not shows_nothing(name, content) for name, content in has]
    known = {content for _, content in had}
    for shows, (name, content) in zip(seen, has, strict=True):
        if shows or content in known:
            continue
        if content is not None or not any(seen):
            findings.fatal(
                "asset-emptied",
                "An icon of the entry page shows nothing.",
                file=targets[1].path("index"),
                expected="an icon, as the base has it",
                seen=name,
            )


def _named(target: BuildTarget, tree: SourceTree) -> list[str]:
    """Addresses of icons that the entry page names, each once."""
    page = tree.text(target.path("index") or "", MIB) or ""
    named = (
        each.attributes.get("href", "").strip()
        for each in elements(page[:MIB])
        if each.name == "link" and _ICONS & set(each.attributes.get("rel", "").lower().split())
    )
    return list(dict.fromkeys(named))


def _icons(
    target: BuildTarget, copied: dict[str, str], tree: SourceTree
) -> Iterator[tuple[str, bytes | None]]:
    """Name and content of each icon that a page names; None for what is not copied."""
    page = tree.text(target.path("index") or "", MIB) or ""
    folders = [each.content for each in active_content(page) if each.kind == FOLDER]
    for address in _named(target, tree)[:_MAX_ICONS] or [_UNASKED]:
        if (written := of_data(address)) is not None:
            if is_picture(written[0]):
                yield written
            continue
        path = re.sub(r"[?#].*", "", address)
        places = (normal_path(path.lstrip("/")), normal_path((folders or [""])[0], path))
        # All assets may have moved, which is not looked at here.
        called = [each for each in copied if each.rpartition("/")[2] == path.rpartition("/")[2]]
        place = next((each for each in (*places, *called) if each in copied), None)
        # What comes from elsewhere is for rules on addresses.
        if "//" not in address and is_picture(path):
            yield address, None if place is None else tree.read(copied[place], _MAX_BYTES)
