def test_lend_until_the_next_open_day(shed):
    out = shed.ok("lend", "M001", "T002")
    assert out == "L005 Hedge trimmer lent to Ada Brook, due 2025-03-11\n"
    assert shed.records("tools")["T002"]["status"] == "lent"


def test_a_closed_day_moves_the_due_day(shed):
    shed.at("2025-03-06T18:00:00")
    assert "due 2025-03-15" in shed.ok("lend", "M001", "T002")


def test_a_tool_has_loan_days_of_its_own(shed):
    assert "due 2025-03-06" in shed.ok("lend", "M001", "T003")


def test_days_may_be_given(shed):
    assert "due 2025-03-25" in shed.ok("lend", "M001", "T003", "--days", "20")


def test_all_or_none(shed):
    err = shed.refused(4, "lend", "M001", "T002", "T004")
    assert err == "toolshed: T004 Drill press is not available (repair)\n"
    assert len(shed.records("loans")) == 4


def test_the_same_tool_twice(shed):
    assert "same tool twice" in shed.refused(2, "lend", "M001", "T002", "t002")


def test_training_is_needed(shed):
    shed.ok("member", "add", "Finn Lea", "--email", "finn@example.org", "--kind", "volunteer")
    assert "needs training" in shed.refused(4, "lend", "M006", "T003")


def test_an_expired_member_borrows_nothing(shed):
    err = shed.refused(4, "lend", "M003", "T002")
    assert err == "toolshed: membership of M003 ended on 2025-02-20\n"


def test_a_closed_member_borrows_nothing(shed):
    assert "is closed" in shed.refused(4, "lend", "M005", "T002")


def test_late_tools_come_first(shed):
    assert "has to bring back T001 first" in shed.refused(4, "lend", "M004", "T002")


def test_fees_block(shed):
    fees = list(shed.records("fees").values())
    fees.append({"id": "F004", "member": "M001", "kind": "damage", "amount": 1500,
                 "charged": "2025-03-01"})
    shed.put("fees", fees)
    assert shed.refused(4, "lend", "M001", "T002") == "toolshed: M001 owes 15.00 EUR\n"


def test_the_limit(shed):
    shed.ok("lend", "M001", "T002", "T003")
    shed.ok("tool", "add", "Anvil", "--category", "metal", "--value", "150")
    shed.ok("tool", "add", "Vice", "--category", "metal", "--value", "30")
    assert "3 tools at a time" in shed.refused(4, "lend", "M001", "T008", "T009")


def test_a_tool_set_aside_is_for_one_member(shed):
    assert "set aside for M002" in shed.refused(4, "lend", "M001", "T006")
    assert "lent to Ben Dale" in shed.ok("lend", "M002", "T006")
    assert shed.records("holds")["H003"]["state"] == "fulfilled"


def test_a_tool_is_not_set_aside_for_ever(shed):
    shed.at("2025-03-08T10:00:00")
    assert "lent to Ada Brook" in shed.ok("lend", "M001", "T006")


def test_return_charges_open_days(shed):
    out = shed.ok("return", "T001")
    assert "T001 Cordless drill is back from Dan Heath" in out
    assert "F004 late since 2025-02-25: 1.50 EUR" in out
    assert "set aside for M001 until Sun 9 March 2025" in out
    assert shed.records("fees")["F004"]["loan"] == "L002"


def test_the_late_fee_has_a_cap(shed):
    shed.at("2025-06-03T10:00:00")
    assert "6.00 EUR" in shed.ok("return", "T001")


def test_volunteers_pay_half(shed):
    shed.at("2025-03-11T10:00:00")
    assert "late since 2025-03-06: 0.50 EUR" in shed.ok("return", "T007")


def test_return_in_time_costs_nothing(shed):
    assert shed.ok("return", "T007") == "T007 Belt sander is back from Ben Dale\n"
    assert shed.records("loans")["L003"]["back"] == "2025-03-04"


def test_damage_goes_to_the_workbench(shed):
    out = shed.ok("return", "T007", "--damaged", "belt torn", "--charge", "9.50")
    assert "R003 repair: belt torn" in out
    assert "F004 damage: 9.50 EUR" in out
    assert shed.records("tools")["T007"]["status"] == "repair"


def test_a_charge_needs_damage(shed):
    assert "--damaged" in shed.refused(2, "return", "T007", "--charge", "1")


def test_return_of_what_is_on_the_shelf(shed):
    assert shed.refused(3, "return", "T002") == "toolshed: T002 is not lent\n"


def test_extend(shed):
    assert shed.ok("extend", "T007") == "T007 Belt sander is due Sat 15 March 2025 now\n"
    assert "extended 1 times already" in shed.refused(4, "extend", "T007")


def test_extend_what_is_overdue(shed):
    assert "overdue since 2025-02-25" in shed.refused(4, "extend", "T001")


def test_extend_while_somebody_waits(shed):
    shed.ok("hold", "add", "M001", "T007")
    assert "somebody waits for T007" in shed.refused(4, "extend", "T007")


def test_list_of_open_loans(shed):
    lines = shed.ok("loans").splitlines()
    assert [line[:4] for line in lines[2:]] == ["L002", "L003"]
    assert lines[2].endswith(" 7")


def test_list_of_late_loans(shed):
    lines = shed.ok("loans", "--all", "--overdue").splitlines()
    assert [line[:4] for line in lines[2:]] == ["L004", "L002"]


def test_list_by_member(shed):
    assert shed.ok("loans", "--member", "M001") == "no such loans\n"
    assert "L004" in shed.ok("loans", "--member", "m001", "--all")
