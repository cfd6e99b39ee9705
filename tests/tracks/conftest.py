"""What tests of tracks share, and what they say of their corpora of attacks and honest patches."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from pytest_benchmac.model.settings import Settings
from pytest_benchmac.network.network import Network
from scripts.closing_lines import CORPUS, corpus_rates, corpus_worst

Networks = Callable[[Settings], Network]


@pytest.fixture(scope="session")
def network_of() -> Iterator[Networks]:
    """The network that settings ask for: one proxy for all cases of a process, as a run has."""
    known: dict[object, Network] = {}
    with ExitStack() as stack:

        def get(settings: Settings) -> Network:
            key = (settings.network, settings.cache, settings.cache_bytes)
            if key not in known:
                known[key] = stack.enter_context(Network.of(settings))
            return known[key]

        yield get


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Both rates, each patch counted once however many tests looked at it."""
    worst = corpus_worst(
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for key, value in getattr(report, "user_properties", ())
        if key == CORPUS
    )
    if not worst:
        return
    terminalreporter.section("exploit corpus")
    for line in corpus_rates(worst).splitlines():
        terminalreporter.write_line(line)
    for (_, kind, _, name), failed in sorted(worst.items()):
        if failed:
            terminalreporter.write_line(f"  {kind}: {name}", red=True)
