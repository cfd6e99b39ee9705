"""What an operator is: places in a program that it applies to, and what it makes of one.

An operator never changes what a program does: it names only places where it can prove that, and
docs/evolve.md states what it proves. Sites are nodes of the view's own tree.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import ClassVar, TypeVar, cast

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, Scope, ScopeProvider

from pytest_benchmac.evolve.program import Program

_T = TypeVar("_T")


class DoesNotApplyError(ValueError):
    """The operator has no place in this program; the message says why."""


class View:
    """A program's main file, parsed once for all operators."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._wrapper = MetadataWrapper(cst.parse_module(program.main))
        self._shared: dict[object, object] = {}

    @property
    def module(self) -> cst.Module:
        """The tree whose nodes are sites."""
        return self._wrapper.module

    @property
    def wrapper(self) -> MetadataWrapper:
        """For providers that few operators need."""
        return self._wrapper

    @cached_property
    def scopes(self) -> Mapping[cst.CSTNode, Scope | None]:
        """Node -> the scope it lies in."""
        return self._wrapper.resolve(ScopeProvider)

    @cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """Node -> its parent."""
        return self._wrapper.resolve(ParentNodeProvider)

    def shared(self, make: Callable[[View], _T]) -> _T:
        """What `make` finds out about this program, found out once for all operators."""
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast(_T, self._shared[make])

    def location(self, site: cst.CSTNode) -> str:
        """A name for the place of a site that outlives changes elsewhere in the program."""
        code = self.module.code_for_node(site)
        return hashlib.sha256(code.strip().encode()).hexdigest()[:16]


class Operator(ABC):
    """One way to make a program harder. Stateless."""

    #: As the paper's tables have it: S1 to S12, A1 to A8, N1 and N2.
    code: ClassVar[str]
    #: Its published name, such as AddNestedFor.
    name: ClassVar[str]

    @abstractmethod
    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Every place where it applies, in the order of the text."""

    @abstractmethod
    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The program with one of `sites` changed; other sites stay as they are."""
