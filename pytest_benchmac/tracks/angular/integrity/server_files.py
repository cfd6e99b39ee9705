"""Files beside an application that servers act on, and by which nobody may get it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import digest
from pytest_benchmac.tracks.findings import Findings

#: Files that servers take orders from: Apache, Netlify and its like, IIS, GitHub, Azure, Firebase.
_ORDERS = frozenset(
    {
        ".htaccess",
        ".htpasswd",
        "_headers",
        "_redirects",
        "_worker.js",
        "cname",
        "firebase.json",
        "netlify.toml",
        "staticwebapp.config.json",
        "vercel.json",
        "web.config",
    }
)
_ROBOTS = "robots.txt"
_KEEPS_OUT = re.compile(r"^[ \t]*disallow[ \t]*:[ \t]*[^\s#]", re.IGNORECASE | re.MULTILINE)
#: Names of files that Apache's orders are for, where these are others than the application's.
_OF_OTHERS = re.compile(r"(?!.*(?:html|js|css)).*\w", re.IGNORECASE)
#: What stands for all addresses in a pattern of Apache.
_ALL = re.compile(r"/|\.|\^|\^?/?\(?\.[*+]\)?\$?")
_STATUS = re.compile(r"\d{3}|permanent|temp|seeother|gone", re.IGNORECASE)
_MAX_NAME, _MAX_BLOCKS = 200, 50
_LEADS = frozenset({"R", "REDIRECT"})
_REFUSES = frozenset({"F", "FORBIDDEN", "G", "GONE"}) | _LEADS
#: Conditions that tell one name of a server from another, or pages with encryption from others.
_OF_HOSTS = re.compile(
    r"%\{(?:HTTP_HOST|SERVER_NAME|SERVER_PORT|HTTPS|HTTP:X-Forwarded-Proto)\}", re.IGNORECASE
)
#: All addresses lead elsewhere than to the application's page, or that of one of its languages.
_REDIRECTS = re.compile(
    r"^[ \t]*/?\*[ \t]++(?!/(?:(?:[\w-]{1,20}/)?index\.html)?(?:[ \t]+200!?)?[ \t]*(?:#|\r?$))"
    r"[^\n]*",
    re.MULTILINE,
)


def check_orders(
    copies: tuple[Mapping[str, str], Mapping[str, str]],
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """New orders for servers are told; those by which nobody gets the application are refused.

    Args:
        copies: where files of the base, and of the patched tree, are copied to: path there ->
            path in the tree.
        trees: the base's and the patched one.
        findings: where to.
    """
    before, copied = copies
    old_tree, tree = trees
    known = {digest(old_tree, file) for file in before.values()}
    # A base that keeps search engines out, say, may say more in that file.
    said = {place.lower(): _closed(place, old_tree, file) for place, file in before.items()}
    for place, file in copied.items():
        name = place.rpartition("/")[2].lower()
        text = (tree.text(file, MIB) or "") if name in _ORDERS or name == _ROBOTS else ""
        acted_on = name in _ORDERS or bool(_KEEPS_OUT.search(text))
        if not acted_on or digest(tree, file) in known:
            continue
        closed = _closed(place, tree, file)
        if closed == said.get(place.lower()):
            closed = ""
        # One of the thesis's silver patches brings one that leads all addresses to the page: that
        # is told, and no reason to refuse.
        (findings.fatal if closed else findings.warning)(
            "server-file",
            f"The build copies a file that servers act on to {place}"
            + (", by which the application is not to be had." if closed else "."),
            file=file,
            expected="the base's, or none",
            seen=f"{place}: {closed}" if closed else place,
        )


def _closed(place: str, tree: SourceTree, file: str) -> str:
    """The order by which nobody gets the application; empty where there is none."""
    orders = _CLOSED.get(place.rpartition("/")[2].lower())
    return orders(tree.text(file, MIB) or "") if orders is not None else ""


def _by_apache(text: str) -> str:
    #: Of each block that a line is in: is it for other files than the application's, or for other
    #: requests than those that get them?
    for_others: list[bool] = []
    #: Does what comes next hold for some names of the server, or without encryption alone?
    some_hosts = False
    for line in text.splitlines():
        directive, _, rest = line.strip().partition(" ")
        directive = directive.lower()
        if directive.startswith("</"):
            del for_others[-1:]
        elif directive.startswith("<"):
            for_others.append(_is_for_others(directive, rest))
        elif directive == "rewritecond":
            some_hosts = some_hosts or _OF_HOSTS.match(rest.lstrip()[:_MAX_NAME]) is not None
        elif not any(for_others[-_MAX_BLOCKS:]) and _closes(directive, rest.split(), some_hosts):
            return line.strip()
        elif directive == "rewriterule":
            some_hosts = False
    return ""


def _is_for_others(block: str, rest: str) -> bool:
    if block.startswith("<files"):
        return _OF_OTHERS.match(rest[:_MAX_NAME]) is not None
    gets = "get" in rest.lower().rstrip("> \t").split()
    return (block == "<limit" and not gets) or (block == "<limitexcept" and gets)


def _closes(directive: str, words: Sequence[str], some_hosts: bool) -> bool:
    """Does an order of Apache keep everybody from everything?

    Args:
        directive: its name.
        words: what is said behind it.
        some_hosts: is it for requests to some hosts, or in some way, alone? These may lead
            elsewhere.
    """
    said = " ".join(words[:2]).lower()
    if directive in ("require", "deny"):
        return said in ("all denied", "not all", "from all")
    plain = [word.strip("\"'") for word in words]
    if directive in ("redirect", "redirectmatch"):
        if plain and _STATUS.fullmatch(plain[0]):
            plain = plain[1:]
        return bool(plain and _ALL.fullmatch(plain[0]))
    if directive == "rewriterule" and len(plain) > 2 and _ALL.fullmatch(plain[0]):
        flags = {each.partition("=")[0].upper() for each in plain[-1].strip("[]").split(",")}
        # That pages come encrypted is said by the name that the server has.
        refuses = flags & (_REFUSES - _LEADS if some_hosts else _REFUSES)
        return bool(refuses) and "%{" not in plain[1]
    return False


def _by_redirects(text: str) -> str:
    found = _REDIRECTS.search(text)
    return found[0].strip() if found else ""


def _by_robots(text: str) -> str:
    """Is everything forbidden to every search engine? Some may be kept out."""
    everybody = ruled = forbidden = False
    for line in text.splitlines():
        key, _, value = (part.strip().lower() for part in line.partition("#")[0].partition(":"))
        if key == "user-agent":
            # Names that follow each other share what comes then.
            everybody = (everybody and not ruled) or value == "*"
            ruled = False
        elif key in ("allow", "disallow"):
            ruled = True
            if everybody and value in ("/", "/*"):
                forbidden = key == "disallow"
    return "Disallow: / for all" if forbidden else ""


_CLOSED: Mapping[str, Callable[[str], str]] = {
    ".htaccess": _by_apache,
    "_redirects": _by_redirects,
    _ROBOTS: _by_robots,
}
