"""A program as the search sees it: files of text, and the names that have to stay."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property


@dataclass(frozen=True)
class Program:
    """One Python program.

    Operators change `main`, and may add `modules` beside it. What tests reach is in `kept`: those
    names of the module, their parameters and their methods stay as they are.
    """

    id: str
    #: Text of the file that is evolved.
    main: str
    #: File name of `main`.
    file: str = "program.py"
    #: Files beside it that it imports, by name: made by operators, or the program's own.
    modules: Mapping[str, str] = field(default_factory=dict)
    #: Names at the top of `main` that tests or callers use.
    kept: frozenset[str] = frozenset()
    #: The function that tasks ask about; None for a program that reads standard input.
    entry: str | None = None

    @cached_property
    def key(self) -> str:
        """The same for programs of the same syntax trees, whatever their layout."""
        trees = {self.file: self.main, **self.modules}
        return "\n".join(
            f"{name}:{ast.dump(ast.parse(text))}" for name, text in sorted(trees.items())
        )

    def with_main(self, text: str) -> Program:
        """The same program with another text in `main`."""
        return replace(self, main=text)
