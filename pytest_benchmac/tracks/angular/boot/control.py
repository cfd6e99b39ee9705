"""How control visits compare: pages in a browser whose time and chance are its own.

Everything else about a boot is seen while the page's clock stands whenever scripts run, and while
`Math.random` draws what the seed says: a page could tell that by a loop that takes no time, or by
two frames that draw the same. Here it cannot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.angular.boot.errors import error_keys, new_errors
from pytest_benchmac.tracks.angular.boot.margins import Share
from pytest_benchmac.tracks.angular.boot.record import Control
from pytest_benchmac.tracks.angular.boot.similarity import longest_common, multiset_f1

#: How much more or less of a page's width may be seen at once.
_WIDTH = 1.25
#: Share of what the tab key leads to in the base that it has to lead to, and share of that which
#: has to be in the base's order.
_TABS_LEFT, _TABS_ORDERED = 0.5, 0.9
#: Of fewer, each one weighs too much.
_TABS_LEAST = 4


class ControlResult(Model):
    """One control visit of a case, compared."""

    #: What the browser was on: `computer` or `telephone`.
    kind: ForeignText
    route: ForeignText
    path: ForeignText
    baseline_path: ForeignText
    problem: ForeignText = ""
    #: Multiset F1 of (role, name) over the accessibility trees.
    tree_similarity: Share
    #: The same after a visit to another site, and the way back.
    later_similarity: Share
    #: CSS pixels of the page's width that were seen at once.
    width: int
    baseline_width: int
    #: Texts that were there to be read.
    readable: int = 0
    baseline_readable: int = 0
    #: How many elements the tab key led to in the base, how many of them in the case, and how many
    #: of these in the base's order.
    baseline_tabs: int = 0
    tabs: int = 0
    ordered_tabs: int = 0
    #: Errors and hosts that the base has nowhere.
    new_errors: tuple[ForeignText, ...] = ()
    new_hosts: tuple[ForeignText, ...] = ()


def compare_controls(
    controls: Sequence[Control],
    baseline: Sequence[Control],
    known_errors: Set[str] = frozenset(),
    known_hosts: Set[str] = frozenset(),
) -> tuple[ControlResult, ...]:
    """Hold a case's control visits against the base's, each against the one of the same kind.

    A page of the base that does not stop changing says nothing of another. One of the case that was
    not visited has a problem.

    Args:
        controls: of the case.
        baseline: of the untouched base.
        known_errors: keys of errors that the base's declared pages have.
        known_hosts: hosts that they ask in vain.
    """
    own = {each.kind: each for each in controls}
    told = [each for each in baseline if each.settled or each.problem]
    keys = error_keys(error for each in baseline for error in each.errors) | known_errors
    hosts = {host for each in baseline for host in each.hosts} | known_hosts
    return tuple(_compared(own.get(each.kind), each, keys, hosts) for each in told)


def _compared(
    control: Control | None, base: Control, known_errors: Set[str], known_hosts: Set[str]
) -> ControlResult:
    if control is None:
        control = base.model_copy(
            update={"tree": (), "later": (), "tabs": (), "problem": "was not visited"}
        )
    return ControlResult(
        kind=base.kind,
        route=base.route,
        path=control.path,
        baseline_path=base.path,
        problem=control.problem,
        tree_similarity=round(multiset_f1(base.tree, control.tree), 4),
        later_similarity=round(multiset_f1(base.later, control.later), 4),
        width=control.width,
        baseline_width=base.width,
        readable=control.readable,
        baseline_readable=base.readable,
        baseline_tabs=len(base.tabs),
        tabs=(Counter(base.tabs) & Counter(control.tabs)).total(),
        ordered_tabs=longest_common(base.tabs, control.tabs),
        new_errors=new_errors(control.errors, known_errors),
        new_hosts=tuple(host for host in control.hosts if host not in known_hosts),
    )


def control_faults(result: ControlResult, min_tree_similarity: float) -> Iterator[str]:
    """What a control visit holds against a case, one sentence each.

    Args:
        result: of the visit.
        min_tree_similarity: see `Boot`.
    """
    where = f"{result.route}, in a browser on a {result.kind} whose clock runs"
    if result.problem:
        yield f"{where}: {result.problem}"
        return
    if result.path != result.baseline_path:
        yield f"{where}: ended at {result.path}; the baseline at {result.baseline_path}"
        return
    for when, similarity in (
        ("", result.tree_similarity),
        ("back from another site, ", result.later_similarity),
    ):
        if similarity < min_tree_similarity:
            yield (
                f"{where}: {when}tree similarity {similarity:.3f} is below {min_tree_similarity:g}"
            )
    yield from (f"{where}: error: {error}" for error in result.new_errors)
    yield from (f"{where}: asks {host}, which the base never does" for host in result.new_hosts)
    if result.readable < min_tree_similarity * result.baseline_readable:
        yield (
            f"{where}: {result.readable} texts can be read; "
            f"in the baseline {result.baseline_readable}"
        )
    if not result.baseline_width / _WIDTH <= result.width <= result.baseline_width * _WIDTH:
        yield (
            f"{where}: {result.width} pixels of the page's width are seen at once; "
            f"of the baseline {result.baseline_width}"
        )
    if result.baseline_tabs >= _TABS_LEAST:
        if result.tabs < _TABS_LEFT * result.baseline_tabs:
            yield (
                f"{where}: the tab key leads to {result.tabs} of {result.baseline_tabs} elements "
                f"that it leads to in the baseline"
            )
        elif result.ordered_tabs < _TABS_ORDERED * result.tabs:
            yield (
                f"{where}: the tab key leads to {result.ordered_tabs} of {result.tabs} elements in "
                f"the baseline's order"
            )
