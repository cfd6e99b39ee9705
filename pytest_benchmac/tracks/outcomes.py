"""Outcomes of stages, from what they recorded."""

from __future__ import annotations

from pytest_benchmac.model.evaluation import Outcome, StageResult


def command_reason(result: StageResult) -> str:
    """Why the stage's last command did not succeed; empty when it exited with 0."""
    if result.exit_code == 0:
        return ""
    if result.attempts and (limits := result.attempts[-1].limits_hit):
        return f"stopped at the sandbox's bound on {', '.join(limits)}"
    return f"exit code {result.exit_code}"


def has_passed(stage: StageResult | None) -> bool | None:
    """Did the stage pass? None where it was not reached, or there is none."""
    if stage is None or stage.outcome is Outcome.NOT_REACHED:
        return None
    return stage.outcome is Outcome.PASSED
