"""Patterns that nothing runs: rules met only by code that no behaviour reaches. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_benchmac.tracks.findings import Findings

#: Code of the finding. A warning keeps a case from being resolved as well.
DEAD_PATTERN = "dead-pattern"
#: A match is alive if, of its lines, at least this part of golden's share ran. See the README.
LEAST_PART = 0.4
#: Of the rules that golden's behaviour reaches, as large a share may be dead in honest work: a
#: better design may leave a pattern to the tests alone.
MOST_DEAD = 0.1


def check_dead(
    findings: Findings,
    golden: Mapping[str, float],
    patched: Mapping[str, float],
    names: Mapping[str, str],
) -> None:
    """Where golden's matches run, the patch's do too.

    Args:
        findings: gets the code `dead-pattern`: a warning for each rule up to `MOST_DEAD` of them,
            fatal for all of them beyond.
        golden: key of an additive rule -> largest share of a match's lines that ran.
        patched: likewise, for the rules that match.
        names: the rules' own ids, by key.
    """
    alive = {key: share for key, share in golden.items() if share > 0}
    dead = [key for key in alive if key in patched and patched[key] < LEAST_PART * alive[key]]
    tell = findings.fatal if len(dead) > MOST_DEAD * len(alive) else findings.warning
    for key in dead:
        tell(
            DEAD_PATTERN,
            f"The rule {names.get(key, key)} is met only by code that no behaviour reaches: at "
            f"most {patched[key]:.0%} of a match's lines run, of golden's {alive[key]:.0%}.",
            expected=f"{LEAST_PART * alive[key]:.2f}",
            seen=f"{patched[key]:.2f}",
        )
