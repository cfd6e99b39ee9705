def test_list_sums_up(shed):
    out = shed.ok("fee", "list")
    assert out.endswith("open: 9.00 EUR\n")
    assert "F001" in out


def test_list_of_open_fees(shed):
    out = shed.ok("fee", "list", "--open", "--member", "m004")
    assert [line[:4] for line in out.splitlines()[2:4]] == ["F002", "F003"]


def test_list_of_nothing(shed):
    assert shed.ok("fee", "list", "--member", "M002") == "no such fees\n"


def test_pay_takes_the_oldest_first(shed):
    out = shed.ok("fee", "pay", "M004", "6.00")
    assert out == (
        "F002 membership: 5.00 of 20.00\nF003 damage: 1.00 of 4.00\nDan Heath owes 3.00 EUR\n"
    )
    assert shed.records("fees")["F003"]["paid"] == 100


def test_pay_takes_no_more_than_is_owed(shed):
    assert "owes only 9.00 EUR" in shed.refused(4, "fee", "pay", "M004", "9.01")


def test_pay_nothing(shed):
    assert "nothing to pay" in shed.refused(2, "fee", "pay", "M004", "0")


def test_waive(shed):
    out = shed.ok("fee", "waive", "F002", "--reason", "helped at the fair")
    assert out == "F002 waived: 5.00 EUR (helped at the fair)\n"
    assert "waived" in shed.ok("fee", "list")


def test_waive_what_is_paid(shed):
    assert "nothing is open of F001" in shed.refused(4, "fee", "waive", "F001", "--reason", "x")


def test_waive_without_a_reason(shed):
    assert "a reason is needed" in shed.refused(2, "fee", "waive", "F002", "--reason", " ")
