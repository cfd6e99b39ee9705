"""Ways to a patch: directly, by a plan, or by the best of several plans.

`plan`: one run writes a plan; a fresh sandbox of the base executes it. `multiplan`: one run writes
five plans; a judge, which sees the whole task, selects one; that is executed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from string import Template

from pydantic import JsonValue

from pytest_benchmac.generate.collect import Collected
from pytest_benchmac.generate.judge import ask_judge
from pytest_benchmac.generate.phase import PhaseDone, Session, run_phase
from pytest_benchmac.generate.plans import Phase, Planned
from pytest_benchmac.generate.redteam import CLAIM, attack_on
from pytest_benchmac.generate.task import prompt, task_of, whole_task_of
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.adapter import Ending, ExitReason

PLAN = "refactoring_plan.md"
PLANS = tuple(f"refactoring_plans/refactoring_plan{number}.md" for number in range(5))
#: With fewer there is nothing to select from.
LEAST_PLANS = 2
_SELECTED = re.compile(r"^\W*SELECTED:\s*([0-9]+)\W*$", re.MULTILINE)


class Mode(StrEnum):
    """How a SUT gets from the task to a patch."""

    DIRECT = "direct"
    PLAN = "plan"
    MULTIPLAN = "multiplan"


def run_mode(session: Session, mode: Mode, judge: str | None) -> tuple[PhaseDone, Planned | None]:
    """Run all phases of a mode.

    Returns:
        The phase whose patch counts, and what was planned; without a plan that could be executed,
        the patch is empty and the ending says why.

    Raises:
        InfrastructureError: sandbox, network or a model's service failed.
        InputError: `multiplan` without a judge.
    """
    task = task_of(session.job.instance, session.job.description)
    if session.job.attacking:
        return run_phase(session, "", attack_on(task), (CLAIM,)), None
    if mode is Mode.DIRECT:
        return run_phase(session, "", task), None
    wanted = (PLAN,) if mode is Mode.PLAN else PLANS
    planning = run_phase(session, "plan", _text(mode.value, task=task), wanted)
    plans = dict(planning.texts)
    if mode is Mode.PLAN:
        if PLAN not in plans:
            ending = Ending(ExitReason.NO_PLAN, f"there is no {PLAN}")
            return _without_patch(planning, ending), Planned(plans=plans)
        return _execute(session, task, plans, PLAN, "")
    if judge is None:
        raise InputError("`multiplan` needs a judge", where="--judge")
    if len(plans) < LEAST_PLANS:
        told = f"{len(plans)} of {len(PLANS)} plans; at least {LEAST_PLANS} are needed"
        ending = Ending(ExitReason.TOO_FEW_PLANS, told)
        return _without_patch(planning, ending), Planned(plans=plans)
    listed = "\n\n".join(f"=== PLAN {_number(name)} ===\n{text}" for name, text in plans.items())
    whole = whole_task_of(session.job.instance)
    asked = ask_judge(judge, _text("judge", task=whole, plans=listed), session.redactor)
    session.done.append(asked.phase)
    session.progress(f"the judge {judge} answered")
    selected = selection(asked.answer, plans)
    if selected is None:
        ending = Ending(ExitReason.UNREADABLE_CHOICE, "the judge's answer selects no plan")
        return _without_patch(planning, ending), Planned(plans=plans, choice=asked.answer)
    return _execute(session, task, plans, selected, asked.answer)


def selection(answer: str, plans: dict[str, str]) -> str | None:
    """The plan that a judge's answer selects; None where it selects none, or several."""
    numbers = set(_SELECTED.findall(answer))
    names = {str(_number(name)): name for name in plans}
    return names.get(numbers.pop()) if len(numbers) == 1 else None


def _number(name: str) -> int:
    return int(re.sub(r"\D", "", name))


def _execute(
    session: Session, task: str, plans: dict[str, str], selected: str, choice: str
) -> tuple[PhaseDone, Planned]:
    text = _text("execute", task=task, plan=plans[selected])
    done = run_phase(session, "execute", text)
    return done, Planned(plans=plans, selected=selected, choice=choice)


def _without_patch(planning: PhaseDone, ending: Ending) -> PhaseDone:
    return replace(planning, ending=ending, collected=Collected(b""))


def _text(name: str, **words: str) -> str:
    return Template(prompt(f"{name}.txt")).substitute(words)


def phases_of(session: Session) -> tuple[Phase, ...]:
    """The phases so far, for the record."""
    return tuple(
        Phase(
            name=done.name or Mode.DIRECT.value,
            exit_reason=done.ending.reason.value,
            steps=done.steps,
            cost_usd=done.usage.cost_usd,
            tokens=done.usage.tokens,
            duration_s=done.duration_s,
        )
        for done in session.done
    )


def totals(session: Session) -> dict[str, JsonValue]:
    """Steps, cost, tokens and seconds of all phases; what one does not know, the sum does not."""
    costs = [done.usage.cost_usd for done in session.done]
    tokens = [done.usage.tokens for done in session.done]
    summed: dict[str, JsonValue] | None = None
    if all(each is not None for each in tokens):
        names = {name for each in tokens if each for name in each}
        summed = {name: sum((each or {}).get(name, 0) for each in tokens) for name in sorted(names)}
    known = [each for each in costs if each is not None]
    return {
        "steps": sum(done.steps for done in session.done),
        "cost_usd": sum(known) if len(known) == len(costs) else None,
        "tokens": summed,
        "duration_s": round(sum(done.duration_s for done in session.done), 3),
    }
