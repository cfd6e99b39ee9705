"""A7 AddSklearn: values are held by scikit-learn's bunches and cut into its batches."""

from __future__ import annotations

from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

_UTILS = "sklearn.utils"
#: No attribute of a dictionary.
_FIELDS = ("data", "target", "content", "feature")
_MOST_BATCHES = 50


def _batches(draft: Draft) -> str:
    batches = draft.use(_UTILS, "gen_batches")
    size, count = draft.random.randint(3, 6), draft.random.randint(2, 4)
    whole = size * count
    inner = f"{batches}({whole + 1} if {draft.inner} else {whole}, {size})"
    return f"{draft.builtin('len')}(\n{draft.builtin('list')}({inner})\n) == {count + 1}"


def _counted(draft: Draft) -> str:
    draft.need(0 < draft.number <= _MOST_BATCHES)
    batches = draft.use(_UTILS, "gen_batches")
    size = draft.random.randint(2, 6)
    whole = size * draft.number - draft.random.randint(0, size - 1)
    return f"{draft.builtin('len')}({draft.builtin('list')}({batches}({whole}, {size})))"


def _held(draft: Draft) -> str:
    bunch = draft.use(_UTILS, "Bunch")
    field = draft.random.choice(_FIELDS)
    return f"{bunch}(\n**{bunch}({field}={draft.inner})\n).{field}"


def _picked(draft: Draft) -> str:
    bunch = draft.use(_UTILS, "Bunch")
    one, two = draft.random.sample(_FIELDS, 2)
    return f"{bunch}(\n{one}=[{draft.inner}], {two}=[]\n).{one}[-1]"


class AddSklearn(LibraryOperator):
    """Conditions choose how many batches there are, values are taken out of bunches."""

    code: ClassVar[str] = "A7"
    name: ClassVar[str] = "AddSklearn"
    idioms = (
        Idiom(Kind.CONDITION, _batches, loops=0),
        Idiom(Kind.NUMBER, _counted, loops=0),
        Idiom(Kind.VALUE, _held, loops=1),
        Idiom(Kind.VALUE, _picked, loops=1),
    )
