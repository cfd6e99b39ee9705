"""Are an instance's rules sound: do they tell golden from base? Pure."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.refactor.rules.files import RuleSet, Sign
from pytest_benchmac.tracks.refactor.rules.matches import Scan
from pytest_benchmac.tracks.refactor.rules.verdicts import overlapping, witnesses


class CheckedRule(Model):
    """One rule on base and golden tree."""

    id: str
    sign: Sign
    #: `search`, `propagation` (symbolic) or `taint`.
    kind: str
    #: M on the base, and on the golden tree.
    base: int
    golden: int
    #: The same two, as the rule's own metadata has them.
    published: tuple[int, int] | None
    sound: bool
    #: Places on the tree that it has to match, else on the one that it must not.
    witnesses: tuple[ForeignText, ...]


class CheckedRules(Model):
    """All rules of an instance."""

    instance: str
    engine: str
    sound: bool
    rules: tuple[CheckedRule, ...]
    problems: tuple[ForeignText, ...]


def check_rules(instance: str, rules: RuleSet, base: Scan, golden: Scan) -> CheckedRules:
    """Hold every rule against both trees (section 3.2).

    An additive rule matches golden (M > 0) and not base (M = 0), a reductive one the reverse; no
    two of one sign cover nearly the same lines; none errs.
    """
    checked = []
    for rule in rules.rules:
        counts = base.count(rule.key), golden.count(rule.key)
        additive = rule.sign is Sign.ADDITIVE
        wanted, other = (golden, base) if additive else (base, golden)
        sound = wanted.count(rule.key) > 0 and other.count(rule.key) == 0
        shown = wanted if sound or not other.count(rule.key) else other
        checked.append(
            CheckedRule(
                id=rule.id,
                sign=rule.sign,
                kind=rule.kind,
                base=counts[0],
                golden=counts[1],
                published=rule.published,
                sound=sound,
                witnesses=witnesses(shown.matches.get(rule.key, ())),
            )
        )
    problems = tuple(_problems(rules, checked, base, golden))
    return CheckedRules(
        instance=instance,
        engine=golden.engine,
        sound=not problems,
        rules=tuple(checked),
        problems=problems,
    )


def _problems(
    rules: RuleSet, checked: list[CheckedRule], base: Scan, golden: Scan
) -> Iterator[str]:
    for rule in checked:
        if not rule.sound:
            wanted = "0 and more" if rule.sign is Sign.ADDITIVE else "more and 0"
            yield (
                f"{rule.sign} rule {rule.id}: {rule.base} matches on the base and {rule.golden} on "
                f"golden, expected: {wanted}"
            )
        if rule.published not in (None, (rule.base, rule.golden)):
            yield (
                f"{rule.sign} rule {rule.id}: {rule.base} and {rule.golden} matches, published: "
                f"{rule.published}"
            )
    for sign, scan in ((Sign.ADDITIVE, golden), (Sign.REDUCTIVE, base)):
        for one, other, shared in overlapping(rules.of(sign), scan):
            yield f"{sign} rules {one.id} and {other.id} cover the same lines to {shared:.0%}"
    for name, scan in (("base", base), ("golden", golden)):
        for trouble in scan.troubles:
            if trouble.rule:
                yield f"rule {trouble.rule} errs on {name}: {trouble.kind} in {trouble.path}"
