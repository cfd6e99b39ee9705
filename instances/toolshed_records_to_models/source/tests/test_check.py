def test_sound_records(shed):
    assert shed.ok("check") == "all records agree\n"


def test_statuses_are_corrected(shed):
    tools = list(shed.records("tools").values())
    tools[1]["status"] = "lent"
    shed.put("tools", tools)
    status, out, _ = shed.run("check")
    assert (status, out) == (1, "tools T002 is lent, should be available\n1 problems\n")
    assert "(corrected)\nall records agree" in shed.ok("check", "--fix")
    assert shed.records("tools")["T002"]["status"] == "available"


def test_dangling_ids(shed):
    holds = list(shed.records("holds").values())
    holds[0]["member"] = "M099"
    holds[1]["tool"] = "T099"
    shed.put("holds", holds)
    status, out, _ = shed.run("check")
    assert status == 1
    assert "holds H001 names no member M099\nholds H002 names no tool T099\n2 problems\n" == out


def test_loans_that_cannot_be(shed):
    loans = list(shed.records("loans").values())
    loans[0]["back"] = "2025-01-01"
    loans[2]["due"] = "2025-02-01"
    shed.put("loans", loans)
    status, out, _ = shed.run("check", "--fix")
    assert status == 1
    assert "L001 came back before it began" in out
    assert "L003 is due before it began" in out


def test_a_field_is_missing(shed):
    shed.put("tools", [{"id": "T001", "name": "Drill"}])
    assert shed.refused(5, "tool", "list") == "toolshed: tools.json: record 1 lacks 'category'\n"


def test_a_field_is_unknown(shed):
    tools = list(shed.records("tools").values())
    tools[2]["colour"] = "red"
    shed.put("tools", tools)
    assert "record 3 has an unknown field 'colour'" in shed.refused(5, "tool", "list")


def test_a_field_is_wrong(shed):
    loans = list(shed.records("loans").values())
    loans[1]["due"] = "20250301"
    shed.put("loans", loans)
    err = shed.refused(5, "loans")
    assert err == "toolshed: loans.json: record 2: 'due' is not a date: '20250301'\n"


def test_settings_that_lack_something(shed):
    path = shed.folder / "shed.ini"
    path.write_text(path.read_text().replace("late_cap = 6.00\n", ""))
    assert shed.refused(5, "report", "overdue") == "toolshed: shed.ini lacks 'late_cap'\n"


def test_no_shed(shed):
    shed.folder = shed.folder / "nowhere"
    err = shed.refused(5, "tool", "list")
    assert err.startswith("toolshed: tools.json is missing from ")
