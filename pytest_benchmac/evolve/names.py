"""Names that read well: out of lists by what a name stands for, or from a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Protocol

from pytest_benchmac.tracks.chat import ask, require_litellm


class Role(Enum):
    """What a name stands for."""

    COUNTER = "a counter of rounds"
    NUMBER = "a number"
    TEXT = "a text"
    SEQUENCE = "a list or a tuple"
    MAPPING = "a dictionary"
    SET = "a set"
    FLAG = "a truth"
    ELEMENT = "an element of what is looped over"
    ERROR = "a caught exception"
    FUNCTION = "a function"
    VALUE = "a value"


_LISTS: Mapping[Role, str] = MappingProxyType(
    {
        Role.COUNTER: "index position offset place step cursor round_number slot",
        Role.NUMBER: "amount quantity measure tally figure level score magnitude subtotal number",
        Role.TEXT: "text phrase label content fragment passage wording caption line",
        Role.SEQUENCE: "entries items series elements collected sequence rows batch listing",
        Role.MAPPING: "table lookup registry mapping directory by_key ledger",
        Role.SET: "distinct members seen_items pool unique_items group",
        Role.FLAG: "is_found matched is_valid satisfied is_done active holds",
        Role.ELEMENT: "item element entry member candidate current piece unit",
        Role.ERROR: "error failure problem fault",
        Role.FUNCTION: "compute derive evaluate process resolve determine handle work_out",
        Role.VALUE: "value outcome result content state output product answer",
    }
)
_QUALITIES = ("current", "inner", "partial", "local", "running", "final", "given", "chosen")
_WORD = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]")
_QUESTION = """Suggest better names for `{name}`, {role}, in this Python code. Answer with five \
names in snake_case, the best first, one a line, and nothing else.

{code}
"""


@dataclass(frozen=True)
class Wanted:
    """A name to be found anew."""

    name: str
    role: Role
    #: The function, or the program, where it is used.
    code: str


class Names(Protocol):
    """Where names come from."""

    def suggest(self, wanted: Wanted, random: Random) -> Sequence[str]:
        """Names, the best first; some may be taken."""


class ListedNames:
    """Names out of lists in this module: the same for the same randomness."""

    def suggest(self, wanted: Wanted, random: Random) -> Sequence[str]:
        """Every name of the role, in a random order, then the same with an adjective."""
        plain = _LISTS[wanted.role].split()
        random.shuffle(plain)
        qualified = [f"{quality}_{noun}" for quality in _QUALITIES for noun in plain]
        random.shuffle(qualified)
        return [*plain, *qualified]


class ModelNames:
    """Names that a model suggests; those of the lists where its own are of no use."""

    def __init__(self, model: str) -> None:
        """Take a model as litellm names it; its API key comes from the environment.

        Raises:
            InputError: litellm is not installed.
        """
        require_litellm("a model for names")
        self._ask = lru_cache(maxsize=None)(lambda question: _answer(model, question))
        self._listed = ListedNames()

    def suggest(self, wanted: Wanted, random: Random) -> Sequence[str]:
        """The model's names, then the lists'.

        Raises:
            InfrastructureError: the model's service cannot be used.
        """
        question = _QUESTION.format(name=wanted.name, role=wanted.role.value, code=wanted.code)
        found = [word for word in self._ask(question).split() if _WORD.fullmatch(word)]
        return [*found, *self._listed.suggest(wanted, random)]


def names_from(model: str | None) -> Names:
    """Names from a model where one is configured, else from lists.

    Raises:
        InputError: litellm is not installed.
    """
    return ListedNames() if model is None else ModelNames(model)


def _answer(model: str, question: str) -> str:
    messages = [{"role": "user", "content": question}]
    return ask(model, messages, "the model for names", temperature=0).text
