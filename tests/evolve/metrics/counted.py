"""Makes sources of short texts, whose metrics were counted by hand."""

from textwrap import dedent

from pytest_benchmac.evolve.metrics.source import Source
from pytest_benchmac.evolve.program import Program


def source(main: str, **modules: str) -> Source:
    """A program of these texts; a keyword is the name of a module beside it."""
    others = {f"{name}.py": dedent(text) for name, text in modules.items()}
    return Source.of(Program("counted", dedent(main), modules=others))
