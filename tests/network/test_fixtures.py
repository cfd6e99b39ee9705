"""Recorded answers, for hosts that need not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.network import Network, Origin

from .tiny import NPM, Client, TinyRegistry


def test_fixtures_answer_for_hosts_that_do_not_exist(proxied: Network, tmp_path: Path) -> None:
    (tmp_path / "font.woff2").write_bytes(b"\x00font")
    fixtures = [
        HttpFixture(url="https://fonts.invalid/css2", content_type="text/css", body="@font-face{}"),
        HttpFixture(url="https://fonts.invalid/f/a.woff2", body_file="font.woff2"),
        HttpFixture(url="http://plain.invalid/page", status=404, body="gone"),
        HttpFixture(url="https://FONTS.invalid:8443/css2", body="another port"),
    ]
    with proxied.attach("a case", fixtures, tmp_path, ecosystems=NPM) as attachment:
        client = Client(attachment)
        css = client.get("https://fonts.invalid/css2?family=Roboto:wght@300;400&display=swap")
        assert (css.status, css.headers["content-type"], css.text) == (
            200,
            "text/css",
            "@font-face{}",
        )
        assert client.get("https://fonts.invalid/f/a.woff2").body == b"\x00font"
        plain = client.get("http://plain.invalid/page")
        assert (plain.status, plain.text) == (404, "gone")
        assert client.get("https://fonts.invalid:8443/css2").text == "another port"
        refused = client.get("https://fonts.invalid/other")
        assert refused.status == 403
        assert "proxied" in refused.text
        log = {(each.host, each.port): each.origins for each in attachment.report().hosts}
    assert log == {
        ("fonts.invalid", 443): {Origin.FIXTURE: 2, Origin.REFUSED: 1},
        ("fonts.invalid", 8443): {Origin.FIXTURE: 1},
        ("plain.invalid", 80): {Origin.FIXTURE: 1},
    }


def test_cases_have_their_own_fixtures_and_logs(registry: TinyRegistry, proxied: Network) -> None:
    one = HttpFixture(url="https://fonts.invalid/css", body="one")
    two = HttpFixture(url="https://fonts.invalid/css", body="two")
    registry.publish("left", "1.0.0")
    with (
        proxied.attach("one", [one], ecosystems=NPM) as first,
        proxied.attach("two", [two], ecosystems=NPM) as second,
        proxied.attach("none", ecosystems=NPM) as third,
    ):
        assert Client(first).get("https://fonts.invalid/css").text == "one"
        assert Client(second).get("https://fonts.invalid/css").text == "two"
        Client(second).get(registry.url + "left")
        with pytest.raises(OSError, match="403"):
            Client(third).get("https://fonts.invalid/css")
        assert [each.requests for each in first.report().hosts] == [1]
        assert [each.requests for each in second.report().hosts] == [1, 1]
        assert [each.allowed for each in third.report().hosts] == [False]


@pytest.mark.parametrize("name", ["missing.css", "../outside.css", "/etc/hostname"])
def test_a_fixture_whose_file_cannot_be_had(proxied: Network, tmp_path: Path, name: str) -> None:
    (tmp_path / "outside.css").write_text("outside")
    (tmp_path / "instance").mkdir()
    fixture = HttpFixture(url="https://fonts.invalid/css", body_file=name)
    with pytest.raises(InstanceError, match="body_file"):
        proxied.attach("a case", [fixture], tmp_path / "instance", ecosystems=NPM)
