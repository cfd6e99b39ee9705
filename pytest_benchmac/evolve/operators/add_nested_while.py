"""S3: a statement in a `while` that runs once."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.add_nested_for import once
from pytest_benchmac.evolve.operators.base import Operator, View
from pytest_benchmac.evolve.operators.building import Changes, statement, wrapped
from pytest_benchmac.evolve.operators.source import source_of
from pytest_benchmac.evolve.program import Program


class AddNestedWhile(Operator):
    """A statement becomes the body of a `while`."""

    code = "S3"
    name = "AddNestedWhile"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """The statements of AddNestedFor."""
        return [place.node for place in once(view)]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """An endless loop that is left at its end, or, in a function, one that a new flag ends."""
        place = next(place for place in once(view) if place.node is site)
        if place.around.function is None or random.random() < 0.5:
            loop = wrapped("while True:", place.node, statement("break"))
            return Changes({site: loop}).apply(view)
        flag = source_of(view).fresh("pending", "waiting", "unfinished", "remaining")
        comments = place.node.leading_lines
        loop = wrapped(
            f"while {flag}:",
            place.node.with_changes(leading_lines=()),
            before=[statement(f"{flag} = False")],
        )
        start = statement(f"{flag} = True").with_changes(leading_lines=comments)
        return Changes({site: [start, loop]}).apply(view)
