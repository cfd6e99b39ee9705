def test_open(shed):
    assert shed.ok("repair", "open", "T002", "loose  bolt") == "R003 Hedge trimmer: loose bolt\n"
    assert shed.records("tools")["T002"]["status"] == "repair"


def test_open_of_a_lent_tool(shed):
    assert "not on the shelf (lent)" in shed.refused(4, "repair", "open", "T001", "x")


def test_close(shed):
    out = shed.ok("repair", "close", "R001", "--cost", "12.30")
    assert out == "T004 Drill press mended in 10 days for 12.30 EUR\n"
    assert shed.records("tools")["T004"]["status"] == "available"


def test_close_serves_who_waits(shed):
    shed.ok("hold", "add", "M001", "T004")
    assert shed.ok("repair", "close", "R001").endswith("set aside for M001\n")


def test_close_twice(shed):
    assert "was closed on 2024-10-12" in shed.refused(4, "repair", "close", "R002")


def test_list(shed):
    assert "R002" not in shed.ok("repair", "list")
    assert "12.50" in shed.ok("repair", "list", "--all")
