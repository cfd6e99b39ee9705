"""What is learnt of base and golden tree, once per instance: all that cases are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import Field

from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import BaselineFacts, Model
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.tracks.copies import copy_project
from pytest_benchmac.tracks.refactor.behaviour.observing import observe_behaviour, shares_of
from pytest_benchmac.tracks.refactor.install import install
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.integrity.guarded import steering
from pytest_benchmac.tracks.refactor.integrity.hidden import Seen, look
from pytest_benchmac.tracks.refactor.integrity.sources import Tests, read_sources
from pytest_benchmac.tracks.refactor.rules.engine import Scanner
from pytest_benchmac.tracks.refactor.rules.engines import installed_engine
from pytest_benchmac.tracks.refactor.rules.files import RuleSet, Sign, read_rules
from pytest_benchmac.tracks.refactor.rules.matches import Scan
from pytest_benchmac.tracks.refactor.trees import RefactorContext

GOLDEN_PATCH = "golden.patch"


class TreeFacts(Model):
    """One tree."""

    scan: Scan = Scan()
    steering: dict[str, str]
    hidden: Seen
    tests: Tests
    #: Bodies of functions; not kept, since only golden's matches are held against them.
    bodies: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict, exclude=True)


class Facts(Model):
    """Base and golden tree."""

    base: TreeFacts
    golden: TreeFacts
    #: Key of an additive rule -> the largest share of a match's lines that golden's behaviour
    #: runs; without behaviour, or where a language tells nothing, none.
    executed: dict[str, float] = Field(default_factory=dict)


def static_facts(instance: RefactorInstance, tree: SourceTree, scan: Scan) -> TreeFacts:
    """What a tree's files say, beside its scan."""
    rules = read_rules(instance)
    languages = frozenset().union(*(rule.languages for rule in rules.rules))
    excluded = path_filter(instance.rules.exclude)
    sources = read_sources(tree, excluded)
    return TreeFacts(
        scan=scan,
        steering=steering(tree, instance.tests.reporter, instance.tests.guarded),
        hidden=look(tree, sources, instance.environment.language, languages, excluded),
        tests=sources.tests,
        bodies=sources.bodies,
    )


@contextmanager
def scanner(context: RefactorContext, rules: RuleSet) -> Iterator[Scanner]:
    """The engine, in a sandbox of its own."""
    instance = context.instance
    engine = installed_engine()
    with context.bare(engine.recipe) as bare:
        yield Scanner(
            engine,
            bare.sandbox,
            rules,
            exclude=instance.rules.exclude,
            timeout_s=instance.timeouts.scan,
            logs=context.logs,
        )


def learn(context: RefactorContext) -> BaselineFacts:
    """Learn what base and golden tree have.

    Raises:
        BaselineError: the golden patch does not apply, or its tree does not install or behave.
    """
    instance = context.instance
    rules = read_rules(instance)
    base = copy_project(context, "learn-base")
    with context.fresh() as room:
        apply_golden(room)
        golden = copy_project(room, "learn-golden")
        with scanner(context, rules) as engine:
            scans = engine.scan(base.tree, "base"), engine.scan(golden.tree, "golden")
        facts = static_facts(instance, golden.tree, scans[1])
        executed: dict[str, float] = {}
        if instance.behaviour is not None:
            if instance.commands.install and not install(room).passed:
                raise BaselineError(
                    f"{instance.id}: the golden tree does not install",
                    remedy=f"see `benchmac validate {instance.id}`",
                )
            seen = observe_behaviour(room, trace=True)
            if seen.different:
                first = seen.different[0]
                raise BaselineError(
                    f"{instance.id}: the golden tree behaves otherwise: {first.id}: {first.how}",
                    remedy="Correct the golden patch, or what the cases expect.",
                )
            if seen.executed is not None:
                additive = rules.of(Sign.ADDITIVE)
                executed = shares_of(additive, scans[1], seen.executed, facts.bodies)
    return Facts(
        base=static_facts(instance, base.tree, scans[0]),
        golden=facts,
        executed=executed,
    ).model_dump(mode="json")


def apply_golden(context: RefactorContext) -> None:
    """Apply the golden patch in a context's sandbox.

    Raises:
        BaselineError: it does not apply.
    """
    instance, sandbox = context.instance, context.sandbox
    inbox = sandbox.inbox / GOLDEN_PATCH
    sandbox.copy_in(instance.golden, inbox)
    ran = context.run(f"git apply {inbox}", timeout_s=instance.timeouts.patch)
    if not ran.passed:
        raise BaselineError(f"{instance.id}: its golden patch does not apply: {ran.stderr}")
