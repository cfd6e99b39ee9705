"""S1: a statement in a `for` that runs exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes, wrapped
from pytest_benchmac.evolve.operators.places import Place, goes_on, jumps_out, places_of, wrappable
from pytest_benchmac.evolve.operators.source import source_of
from pytest_benchmac.evolve.program import Program


def once(view: View) -> Sequence[Place]:
    """Statements that may become the body of a loop which runs once.

    No `break` or `continue` of a loop around, and control may come to their end: what follows a
    loop must not become reachable.
    """
    if not source_of(view).plain:
        return ()
    return [
        place
        for place in places_of(view)
        if wrappable(place) and goes_on(place.trees) and not jumps_out(place.trees)
    ]


class AddNestedFor(Operator):
    """A statement becomes the body of a `for` over one element."""

    code = "S1"
    name = "AddNestedFor"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Statements of functions and of the top level; `range` means the builtin."""
        if not source_of(view).is_builtin("range"):
            return ()
        return [place.node for place in once(view)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The loop's variable is new, or an underscore that nobody reads."""
        source = source_of(view)
        place = next(place for place in once(view) if place.node is site)
        variable = "_" if source.only_stores("_") else source.fresh("_round", "_pass")
        iterable = random.choice(["range(1)", "range(1, 2)", "[None]", "(None,)"])
        loop = wrapped(f"for {variable} in {iterable}:", place.node)
        return Changes({site: loop}).apply(view)
