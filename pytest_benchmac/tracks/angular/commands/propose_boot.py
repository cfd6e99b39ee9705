"""`benchmac propose-boot`: write a `[boot]` section by following the links of a built baseline."""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.errors import BaselineError, InstanceError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.angular.boot.browser import BootPlan, BrokenBootError
from pytest_benchmac.tracks.angular.boot.conditions import ORIGIN
from pytest_benchmac.tracks.angular.boot.config import Boot, Route
from pytest_benchmac.tracks.angular.boot.dom import VERSION_ATTRIBUTE
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Page
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness

#: Finds the root element by the framework's mark, before its name is known.
_ANY_ROOT = f"[{VERSION_ATTRIBUTE}]"
_LINK = re.compile(r'^ *<a\b[^\n]*? href="([^"\n]*)"', re.MULTILINE)
_THRESHOLD = 0.8
_ROUTES = 8

BootPaths = Callable[[Sequence[str]], BootRecord]


@dataclass
class Crawl:
    """The pages that were found, in the order they were."""

    pages: list[Page] = field(default_factory=list)

    @classmethod
    def of(cls, boot: BootPaths, *, max_routes: int, base: str = "/") -> Crawl:
        """Follow links from `/`, breadth first.

        Args:
            boot: boots the application at some paths.
            max_routes: how many pages to find at most. Pages that lead elsewhere do not count.
            base: the folder of the server that the application is served from.
        """
        crawl = cls()
        known, waiting = {"/"}, ["/"]
        while waiting and len(crawl.pages) < max_routes:
            now = waiting[: max_routes - len(crawl.pages)]
            del waiting[: len(now)]
            for page in boot(now).pages:
                if not page.rendered:
                    continue
                # Of a page that leads elsewhere only where to.
                found = [page.path.partition("?")[0]]
                if page.path == page.route:
                    crawl.pages.append(page)
                    found = links(page, base)
                new = [path for path in found if path not in known]
                known.update(new)
                waiting += dict.fromkeys(new)
        return crawl

    def toml(self) -> str:
        """The section, with what its author should know as comments.

        Raises:
            BaselineError: no page rendered.
        """
        if not self.pages:
            raise BaselineError(
                "no page of the application rendered anything",
                remedy="Give the built application of a baseline that runs.",
            )
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "[boot]"
        yield f"root = {_quoted(self.pages[0].root or '')}"
        yield "# Not calibrated yet: see tracks/angular/boot/README.md."
        yield f"min_tree_similarity = {_THRESHOLD}"
        for page in self.pages:
            yield ""
            yield "[[boot.routes]]"
            yield f"# {page.title}: {shown(page.text[:80])}"
            yield f"path = {_quoted(page.route)}"
        refused = [
            f"{each.method} {each.url}"
            for page in self.pages
            for each in page.requests
            if each.why == "refused"
        ]
        if refused:
            yield ""
            yield "# Refused, since no fixture answers; [[boot.fixtures]] with `urls` would:"
            yield from (f"#   {each}" for each in dict.fromkeys(refused))


def links(page: Page, base: str = "/") -> list[str]:
    """Paths of the same application that a page links to, without query.

    Args:
        page: as it was seen; its own path is one below the base.
        base: the folder of the server that the application is served from.
    """
    found: list[str] = []
    for href in _LINK.findall(page.dom):
        parts = urlsplit(urljoin(ORIGIN + base + page.path[1:], href))
        path = parts.path or "/"
        same = f"{parts.scheme}://{parts.netloc}" == ORIGIN and path.startswith(base)
        if same and re.fullmatch(r"/[^\s]{0,400}", path):
            route = f"#{parts.fragment}" if parts.fragment.startswith("/") else ""
            found.append(f"/{path[len(base) :]}{route}")
    return list(dict.fromkeys(found))


def _quoted(text: str) -> str:
    # A JSON string is a TOML one.
    return json.dumps(text, ensure_ascii=True)


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac propose-boot`."""
    parser = subparsers.add_parser(
        "propose-boot",
        aliases=["propose-browser-check"],
        help="propose the [boot] section of an Angular instance",
        description="Build the untouched base of an instance, follow its links in a browser, and "
        "print a [boot] section to start from: interactions, fixtures and threshold are for its "
        "author.",
        epilog="examples:\n"
        "  benchmac propose-boot my_app_v1_to_v2 --instances my-instances\n"
        "  benchmac propose-browser-check my_app_v1_to_v2 --built dist/my-app   (built already)",
    )
    parser.add_argument("instance", metavar="INSTANCE", help="its id")
    parser.add_argument(
        "--built",
        metavar="DIR",
        type=Path,
        help="the folder of a base that is built already (default: build it now)",
    )
    parser.add_argument(
        "--routes",
        metavar="N",
        type=int,
        default=_ROUTES,
        help="list at most so many pages (default: %(default)s)",
    )
    harness.add_run_options(parser, reports=Path("reports/propose-boot"))
    parser.set_defaults(run=lambda args: _run(args, harness))


def _run(args: argparse.Namespace, harness: Harness) -> int:
    settings = harness.settings(args)
    instance = harness.instance(args, AngularInstance)
    built: Path = args.built or _build(instance, settings, harness)
    site = Site.find(built)
    if site is None:
        raise InstanceError("there is no index.html below this folder", where=built)
    crawl = Crawl.of(
        lambda paths: _boot(paths, site, instance, settings, harness),
        max_routes=max(1, args.routes),
        base=site.base,
    )
    harness.say(crawl.toml().removesuffix("\n"))
    return 0


def _build(instance: AngularInstance, settings: Settings, harness: Harness) -> Path:
    """Build the untouched base, and keep it with the reports."""
    plain = instance.model_copy(update={"boot": None, "tests": None})
    evaluation = harness.evaluate(plain, harness.baseline(plain), settings)
    if not evaluation.resolved:
        failed = "; ".join(
            f"{each.name}: {each.reason}" for each in evaluation.stages if each.reason
        )
        why = evaluation.error.message if evaluation.error else failed
        raise BaselineError(
            f"the base of {instance.id} cannot be built: {why}",
            remedy=f"`benchmac validate {instance.id}` says more; logs are below "
            f"{settings.reports}.",
        )
    if evaluation.artifacts_dir is None:
        raise BaselineError(f"the base of {instance.id} leaves no built application behind")
    return settings.reports / evaluation.artifacts_dir


def _boot(
    paths: Sequence[str],
    site: Site,
    instance: AngularInstance,
    settings: Settings,
    harness: Harness,
) -> BootRecord:
    declared = instance.boot
    boot = Boot(
        root=_ANY_ROOT,
        routes=tuple(Route(path=path) for path in paths),
        fixtures=declared.fixtures if declared else (),
        min_tree_similarity=_THRESHOLD,
    )
    plan = BootPlan(
        boot,
        instance.http_fixtures,
        instance.directory,
        instance.timeouts.boot,
        seed=settings.seed or 0,
        plain=True,
    )
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmac-")))
        sandbox = stack.enter_context(
            harness.bare_sandbox(plan.standby.recipe, settings, label=instance.id)
        )
        browser = sandbox.start(plan.standby.bring(sandbox), log=scratch / "boot.log")
        try:
            return plan.drive(
                sandbox,
                lambda timeout_s: browser.wait(timeout_s).exit_code,
                site,
                screenshots=scratch / "screenshots",
            )
        except BrokenBootError as error:
            raise BaselineError(f"{instance.id}: {error}") from error
