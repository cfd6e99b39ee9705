"""What counts as the value that a call should have."""

import pytest

from pytest_benchmac.tracks.program.comparing import is_answer, same_lines
from pytest_benchmac.tracks.program.literals import NoLiteralError


def test_values_are_of_the_same_types() -> None:
    assert is_answer("{'b': 1, 'a': 2}", "{'a': 2, 'b': 1}", printed=False)
    assert not is_answer("1.0", "1", printed=False)
    assert not is_answer("0.30000000000000004", "0.3", printed=False)
    assert is_answer("0.30000000000000004", "0.3", printed=False, close=True)
    with pytest.raises(NoLiteralError):
        is_answer("f(1)", "1", printed=False)


def test_blanks_at_the_ends_count_in_values_and_not_in_what_is_printed() -> None:
    assert is_answer(r"'a \nb\n\n'", r"'a\nb'", printed=True)
    assert not is_answer(r"'a\nb\n'", r"'a\nb'", printed=False)
    assert not is_answer(r"' a'", r"'a'", printed=True)
    assert not is_answer("1", "'1'", printed=True)


@pytest.mark.parametrize("blank", [" ", "\t", "\r"])
def test_blanks(blank: str) -> None:
    assert same_lines(f"a{blank}\nb{blank}\n{blank}\n", "a\nb")
    assert not same_lines(f"a{blank}b", "a\nb")
    assert not same_lines(f"{blank}a", "a")


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\xa0", "\u2028"])
def test_what_is_no_blank_and_ends_no_line(character: str) -> None:
    assert not same_lines(f"a{character}b", "a\nb")
    assert not same_lines(f"a{character}", "a")
    assert not same_lines(f"a{character}\nb", "a\nb")
    assert same_lines(f"a{character}b \n", f"a{character}b")
