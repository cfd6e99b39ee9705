"""What the entry page says of itself, to browsers, search engines and other hosts.

That is its head, and what its outermost elements say of all that is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.page import Element, elements
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.findings import Findings

#: What may be written anew: how a page looks in lists and in frames of windows, and what no browser
#: asks for any more.
_FREE = re.compile(
    r"application-name|apple-mobile-web-app-.*|author|cleartype|color-scheme|content-type|"
    r"description|generator|handheldfriendly|keywords|mobile-web-app-.*|mobileoptimized|"
    r"msapplication-.*|theme-color|x-ua-compatible"
)
#: What others show of a page that they lead to, and what windows of it are called.
_DESCRIBES = re.compile(
    r"description|application-name|apple-mobile-web-app-title|og:(?:title|description|site_name)|"
    r"twitter:(?:title|description)"
)
#: What a page that says nothing of the kind may not begin to say.
_RESTRICTS = re.compile(
    r"robots|.*bot|.*bot-news|referrer|refresh|content-security-policy(?:-report-only)?"
)
_VIEWPORT = "viewport"
#: Of a viewport: what keeps people from enlarging the page, and what browsers do not know any more.
_NARROWS = ("maximum-scale", "minimum-scale", "user-scalable")
_IGNORED = ("minimal-ui", "shrink-to-fit")
#: Relations that lead somebody somewhere. What styles and scripts load is judged by other rules.
_LEADING = frozenset(
    {
        *("alternate", "amphtml", "apple-touch-icon", "canonical", "icon", "license", "manifest"),
        *("mask-icon", "next", "prev", "search"),
    }
)
_CANONICAL = "canonical"
#: Said of all that somebody reads there: browsers shall not translate it.
_TRANSLATE = "translate"
_UNTRANSLATED = "notranslate"
#: Where one search engine, and the browser of its maker, are told that.
_GOOGLE = "google"
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:(?!image/)|[/\\]{2}", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """One thing that a head says."""

    #: Its name, such as `viewport` or `link canonical`.
    name: str
    #: Without what makes no difference.
    content: str
    #: As it is written.
    written: str
    line: int

    @property
    def restricts(self) -> bool:
        """Does it take something away where nothing is said?"""
        if self.name == _VIEWPORT:
            return any(word in self.content for word in _NARROWS)
        if self.name == _GOOGLE:
            return _UNTRANSLATED in self.content
        if self.name == _TRANSLATE:
            return True
        return bool(_RESTRICTS.fullmatch(self.name)) or self.name == f"link {_CANONICAL}"

    @property
    def own(self) -> bool:
        """Is it a link to a file of the application?"""
        link = self.name.startswith("link ") and self.name != f"link {_CANONICAL}"
        data = self.content.lower().startswith("data:image/")
        return link and (data or not _ELSEWHERE.match(self.content))


def head(page: str) -> Iterator[Said]:
    """What a page says of itself. Never fails."""
    for each in elements(page[:MIB]):
        if _is_outermost(each) and (written := _untranslated(each)):
            yield Said(_TRANSLATE, "no", written, each.line)
        if each.name == "meta":
            for key in ("name", "http-equiv", "property"):
                name = each.attributes.get(key, "").strip().lower()
                if name and not _FREE.fullmatch(name):
                    written = each.attributes.get("content", "")
                    if name == _GOOGLE:
                        # Its maker's browser takes the older form as well.
                        written = written or each.attributes.get("value", "")
                    yield Said(name, _content(name, written), written, each.line)
        elif each.name == "link":
            href = each.attributes.get("href", "").strip()
            for relation in _LEADING.intersection(each.attributes.get("rel", "").lower().split()):
                yield Said(f"link {relation}", href, href, each.line)


def _described(page: str) -> Iterator[Said]:
    """How a page describes itself to who does not see it. Never fails."""
    for each in elements(page[:MIB]):
        name = (each.attributes.get("name") or each.attributes.get("property", "")).strip().lower()
        if each.name == "meta" and _DESCRIBES.fullmatch(name):
            written = each.attributes.get("content", "")
            yield Said(name, " ".join(written.split()), written, each.line)


def _is_outermost(element: Element) -> bool:
    """Is all that the application shows within it? Its root has the name of a component."""
    root = "-" in element.name and not element.name.endswith("icon")
    return root or element.name in ("html", "body")


def _untranslated(element: Element) -> str:
    """How an element says that it must not be translated; empty where it does not."""
    if element.attributes.get("translate", "").strip().lower() == "no":
        return 'translate="no"'
    classes = element.attributes.get("class", "").split()
    return f'class="{_UNTRANSLATED}"' if _UNTRANSLATED in map(str.lower, classes) else ""


def _content(name: str, written: str) -> str:
    """The words, in any order, without how they are parted; numbers by their value."""
    if name == _VIEWPORT:
        pairs = re.sub(r"\s*=\s*", "=", written.lower())
        words = [each for each in re.split(r"[\s,;]+", pairs) if each]
        words = [each for each in words if not each.startswith(_IGNORED)]
        return ", ".join(sorted({re.sub(r"(?<=\d)\.0+$", "", each) for each in words}))
    restricts = bool(_RESTRICTS.fullmatch(name)) and "security" not in name
    if (restricts and name != "refresh") or name == _GOOGLE:
        return ", ".join(sorted(set(filter(None, re.split(r"[\s,]+", written.lower())))))
    return " ".join(written.split())


def check_head(
    target: BuildTarget,
    before: Sequence[BuildTarget],
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """The entry page says the same of itself as it did.

    Args:
        target: the patched one.
        before: those of the baseline that it may come from.
        trees: the baseline's and the patched one.
        findings: where to.
    """
    path = target.path("index")
    page = trees[1].text(path, MIB) if path is not None else None
    if path is None or page is None:
        return
    pages = [trees[0].text(old.path("index") or "", MIB) for old in before]
    old = [list(head(each)) for each in pages if each is not None]
    described = {each.content for one in pages if one is not None for each in _described(one)}
    for each in _described(page):
        if each.content not in described:
            # People describe their pages anew; whether that is true, nobody can tell but them.
            findings.warning(
                "page-described",
                f"The entry page describes itself otherwise: `{each.name}`.",
                file=path,
                line=each.line,
                expected="the base's words, or none",
                seen=each.written,
            )
    new = list(head(page))
    names = {each.name for each in new}
    known = {(each.name, each.content): each for said in old for each in said}
    had = {name: each.written for (name, _), each in known.items()}
    for each in new:
        if (each.name, each.content) in known or each.own:
            continue
        if each.name in had or each.restricts or each.name.startswith("link "):
            findings.fatal(
                "page-told",
                f"The entry page says something else of itself: `{each.name}`.",
                file=path,
                line=each.line,
                expected=had.get(each.name, "none"),
                seen=each.written,
            )
    for name in dict.fromkeys(each.name for said in old[:1] for each in said):
        if name == _TRANSLATE or (name == _GOOGLE and _UNTRANSLATED in had[name].lower()):
            # A page that may be translated now takes nothing away.
            continue
        if name not in names and all(name in {each.name for each in said} for said in old):
            findings.fatal(
                "page-told",
                f"The entry page does not say any more what it said of itself: `{name}`.",
                file=path,
                line=1,
                expected=had[name],
                seen="nothing",
            )
