def test_add_gives_the_next_id(shed):
    out = shed.ok("tool", "add", "  Angle   grinder ", "--category", "Metal", "--value", "64.90")
    assert out == "T008 Angle grinder added\n"
    added = shed.records("tools")["T008"]
    assert added == {
        "id": "T008",
        "name": "Angle grinder",
        "category": "metal",
        "value": 6490,
        "days": None,
        "training": False,
        "status": "available",
        "added": "2025-03-04",
    }


def test_add_writes_the_journal(shed):
    shed.ok("tool", "add", "Anvil", "--category", "metal", "--value", "150")
    assert shed.journal() == ["2025-03-04T10:00:00 desk tool-add T008 Anvil"]


def test_add_refuses_an_empty_name(shed):
    assert "cannot be empty" in shed.refused(
        2, "tool", "add", "  ", "--category", "x", "--value", "1"
    )


def test_add_refuses_an_odd_amount(shed):
    err = shed.refused(2, "tool", "add", "Anvil", "--category", "x", "--value", "1,50")
    assert err == "toolshed: not an amount: '1,50' (write 12 or 12.50)\n"


def test_list_leaves_retired_tools_out(shed):
    out = shed.ok("tool", "list")
    assert "T005" not in out
    assert out.splitlines()[0] == "id    name            category  value   status"
    assert len(out.splitlines()) == 8


def test_list_by_status(shed):
    out = shed.ok("tool", "list", "--status", "retired")
    assert "Hand plane" in out
    assert len(out.splitlines()) == 3


def test_list_by_category_shows_retired_tools_too(shed):
    assert "T005" in shed.ok("tool", "list", "--category", "Wood")


def test_list_by_value(shed):
    out = shed.ok("tool", "list", "--sort", "value")
    assert [line[:4] for line in out.splitlines()[2:5]] == ["T003", "T004", "T001"]


def test_list_of_nothing(shed):
    assert shed.ok("tool", "list", "--category", "bikes") == "no such tools\n"


def test_show_tells_history_and_queue(shed):
    out = shed.ok("tool", "show", "t001")
    assert "loan days  7" in out
    assert "2025-02-18 to ...         Dan Heath" in out
    assert "waiting    M001, M002" in out


def test_show_shows_the_newest_loans_first(shed):
    out = shed.ok("tool", "show", "T002")
    assert out.index("Ada Brook") < out.index("Ben Dale")
    assert "since      Tue 9 January 2024" in out


def test_show_of_an_unknown_tool(shed):
    assert shed.refused(3, "tool", "show", "T999") == "toolshed: no tool T999\n"


def test_edit_changes_what_is_given(shed):
    out = shed.ok("tool", "edit", "T006", "--value", "60", "--training")
    assert out == "T006 changed: value, training\n"
    assert shed.records("tools")["T006"]["training"] is True


def test_edit_of_nothing_writes_nothing(shed):
    assert shed.ok("tool", "edit", "T006", "--name", "Tile cutter") == "nothing to change\n"
    assert shed.journal() == []


def test_retire_asks_first(shed):
    shed.types("n\n")
    assert shed.ok("tool", "retire", "T002").endswith("left as it is\n")
    assert shed.records("tools")["T002"].get("status", "available") == "available"


def test_retire_cancels_holds(shed):
    shed.types("yes\n")
    out = shed.ok("tool", "retire", "T006")
    assert "Retire T006 Tile cutter? [y/N] " in out
    assert "hold H003 of M002 cancelled" in out
    assert shed.records("holds")["H003"]["state"] == "cancelled"


def test_retire_without_an_answer(shed):
    shed.types("")
    assert shed.refused(2, "tool", "retire", "T002") == "\ntoolshed: no answer\n"


def test_a_lent_tool_cannot_be_retired(shed):
    assert "it has to come back first" in shed.refused(4, "tool", "retire", "T001", "--yes")
