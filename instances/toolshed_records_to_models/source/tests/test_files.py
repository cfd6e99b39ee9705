import json


def test_import_of_tools(shed):
    (shed.folder / "new.csv").write_text(
        "name,category,value,days,training\nAnvil,Metal,150,,\nLathe,wood,900.00,2,yes\n"
    )
    out = shed.ok("import", "tools", str(shed.folder / "new.csv"))
    assert out == "T008 Anvil\nT009 Lathe\n2 tools imported\n"
    assert shed.records("tools")["T009"]["training"] is True


def test_import_from_standard_input(shed):
    shed.types("name,email,kind\nFinn Lea,finn@example.org,supporter\n")
    assert "M006 Finn Lea" in shed.ok("import", "members", "-")
    assert shed.records("members")["M006"]["until"] == "2026-03-04"


def test_import_is_all_or_nothing(shed):
    shed.types("name,email\nFinn Lea,finn@example.org\nAda,ada@example.org\n")
    err = shed.refused(2, "import", "members", "-")
    assert "line 3: ada@example.org is there already" in err
    assert "nothing imported: 1 bad of 2 lines" in err
    assert len(shed.records("members")) == 5


def test_import_skips_bad_lines_if_told(shed):
    shed.types("name,category,value\nAnvil,metal,150\n,wood,9\nVice,metal,x\n")
    status, out, err = shed.run("import", "tools", "-", "--skip-bad")
    assert (status, err.count("line")) == (0, 2)
    assert out == "T008 Anvil\n1 tools imported\n"


def test_dry_run(shed):
    shed.types("name,category,value\nAnvil,metal,150\n")
    assert "1 tools would be imported" in shed.ok("import", "tools", "-", "--dry-run")
    assert "T008" not in shed.records("tools")


def test_import_needs_its_columns(shed):
    shed.types("name,price\n")
    assert "unknown column 'price'" in shed.refused(2, "import", "tools", "-")


def test_export_as_csv(shed):
    out = shed.ok("export", "tools", "--fields", "id,days,training")
    assert out.splitlines()[:4] == ["id,days,training", "T001,,False", "T002,,False", "T003,2,True"]


def test_export_as_json(shed):
    rows = json.loads(shed.ok("export", "holds", "--format", "json"))
    assert rows[0]["placed"] == "2025-02-20"
    assert rows[0]["ready"] is None


def test_export_to_a_file(shed):
    target = shed.folder / "out.csv"
    assert "5 members written" in shed.ok("export", "members", "--output", str(target))
    assert target.read_text().startswith("id,name,email")
    assert "is there already" in shed.refused(4, "export", "fees", "--output", str(target))


def test_export_of_an_unknown_field(shed):
    assert "have no field 'price'" in shed.refused(2, "export", "tools", "--fields", "price")


def test_backup_and_restore(shed):
    shed.ok("backup", "all.json")
    shed.ok("return", "T001")
    shed.types("y\n")
    assert "24 records restored" in shed.ok("restore", "all.json")
    assert shed.records("loans")["L002"]["back"] is None


def test_restore_needs_a_yes(shed):
    shed.ok("backup", "all.json")
    shed.types("\n")
    assert "nothing restored" in shed.refused(4, "restore", "all.json")


def test_restore_of_something_else(shed):
    (shed.folder / "odd.json").write_text("[]")
    err = shed.refused(5, "restore", str(shed.folder / "odd.json"))
    assert "not a backup that this version reads" in err


def test_init(shed):
    assert shed.refused(4, "init").endswith("already\n")
    shed.folder = shed.folder / "other"
    assert "Elm Shed starts in" in shed.ok("init", "--name", "Elm Shed")
    assert shed.ok("tool", "list") == "no such tools\n"
