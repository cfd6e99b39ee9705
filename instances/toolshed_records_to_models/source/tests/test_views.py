import json


def test_overdue_report(shed):
    out = shed.ok("report", "overdue")
    assert out.startswith("Mill Lane Toolshed: overdue, Tue 4 March 2025\n\n")
    assert "T001 Cordless drill" in out
    assert "T007" not in out


def test_popular_report_in_a_period(shed):
    rows = json.loads(shed.ok("report", "popular", "--format", "json", "--until", "2025-02-10"))
    assert rows == [{"id": "T002", "name": "Hedge trimmer", "loans": 2, "days_out": 17}]


def test_balance_report(shed):
    out = shed.ok("report", "balance")
    assert "M004 Dan Heath" in out
    assert out.endswith("owed altogether: 9.00 EUR\n")


def test_inventory_report_as_csv(shed):
    lines = shed.ok("report", "inventory", "--format", "csv").splitlines()
    assert lines[0] == "category,tools,lent,repair,value,repair_costs"
    assert lines[2] == "garden,2,0,0,293.50,12.50"
    assert lines[-1] == "wood,1,1,0,61.00,0.00"


def test_notices_are_printed(shed):
    out = shed.ok("notices")
    assert "To: dan@example.org\n\nDear Dan Heath," in out
    assert "Up to today the late fee is 1.50 EUR." in out
    assert "Tile cutter (T006) is waiting for you." in out


def test_notices_are_left_in_the_outbox(shed):
    out = shed.ok("notices", "--write", "--topic", "overdue")
    assert out == "outbox/2025-03-04-M004-overdue.txt\n"
    text = (shed.folder / "outbox" / "2025-03-04-M004-overdue.txt").read_text()
    assert text.endswith("Yours,\nMill Lane Toolshed\n")


def test_no_notices(shed):
    shed.at("2025-02-24T10:00:00")
    assert shed.ok("notices", "--topic", "overdue") == "nobody has to be told anything\n"


def test_calendar(shed):
    lines = shed.ok("calendar").splitlines()
    assert lines[0] == "March 2025"
    assert lines[3] == "      3    [4]      5  [6]:1      7    [8]      9"
    assert "[13]" not in lines[4]


def test_calendar_of_a_month_that_is_none(shed):
    assert "not a date" in shed.refused(2, "calendar", "2025-13")


def test_journal_by_word(shed):
    shed.ok("extend", "T007")
    shed.ok("repair", "open", "T002", "blunt")
    assert shed.ok("journal", "--word", "EXTEND") == (
        "2025-03-04 10:00:00  desk      extend T007 2025-03-15\n"
    )


def test_the_newest_of_the_journal(shed):
    shed.ok("extend", "T007")
    shed.ok("repair", "open", "T002", "blunt")
    assert "repair-open" in shed.ok("journal", "--last", "1")
    assert shed.ok("journal", "--last", "0") == "the journal has no such line\n"


def test_search_ranks(shed):
    out = shed.ok("tool", "search", "drill")
    assert [line[:4] for line in out.splitlines()] == ["T001", "T004"]


def test_search_of_retired_tools(shed):
    assert shed.ok("tool", "search", "plane") == "nothing found for plane\n"
    assert "Hand plane" in shed.ok("tool", "search", "plane", "--all")
