from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.cli.explain import explained, pages
from pytest_benchmac.cli.main import main

RULES = Path(__file__).parents[2] / "docs" / "rules"


def test_every_code_of_the_table_has_a_page() -> None:
    made = pages()
    there = {p.relative_to(RULES).as_posix(): p.read_text() for p in RULES.rglob("*.md")}
    assert there == made, "run: python -m pytest_benchmac.cli.explain docs/rules"
    assert len(explained()["angular"]) > 100


def test_a_code_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "lock-alias"]) == 0
    said = capsys.readouterr().out
    assert "What to do: Have npm write the lock file anew." in said
    assert main(["explain", "lock-allias"]) == 4
    assert "Did you mean lock-alias" in capsys.readouterr().err
    assert main(["explain"]) == 0
    assert "node-modules-committed" in capsys.readouterr().out
