"""What grows with a session, and need not."""

import re

import pytest

from tests.toy_bench import Bench

#: Writes of which phases pytest keeps reports that passed, and whether pytest-json-report's
#: details are still at them.
KEPT = """
import pathlib, pytest

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(session.config, "workerinput"):
        reports = [each for kept in terminal.stats.values() for each in kept]
        phases = sorted({each.when for each in reports})
        detailed = any(hasattr(each, "_json_report_extra") for each in reports)
        pathlib.Path("kept").write_text(f"{' '.join(phases)} {detailed}")
"""


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["one process", "workers"])
def test_a_session_keeps_only_what_it_tells_in_the_end(
    bench: Bench, workers: tuple[str, ...]
) -> None:
    """Ten thousand cases have 120,000 reports."""
    bench.instance()
    bench.patch()
    bench.write("conftest.py", KEPT)
    session = bench.judge(*workers)
    assert session.status == 0, session
    assert (bench.root / "kept").read_text() == "call False"
    assert {"setup", "call", "teardown"} <= set(bench.report()["tests"][0])
    slowest = bench.judge("--rerun", "--durations=0", "--durations-min=0", *workers)
    assert (bench.root / "kept").read_text() == "call setup teardown False"
    assert re.search(r"s setup +benchmac/test_toy.py::test_patch", slowest.out), slowest
