"""Runs small programs of ours in this process, for tests of the search alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import libcst as cst
import libcst.matchers as m

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import ScriptTests, Subject
from pytest_benchmac.evolve.running.answers import Difference, Outcome, Verdict


@dataclass
class Host:
    """Functions of whole numbers, tried on some numbers; a laboratory without isolation."""

    #: Programs whose tests were run.
    tested: list[str] = field(default_factory=list)
    #: Says which share of a program's lines its tests run; the search takes its word.
    covered: Callable[[Program], float] = lambda program: 1.0

    def tests_pass(self, subject: Subject, program: Program) -> Verdict:
        self.tested.append(program.main)
        assert isinstance(subject.tests, ScriptTests)
        try:
            exec(f"{program.main}\n{subject.tests.text}", {})
        except (AssertionError, NameError) as error:
            return Verdict(Outcome.FAILED, repr(error))
        return Verdict(Outcome.PASSED)

    def differences(
        self, subject: Subject, program: Program, *, seed: int, inputs: int = 200
    ) -> Difference | None:
        random = Random(seed)
        for number in (random.randrange(-1000, 1000) for _ in range(inputs)):
            was, became = (_call(each, number) for each in (subject.program, program))
            if was != became:
                return Difference(str(number), "value", was, became)
        return None

    def coverage(self, subject: Subject, program: Program) -> float:
        return self.covered(program)


def _call(program: Program, number: int) -> str:
    names: dict[str, object] = {}
    exec(program.main, names)
    function = names[program.entry or ""]
    assert callable(function)
    return repr(function(number))


class _OnNumbers(Operator):
    """Something at each whole number in the text, by default its calculation from others."""

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        return m.findall(view.module, m.Integer())

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        new = self.instead(cst.ensure_type(site, cst.Integer), random)
        changed = view.module.deep_replace(site, new)
        assert isinstance(changed, cst.Module)
        return view.program.with_main(changed.code)

    def instead(self, site: cst.Integer, random: Random) -> cst.BaseExpression:
        raise NotImplementedError


class SumOperator(_OnNumbers):
    """3 becomes sum([1, 2]): more complex by a list."""

    code = "S1"
    name = "Sum"

    def instead(self, site: cst.Integer, random: Random) -> cst.BaseExpression:
        part = random.randrange(10)
        return cst.parse_expression(f"sum([{part}, {int(site.value)} - {part}])")


class BothOperator(_OnNumbers):
    """3 becomes 3 and 3: more complex by a joined predicate."""

    code = "S2"
    name = "Both"

    def instead(self, site: cst.Integer, random: Random) -> cst.BaseExpression:
        return cst.parse_expression(f"({site.value} and {site.value})")


class WrongOperator(_OnNumbers):
    """3 becomes 3 or 3, but two numbers become others: tests notice one, inputs the other."""

    code = "S3"
    name = "Wrong"

    def instead(self, site: cst.Integer, random: Random) -> cst.BaseExpression:
        value = {"12": "13", "700": "650"}.get(site.value, site.value)
        return cst.parse_expression(f"({value} or {value} or {value})")


class UglyOperator(_OnNumbers):
    """3 becomes 3 in a lambda that is called, which PyLint does not like."""

    code = "S4"
    name = "Ugly"

    def instead(self, site: cst.Integer, random: Random) -> cst.BaseExpression:
        return cst.parse_expression(f"(lambda: {site.value} or {site.value} or {site.value})()")


class RefusingOperator(_OnNumbers):
    """Finds places, and refuses them."""

    code = "S5"
    name = "Refusing"

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        raise DoesNotApplyError("it never does")


class LongOperator(_OnNumbers):
    """Makes a line with too many tokens to read."""

    code = "S6"
    name = "Long"

    def instead(self, site: cst.Integer, random: Random) -> cst.BaseExpression:
        return cst.parse_expression(f"sum([{'0, ' * 15}{site.value}])")


class NamesOperator(Operator):
    """Calls `x` `count`."""

    code = "N1"
    name = "Names"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        return m.findall(view.module, m.FunctionDef(body=m.DoNotCare()))[:1]

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        main = view.program.main
        if " x " not in main:
            raise DoesNotApplyError("there is no x")
        return view.program.with_main(main.replace(" x ", " count "))


#: Tests look at 13 and 701.
TEXT = '''"""Says how large numbers are."""


def size(number):
    """How large a number is."""
    x = number
    if x > 700:
        return 2
    if x > 12:
        return 1
    return 0
'''
SUBJECT = Subject(
    Program("sizes/1", TEXT, kept=frozenset({"size"}), entry="size"),
    ScriptTests("assert [size(n) for n in (0, 13, 701)] == [0, 1, 2]"),
)
