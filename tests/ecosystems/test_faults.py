"""What package managers say of each fault, captured and now, and what the proxy sees of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.faults import Fault
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.network.network import Network
from tests.ecosystems.faults import (
    SERVED,
    TOOLS,
    UNREACHED,
    Tool,
    meet,
    run_tool,
    serving_faults,
    small_disk,
    without_places,
)
from tests.ecosystems.forwarded import environment
from tests.network.test_lifecycle import proxies, temporary
from tests.network.tiny import eventually

pytestmark = pytest.mark.promise("fault")

__all__ = ["temporary"]

EXPECTED = {
    "status_503": Fault.STATUS,
    "status_429": Fault.STATUS,
    "timeout": Fault.TIMEOUT,
    "reset": Fault.RESET,
    "closed": Fault.RESET,
    "truncated": Fault.TRUNCATED,
    "corrupt": Fault.CORRUPT,
    "refused": Fault.REFUSED,
    "dns": Fault.DNS,
    "disk_full": Fault.NO_SPACE,
    "memory": Fault.MEMORY,
}
CAPTURED = [(tool, fault) for tool in TOOLS.values() for fault in tool.faults]
CAPTURED_IDS = [f"{tool.ecosystem.name}-{fault}" for tool, fault in CAPTURED]


def expected(tool: Tool, fault: str) -> Fault:
    """pip takes an answer that ends early for a file of another digest."""
    if (tool.ecosystem.name, fault) == ("pypi", "truncated"):
        return Fault.CORRUPT
    return EXPECTED[fault]


@pytest.mark.parametrize(("tool", "fault"), CAPTURED, ids=CAPTURED_IDS)
def test_the_table_names_the_fault_of_each_captured_output(tool: Tool, fault: str) -> None:
    output = (tool.outputs / f"{fault}.txt").read_text()
    blamed = tool.ecosystem.blamed(output)
    assert blamed is not None
    assert blamed.fault is expected(tool, fault)
    assert blamed.line in output
    # Of the network alone is what may be the registry's, by words.
    of_network = blamed.fault not in {Fault.CORRUPT, Fault.NO_SPACE, Fault.MEMORY}
    assert bool(tool.ecosystem.network_failure(output)) is of_network
    (rule,) = [each for each in tool.ecosystem.faults if fault in each.samples]
    assert rule.fault is blamed.fault


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_each_row_has_its_source(tool: Tool) -> None:
    rows = tool.ecosystem.faults
    assert all(bool(each.samples) != bool(each.origin) for each in rows)
    named = sorted(sample for each in rows for sample in each.samples)
    assert named == sorted(path.stem for path in tool.outputs.iterdir())


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_outputs_say_nothing_of_the_machine_they_are_from(tool: Tool) -> None:
    for path in tool.outputs.iterdir():
        text = path.read_text()
        assert without_places(text) == text
        hosts = re.findall(r"https?://([^/:\s']+)", text)
        assert {each for each in hosts if not each.endswith("apache.org")} <= {"registry.invalid"}


@pytest.mark.parametrize(
    "output", ["", "npm error code E404\n", "[ERROR] Could not find artifact a:b:jar:1 in c (u)\n"]
)
def test_what_packages_lack_blames_nobody(output: str) -> None:
    assert [tool.ecosystem.blamed(output) for tool in TOOLS.values()] == [None, None, None]


@pytest.mark.parametrize("fault", ["status_503", "reset", "refused", "truncated", "corrupt"])
@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_the_tool_that_is_here_says_the_same(tool: Tool, fault: str, tmp_path: Path) -> None:
    if shutil.which(tool.program) is None:
        pytest.skip(f"{tool.program} is not installed")
    code, output = meet(tool, fault, tmp_path)
    assert code != 0
    blamed = tool.ecosystem.blamed(output)
    assert blamed is not None, output
    assert blamed.fault is expected(tool, fault), output


#: What takes the proxy no minutes: it waits for a slow answer four times.
SEEN = [each for each in (*SERVED, *UNREACHED) if each not in {"timeout", "dns"}]


@pytest.mark.parametrize("fault", SEEN)
@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_the_proxy_sees_the_fault_itself(tool: Tool, fault: str, tmp_path: Path) -> None:
    """Whatever the tool says; and that there was none, once the registry is well again."""
    if shutil.which(tool.program) is None:
        pytest.skip(f"{tool.program} is not installed")
    ecosystem = tool.ecosystem
    with serving_faults(tool, fault) as registry:
        url = registry.url if fault in SERVED else "http://localhost:9/"
        with (
            Network("proxied", tmp_path / "cache", registries={ecosystem.name: url}) as network,
            network.attach("a case", ecosystems=[ecosystem]) as attachment,
        ):
            (tmp_path / "home").mkdir()
            with environment(attachment, tmp_path / "home") as env:
                code, _ = run_tool(tool, tmp_path / "home", _through(env, tmp_path / "home"))
                assert code != 0
                seen = attachment.report()
                assert seen.failures != ()
                assert seen.failed_urls != ()


def test_a_proxy_that_is_killed_while_an_install_waits(tmp_path: Path, temporary: Path) -> None:
    """The install fails, what it asked for is unknown, and the next case has another proxy."""
    tool = TOOLS["npm"]
    if shutil.which(tool.program) is None:
        pytest.skip(f"{tool.program} is not installed")
    home = tmp_path / "home"
    home.mkdir()
    with (
        serving_faults(tool, "timeout") as registry,
        Network("proxied", tmp_path / "cache", registries={"npm": registry.url}) as network,
        ThreadPoolExecutor(1) as pool,
    ):
        attachment = network.attach("a case", ecosystems=[npm])
        with environment(attachment, home) as env:
            installing = pool.submit(run_tool, tool, home, {**env, "npm_config_fetch_timeout": "0"})
            assert eventually(lambda: registry.asked)
            (proxy,) = proxies(temporary)
            os.kill(proxy, signal.SIGKILL)
            code, output = installing.result()
            assert code != 0
            blamed = npm.blamed(output)
            assert blamed is not None, output
            assert blamed.fault.of_network
            with pytest.raises(NetworkError, match="the proxy"):
                attachment.report()
        with pytest.raises(NetworkError, match="the proxy"):
            attachment.close()
        assert attachment.report().hosts == ()
        registry.fault = ""
        shutil.rmtree(home / "node_modules", ignore_errors=True)
        with (
            network.attach("the next", ecosystems=[npm]) as following,
            environment(following, home) as env,
        ):
            assert run_tool(tool, home, env)[0] == 0


def test_a_disk_without_room_for_the_cache(tmp_path: Path) -> None:
    """The proxy cannot keep what it fetched: that is seen, and is no failure of the submission."""
    tool, home, cache = TOOLS["npm"], tmp_path / "home", tmp_path / "cache"
    if shutil.which(tool.program) is None:
        pytest.skip(f"{tool.program} is not installed")
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    home.mkdir()
    with (
        serving_faults(tool) as registry,
        small_disk(cache, "512k"),
        Network("proxied", cache, registries={"npm": registry.url}) as network,
        network.attach("a case", ecosystems=[npm]) as attachment,
        environment(attachment, home) as env,
    ):
        code, _ = run_tool(tool, home, env)
        assert code != 0
        assert "No space left on device" in " ".join(attachment.report().failures)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_well_registry_has_no_fault(tool: Tool, tmp_path: Path) -> None:
    """The tools' commands succeed: what fails above is the fault's doing."""
    if shutil.which(tool.program) is None:
        pytest.skip(f"{tool.program} is not installed")
    code, output = meet(tool, "", tmp_path)
    assert (code, tool.ecosystem.blamed(output)) == (0, None), output


def _through(env: dict[str, str], home: Path) -> dict[str, str]:
    """Of the variables, Maven knows no HOME."""
    return {**env, "MAVEN_OPTS": f"-Duser.home={home}", "PIP_RETRIES": "1"}
