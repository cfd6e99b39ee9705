"""The real proxy, from inside real sandboxes: what an instance's fixtures and the policy allow."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.model.evaluation import Origin
from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.network import Attachment, Network
from pytest_benchmac.sandbox.base import NetworkAttachment
from tests.sandbox.tiny import MakeSandbox

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FIXTURES = (
    # A git repository of two files, as any web server can offer it.
    HttpFixture(url="https://git.invalid/a.git/info/refs", body=f"{COMMIT}\trefs/heads/main\n"),
    HttpFixture(url="https://git.invalid/a.git/HEAD", body="ref: refs/heads/main\n"),
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "command.log"


@pytest.fixture(params=["proxied", "offline"])
def attachment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Attachment]:
    with (
        Network(request.param, tmp_path) as network,
        network.attach("test", FIXTURES) as attachment,
    ):
        yield attachment


def test_a_fixture_is_read_over_tls_by_the_tools_of_the_image(
    make: MakeSandbox, attachment: Attachment, log: Path
) -> None:
    with make(network=attachment.sandbox) as sandbox:
        command = "git ls-remote https://git.invalid/a.git"
        listed = sandbox.run(command, timeout_s=60, log=log, capture_bytes=1000)
        assert listed.stdout.decode() == f"{COMMIT}\tHEAD\n{COMMIT}\trefs/heads/main\n", (
            listed.stderr
        )
        # The authority is the proxy's own; without it nobody believes the proxy.
        distrusting = sandbox.run(
            command,
            timeout_s=60,
            log=log,
            env={"GIT_SSL_CAINFO": "/dev/null", "SSL_CERT_FILE": "/dev/null"},
        )
        assert distrusting.exit_code != 0
    (host,) = attachment.report().hosts
    assert (host.host, host.port, host.allowed) == ("git.invalid", 443, True)
    assert host.origins == {Origin.FIXTURE: 2}


def test_everything_else_is_refused_and_recorded(
    make: MakeSandbox, attachment: Attachment, log: Path
) -> None:
    with make(network=attachment.sandbox) as sandbox:
        for url in ("https://elsewhere.invalid/a.git", "http://192.0.2.1/a.git"):
            got = sandbox.run(f"git ls-remote {url}", timeout_s=60, log=log)
            assert got.exit_code != 0
            assert "403" in got.stderr
        straight = "env -u HTTPS_PROXY -u https_proxy git ls-remote https://git.invalid/a.git"
        assert sandbox.run(straight, timeout_s=60, log=log).exit_code != 0
    refused = {(each.host, each.port, each.allowed) for each in attachment.report().hosts}
    assert refused == {("elsewhere.invalid", 443, False), ("192.0.2.1", 80, False)}


def test_files_of_the_home_are_the_stage_users_own(make: MakeSandbox, log: Path) -> None:
    files = {".m2/settings.xml": b"<settings/>", ".m2/more/deep": b"x", ".rc": b"rc"}
    with make(network=NetworkAttachment(policy="open", home_files=files)) as sandbox:
        command = "cd && cat .rc .m2/settings.xml && echo >> .m2/more/deep && touch .m2/new && pwd"
        done = sandbox.run(command, timeout_s=60, log=log, capture_bytes=1000)
        assert done.stdout.decode() == f"rc<settings/>{sandbox.home}\n", done.stderr
