"""Tests are kept: as many cases and assertions as base or golden have. Pure."""

from __future__ import annotations

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.refactor.integrity.sources import Tests


def check_kept(findings: Findings, base: Tests, golden: Tests, patched: Tests) -> None:
    """Cases and assertions, as a parser counts them, are not fewer than the lower of the two.

    A test that is skipped, or asserts nothing but constants, does not count, and tests of the same
    text count once: so those that were emptied, skipped or multiplied are missed.

    Args:
        findings: gets the codes `tests-missing` and `assertions-missing`.
        base: of the base.
        golden: of the golden tree.
        patched: of the patched tree.
    """
    for code, name in (("tests-missing", "cases"), ("assertions-missing", "assertions")):
        wanted = min(getattr(base, name), getattr(golden, name))
        seen = getattr(patched, name)
        if seen < wanted:
            findings.fatal(
                code,
                f"The tests have {seen} {name} that count; base and golden have at least {wanted}.",
                expected=wanted,
                seen=seen,
            )
