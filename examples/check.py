"""Compare the records of a demo run with expected.toml.

Usage: check.py [--partial] EXPECTED REPORTS

With --partial the run was told to judge some of the cases only.
"""

import sys
import tomllib
from pathlib import Path

from rich.console import Console

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation, Outcome
from pytest_benchmac.model.submission import Case


def seen_outcome(evaluation: Evaluation) -> str:
    """`resolved`, or the stage that failed; `mixed` when a later stage ran nevertheless."""
    if evaluation.error:
        return f"infrastructure error: {evaluation.error.message}"
    if evaluation.resolved:
        return "resolved"
    outcomes = [stage.outcome for stage in evaluation.stages]
    if Outcome.FAILED not in outcomes:
        return "not resolved, and no stage failed"
    at = outcomes.index(Outcome.FAILED)
    if set(outcomes[:at]) <= {Outcome.PASSED} and set(outcomes[at + 1 :]) <= {Outcome.NOT_REACHED}:
        return f"fails at {evaluation.stages[at].name}"
    return f"mixed: {', '.join(outcomes)}"


def expected_outcomes(expected: Path) -> dict[Case, str]:
    """What has to become of each case of the demo."""
    fails_at = tomllib.loads(expected.read_text())["fails_at"]
    outcomes = {
        Case(instance_id=instance, sut="silver"): "resolved"
        for instance in load_instances(pattern="trailbook_*")
    }
    for patch in sorted((expected.parent / "patches").glob("*/*.patch")):
        sut = patch.parent.name
        outcomes[Case(instance_id=patch.stem, sut=sut)] = f"fails at {fails_at[sut]}"
    return outcomes


def main(expected: Path, reports: Path, *, partial: bool) -> int:
    """Print a line per case; 1 when any is not as expected, or is missing from a whole run."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    store = EvaluationStore(reports)
    wrong = missing = right = 0
    for case, outcome in expected_outcomes(expected).items():
        evaluation = store.load(case)
        if evaluation is None:
            seen, verdict = "no record", "not judged"
            missing += 1
        else:
            seen = seen_outcome(evaluation)
            right += seen == outcome
            wrong += seen != outcome
            verdict = "as expected" if seen == outcome else f"EXPECTED: {outcome}"
        console.print(f"  {case.sut:<17} {case.instance_id:<24} {seen:<17} {verdict}")
    console.print(f"{right} as expected, {wrong} not, {missing} not judged")
    return 0 if right and not wrong and (partial or not missing) else 1


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--partial"]
    sys.exit(main(*map(Path, arguments), partial="--partial" in sys.argv))
