"""`benchmac propose-boot`, on a built application in a real browser."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from pytest_benchmac.tracks.angular.commands.propose_boot import Crawl, links
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.test_compare import page
from tests.tracks.angular.boot.test_stage import INSTANCE


def test_links_to_the_same_application_only() -> None:
    dom = "\n".join(
        f'<a class="x" href="{href}">'
        for href in (
            "/a",
            "b?page=2",
            "https://elsewhere.example/c",
            "//elsewhere.example/d",
            "mailto:ada@example.org",
            "#top",
            "/#/deep",
            "javascript:alert(1)",
        )
    )
    assert links(page(dom=dom, path="/here/now")) == ["/a", "/here/b", "/here/now", "/#/deep"]


def test_a_start_page_that_leads_elsewhere_is_followed() -> None:
    def boot(paths: Sequence[str]) -> BootRecord:
        pages = tuple(
            page(route=each, path="/board" if each == "/" else each, root="app-root")
            for each in paths
        )
        return BootRecord(browser="150", pages=pages)

    crawl = Crawl.of(boot, max_routes=3)
    assert [each.route for each in crawl.pages] == ["/board"]


def test_a_section_is_proposed_from_the_links(
    built: Path,
    tmp_path: Path,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    site.write(built, version="1.0.0")
    folder = tmp_path / "ferry"
    (folder / "source").mkdir(parents=True)
    (folder / "instance.toml").write_text(INSTANCE.partition("[boot]")[0])
    status = main(["propose-boot", "ferry", "--instances", str(folder), "--built", str(built)])
    printed = capsys.readouterr().out
    assert status == 0
    boot = tomllib.loads(printed)["boot"]
    assert boot["root"] == "app-root"
    assert [route["path"] for route in boot["routes"]] == ["/", "/book", "/boats"]
    assert "#   GET https://api.example/ferries?page=1" in printed
    Boot.model_validate(boot | {"routes": tuple(boot["routes"])})
