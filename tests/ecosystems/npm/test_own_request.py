"""The harness asks, through the same proxy, for what a case got no answer to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.judging.network import answers_harness
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.network.network import Attachment, Network
from pytest_benchmac.tracks.registry import get_track
from tests.network.tiny import Client, TinyRegistry


@pytest.fixture
def answered(
    proxied: Network, attachment: Attachment, monkeypatch: pytest.MonkeyPatch
) -> SimpleNamespace:
    """What the question needs of a case whose sandbox had this network."""
    monkeypatch.setattr(get_track("toy"), "ecosystems", (npm,))
    return SimpleNamespace(
        network=proxied,
        track=get_track("toy"),
        prepared_image=SimpleNamespace(provenance="pulled"),
        attachments=[attachment],
        submission=SimpleNamespace(case=SimpleNamespace(id="{a/b}")),
    )


def test_the_very_url_is_asked_for_again(
    registry: TinyRegistry, client: Client, attachment: Attachment, answered: SimpleNamespace
) -> None:
    registry.publish("npm", "1.0.0")
    content = registry.publish("left", "1.0.0")
    assert answers_harness(answered)  # type: ignore[arg-type]
    registry.forged["left-1.0.0.tgz"] = content + b"more"
    url = registry.url + "left/-/left-1.0.0.tgz"
    assert client.get(url).status == 502
    assert attachment.report().failed_urls == (url,)
    # The registry answers, but not this: an honest patch may need it.
    assert not answers_harness(answered)  # type: ignore[arg-type]
    registry.forged.clear()
    assert answers_harness(answered)  # type: ignore[arg-type]


def test_a_registry_that_does_not_answer(registry: TinyRegistry, answered: SimpleNamespace) -> None:
    registry.broken = 503
    assert not answers_harness(answered)  # type: ignore[arg-type]


def test_what_is_refused_is_no_failure(
    registry: TinyRegistry, client: Client, attachment: Attachment
) -> None:
    """Another host than the registry's, whatever a tool makes of the refusal."""
    assert client.get("http://elsewhere.invalid/left").status == 403
    assert attachment.report().failures == ()
    assert attachment.report().failed_urls == ()


def test_only_registries_are_asked(registry: TinyRegistry, attachment: Attachment) -> None:
    registry.publish("left", "1.0.0")
    assert attachment.ask(registry.url + "left") == 200
    with pytest.raises(NetworkError, match="of no registry"):
        attachment.ask("https://elsewhere.invalid/left")
