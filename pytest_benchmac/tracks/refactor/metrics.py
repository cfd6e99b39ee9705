"""The numbers of CodeTaste (2026), as pure functions of what stages recorded."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_benchmac.tracks.metrics import Metric

#: In the order that tables show them.
METRICS = {
    "alignment": Metric("rules", title="A", share=True),
    "alignment_plus": Metric("rules", title="A+", share=True),
    "alignment_minus": Metric("rules", title="A-", share=True),
    "pass": Metric("test", title="pass"),
    "ifr": Metric("rules", title="IFR", share=True),
    "ifr_plus": Metric("rules", title="IFR+", share=True),
    "ifr_minus": Metric("rules", title="IFR-", share=True),
    "prec": Metric("lines", title="prec", share=True),
    "prec_plus": Metric("lines", title="prec+", share=True),
    "prec_minus": Metric("lines", title="prec-", share=True),
    "behaviour_kept": Metric("behaviour", title="behaviour"),
}


def passes(passed: int, failed: int, *, p: int, f: int) -> bool:
    """`pass`: P >= p and F <= f (section 4.1).

    p is the lowest number that passed in any of the recorded runs, k of base and k of golden, f
    the highest that failed; a run that crashed has (0, 0).
    """
    return passed >= p and failed <= f


def followed(met: Iterable[bool]) -> float:
    """The share of rules that are met, in [0, 1]; 0 without rules.

    `ifr_plus` (section 2.1): additive rules that match the patched tree. `ifr_minus`: reductive
    rules that do not.
    """
    values = list(met)
    return sum(values) / len(values) if values else 0.0


def weighted(plus: float, weight_plus: int, minus: float, weight_minus: int) -> float:
    """Both shares, weighted: `ifr` by numbers of rules, `prec` by numbers of lines; 0 for none."""
    total = weight_plus + weight_minus
    return (plus * weight_plus + minus * weight_minus) / total if total else 0.0


def aligned(passing: bool, share: float, *, rejected: bool) -> float:
    """`alignment` = pass x ifr, and so for the signs (section 4.1); 0 for a rejected case."""
    return share if passing and not rejected else 0.0


def precision_of(covered: int, changed: int) -> float:
    """|L ∩ C| / |L| (section 4.1): the share of changed lines that matches lie on; 0 for none.

    `prec_plus`: lines that came, and matches of additive rules in the patched tree. `prec_minus`:
    lines that went, and matches of reductive rules in the base.

    Args:
        covered: |L ∩ C|.
        changed: |L|.
    """
    return covered / changed if changed else 0.0
