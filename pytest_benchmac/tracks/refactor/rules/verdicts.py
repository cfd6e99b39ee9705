"""Which rules a tree follows, from what the engine found in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import combinations

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.tracks.refactor.rules.files import Rule, RuleSet, Sign
from pytest_benchmac.tracks.refactor.rules.matches import Match, Scan, Trouble

#: Places that a rule's verdict names.
_WITNESSES = 3
#: Two rules of one sign whose matched lines overlap more than this say the same (section 3.2).
MAX_OVERLAP = 0.95

#: Language that the engine takes a file for, by its ending.
LANGUAGES = {
    ".py": "python",
    ".pyi": "python",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".java": "java",
    ".go": "go",
}


class RuleSeen(Model):
    """One rule in the patched tree."""

    key: str
    id: str
    sign: Sign
    matches: int
    #: An additive one that matches, or a reductive one that certainly does not.
    met: bool
    #: Why the engine's word is not all; such a rule is not met.
    undecided: ForeignText = ""
    #: Some places where it matches, as `path:line`.
    witnesses: tuple[ForeignText, ...] = ()


def witnesses(matches: Sequence[Match]) -> tuple[str, ...]:
    """The first places of some matches."""
    return tuple(f"{match.path}:{match.start}" for match in matches[:_WITNESSES])


def verdicts(
    rules: RuleSet, scan: Scan, *, touched: Set[str], known: Iterable[Trouble]
) -> tuple[RuleSeen, ...]:
    """Every rule's verdict.

    A rule that the engine cannot decide because of a file that the patch touched counts against
    the patch: whatever hides a pattern from the engine would do.

    Args:
        rules: the instance's.
        scan: of the patched tree.
        touched: paths that differ from the base.
        known: troubles of base and golden tree, which no patch is to blame for.

    Raises:
        InfrastructureError: the engine fails on what the patch did not touch.
    """
    before = {(each.path, each.kind, each.rule) for each in known}
    new = [each for each in scan.troubles if (each.path, each.kind, each.rule) not in before]
    for each in new:
        if each.path not in touched:
            raise InfrastructureError(
                f"the engine of rules cannot read {each.path}, which the patch did not touch: "
                f"{each.kind}: {each.message}"
            )
    return tuple(_verdict(rule, scan, new) for rule in rules.rules)


def _verdict(rule: Rule, scan: Scan, troubles: Sequence[Trouble]) -> RuleSeen:
    matches = scan.matches.get(rule.key, ())
    doubts = [each for each in troubles if _concerns(each, rule)]
    undecided = ""
    if doubts and not matches:
        undecided = f"{doubts[0].kind} in {doubts[0].path}"
    additive = rule.sign is Sign.ADDITIVE
    return RuleSeen(
        key=rule.key,
        id=rule.id,
        sign=rule.sign,
        matches=len(matches),
        met=bool(matches) if additive else not matches and not undecided,
        undecided=undecided,
        witnesses=witnesses(matches),
    )


def _concerns(trouble: Trouble, rule: Rule) -> bool:
    language = LANGUAGES.get(f".{trouble.path.rpartition('.')[2]}")
    if trouble.rule not in ("", rule.key):
        return False
    return language is None or language in rule.languages or not rule.languages & _KNOWN


_KNOWN = frozenset(LANGUAGES.values())


def overlapping(rules: Sequence[Rule], scan: Scan) -> list[tuple[Rule, Rule, float]]:
    """Pairs of rules that match nearly the same lines: Jaccard above `MAX_OVERLAP`."""
    covered = {rule.key: scan.covered([rule.key]) for rule in rules}
    found = []
    for one, other in combinations(rules, 2):
        both = covered[one.key] | covered[other.key]
        if both and (shared := len(covered[one.key] & covered[other.key]) / len(both)):
            found += [(one, other, shared)] if shared > MAX_OVERLAP else []
    return found
