import pytest

from toolshed.errors import InputError
from toolshed.members import check_email


def test_add_charges_the_membership(shed):
    out = shed.ok("member", "add", "Finn Lea", "--email", "Finn@Example.org")
    assert out == (
        "M006 Finn Lea added, member until 2026-03-04\nF004 membership 20.00 EUR\n"
    )
    assert shed.records("members")["M006"]["email"] == "finn@example.org"
    assert shed.records("fees")["F004"]["kind"] == "membership"


def test_volunteers_pay_no_membership(shed):
    out = shed.ok(
        "member", "add", "Gil Moor", "--email", "gil@example.org", "--kind", "volunteer"
    )
    assert "membership" not in out
    assert len(shed.records("fees")) == 3


def test_an_address_belongs_to_one_member(shed):
    err = shed.refused(4, "member", "add", "Ada", "--email", "ADA@example.org")
    assert err == "toolshed: ada@example.org belongs to M001 Ada Brook\n"


def test_the_address_of_a_closed_member_is_free(shed):
    assert "M006" in shed.ok("member", "add", "Eve Ford", "--email", "eve@example.org")


@pytest.mark.parametrize("text", ["ada", "ada@home", "a b@example.org", "@example.org"])
def test_addresses_that_are_none(text):
    with pytest.raises(InputError):
        check_email(text)


def test_list_tells_the_state(shed):
    lines = shed.ok("member", "list").splitlines()
    assert lines[2].endswith("current")
    assert lines[4].endswith("expired")
    assert lines[6].endswith("closed")


def test_list_of_current_members(shed):
    out = shed.ok("member", "list", "--current")
    assert "Cleo Marsh" not in out
    assert "Dan Heath" in out


def test_show_tells_what_a_member_has(shed):
    out = shed.ok("member", "show", "M002")
    assert "volunteer, current, not trained" in out
    assert "  has T007 Belt sander until 2025-03-06" in out
    assert "  ready T006 (H003)" in out
    assert out.endswith("owes 0.00 EUR\n")


def test_renew_counts_from_the_end(shed):
    assert "until 2026-03-31" in shed.ok("member", "renew", "M004")


def test_renew_of_an_expired_member_counts_from_today(shed):
    out = shed.ok("member", "renew", "M003", "--years", "2")
    assert "until 2027-03-04" in out
    assert out.count("membership 40.00 EUR") == 2


def test_renew_has_a_limit(shed):
    assert "1 to 5 years" in shed.refused(2, "member", "renew", "M001", "--years", "6")


def test_close(shed):
    assert shed.ok("member", "close", "M003") == "M003 Cleo Marsh closed\n"
    assert shed.records("members")["M003"]["closed"] is True


def test_close_cancels_holds(shed):
    shed.ok("member", "close", "M001")
    assert shed.records("holds")["H001"]["state"] == "cancelled"


def test_close_is_refused_while_something_is_lent(shed):
    assert "still has T007" in shed.refused(4, "member", "close", "M002")
