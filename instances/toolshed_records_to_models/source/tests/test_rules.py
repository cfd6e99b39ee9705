from datetime import date

from toolshed import opening, search, storage


RULES = {"open_days": {1, 3, 5}, "closed_on": {date(2025, 3, 13)}}


def test_open_days():
    assert opening.is_open(RULES, date(2025, 3, 4))
    assert not opening.is_open(RULES, date(2025, 3, 5))
    assert not opening.is_open(RULES, date(2025, 3, 13))


def test_next_open_day():
    assert opening.next_open(RULES, date(2025, 3, 12)) == date(2025, 3, 15)
    assert opening.next_open(RULES, date(2025, 3, 15)) == date(2025, 3, 15)


def test_open_days_between():
    assert opening.open_days_after(RULES, date(2025, 3, 4), date(2025, 3, 18)) == 5
    assert opening.open_days_after(RULES, date(2025, 3, 4), date(2025, 3, 4)) == 0


def test_a_shed_that_never_opens():
    assert opening.next_open({"open_days": set(), "closed_on": set()}, date(2025, 3, 4)) == date(
        2025, 3, 4
    )


def test_scores():
    tool = {"name": "Cordless drill", "category": "drilling"}
    assert search.score(tool, ["drill"]) == 3
    assert search.score(tool, ["cord", "DRILL"]) == 6
    assert search.score(tool, ["rill"]) == 1
    assert search.score(tool, ["drill", "saw"]) == 0


def test_next_id():
    assert storage.next_id("loans", []) == "L001"
    assert storage.next_id("loans", [{"id": "L009"}, {"id": "L004"}]) == "L010"
