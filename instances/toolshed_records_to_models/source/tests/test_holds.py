def test_add(shed):
    out = shed.ok("hold", "add", "M004", "T007")
    assert out == "H004 Dan Heath waits for T007 Belt sander, place 1\n"


def test_a_tool_on_the_shelf_needs_no_hold(shed):
    assert "lend it instead" in shed.refused(4, "hold", "add", "M001", "T002")


def test_nobody_waits_for_what_they_have(shed):
    assert "M002 has T007 already" in shed.refused(4, "hold", "add", "M002", "T007")


def test_nobody_waits_twice(shed):
    assert "waits for T001 already" in shed.refused(4, "hold", "add", "M001", "T001")


def test_cancel_serves_the_next(shed):
    shed.ok("hold", "add", "M001", "T006")
    out = shed.ok("hold", "cancel", "H003")
    assert out == "H003 cancelled\nH004 of M001 is ready now\n"
    assert shed.records("holds")["H004"]["ready"] == "2025-03-04"


def test_cancel_twice(shed):
    shed.ok("hold", "cancel", "H001")
    assert "is cancelled already" in shed.refused(4, "hold", "cancel", "H001")


def test_list(shed):
    out = shed.ok("hold", "list")
    assert [line[:4] for line in out.splitlines()[2:]] == ["H001", "H002", "H003"]
    assert out.endswith("ready    2025-03-06\n")
