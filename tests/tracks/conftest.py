"""What tests of tracks say of their corpora of attacks and honest patches."""

import pytest

from scripts.closing_lines import CORPUS, corpus_rates, corpus_worst


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
