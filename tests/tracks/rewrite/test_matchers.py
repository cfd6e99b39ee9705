"""What is expected of a field, and what meets it."""

import pytest
from pydantic import JsonValue, TypeAdapter, ValidationError

from pytest_benchmac.tracks.rewrite.cases.answers import Answer, Did, Ended
from pytest_benchmac.tracks.rewrite.cases.comparing import at_pointer, difference, expecting
from pytest_benchmac.tracks.rewrite.cases.files import write_cases
from pytest_benchmac.tracks.rewrite.cases.matchers import (
    MAX_PATTERN_BYTES,
    text_difference,
    text_of,
    value_difference,
)
from pytest_benchmac.tracks.rewrite.cases.models import ApiCase, CliCase, Expected, Matcher

EXPECTED: TypeAdapter[Matcher] = TypeAdapter(Expected)


@pytest.mark.parametrize(
    ("wanted", "seen", "meets"),
    [
        ("a\n", b"a\n", True),
        ("a\n", b"a", False),
        ("é", "é".encode(), True),
        ("é", b"\xe9", False),
        ({"match": "whitespace", "value": "a  b\n"}, b" a b", True),
        ({"match": "whitespace", "value": "a b"}, b"ab", False),
        ({"match": "ignored"}, b"anything", True),
        ({"match": "regex", "value": "[0-9]+\n"}, b"42\n", True),
        ({"match": "regex", "value": "[0-9]+"}, b"42\n", False),
        ({"match": "number", "value": "x 1.0000000001"}, b"x 1", True),
        ({"match": "number", "value": "1.1", "tolerance": 0.2}, b"1.0", True),
        ({"match": "number", "value": "1.1"}, b"1.0", False),
        ({"match": "number", "value": "1 m"}, b"1 km", False),
        ({"match": "number", "value": "1"}, b"nan", False),
        ({"a": 1, "b": [1, {"c": None}]}, b'{"b": [1.0, {"c": null}], "a": 1}', True),
        ({"a": 1}, b'{"a": true}', False),
        ({"a": True}, b'{"a": 1}', False),
        ({"a": 1}, b'{"a": 1, "b": 2}', False),
        ({"a": 1}, b"{}", False),
        ([1, 2], b"[2, 1]", False),
        ([1], b"[1, 1]", False),
        ({"id": {"match": "regex", "value": "^[0-9]+$"}}, b'{"id": "12"}', True),
        ({"id": {"match": "regex", "value": "^[0-9]+$"}}, b'{"id": "x"}', False),
        ({"id": {"match": "ignored"}}, b'{"id": [1]}', True),
        ({"match": "json", "value": "text"}, b'"text"', True),
        ([1], b"[NaN]", False),
        ([1], b"[1", False),
        ({"a": 1}, b'{"a": 2, "a": 1}', False),
        ([1], b"[" * 100_000, False),
    ],
)
def test_fields(wanted: JsonValue, seen: bytes, meets: bool) -> None:
    told = text_difference(EXPECTED.validate_python(wanted), seen)
    assert (told == "") is meets, told


def test_a_pattern_looks_at_no_long_text() -> None:
    wanted = Matcher(match="regex", value="(a+)+b")
    assert "too many" in text_difference(wanted, b"a" * (MAX_PATTERN_BYTES + 1))


def test_other_bytes_are_other_text() -> None:
    texts = {text_of(bytes([byte])) for byte in range(256)}
    assert len(texts) == 256
    Matcher(match="exact", value=text_of(bytes(range(256)))).model_dump_json().encode()


def test_exit_codes_are_no_booleans() -> None:
    assert value_difference(Matcher(match="exact", value=1), 1) == ""
    assert value_difference(Matcher(match="exact", value=1), True)
    assert value_difference(Matcher(match="exact", value=0), None)


CLI = CliCase.model_validate(
    {
        "id": "a",
        "files": {"in": "1", "gone": "2"},
        "expect": {"exit": 3, "stdout": "x", "files": {"out": "1", "not": None}},
    }
)
GOOD = Did(Ended.EXITED, exit=3, stdout=b"x", stderr=b"whatever", files={"out": b"1"})


@pytest.mark.parametrize(
    ("did", "told"),
    [
        (GOOD, ""),
        (Did(Ended.EXITED, exit=0, stdout=b"x"), "exit status 0"),
        (Did(Ended.EXITED, exit=3, stdout=b"y"), "stdout: line 1"),
        (Did(Ended.EXITED, exit=3, stdout=b"x"), "out is not there"),
        (Did(Ended.EXITED, exit=3, stdout=b"x", files={"out": b"2"}), "out: line 1"),
        (Did(Ended.EXITED, exit=3, stdout=b"x", files={"out": b"1", "not": b""}), "not is there"),
        (Did(Ended.EXITED, exit=127), "does not start"),
        (Did(Ended.TIMED_OUT, duration_s=3), "timed out"),
        (Did(Ended.KILLED, exit=137), "killed"),
        (Did(Ended.LOST), "lost"),
        (Did(Ended.NOT_RUN), "not run"),
    ],
)
def test_runs(did: Did, told: str) -> None:
    found = difference(CLI, did)
    assert (told in found) if told else found == ""


def test_what_was_done_is_what_is_expected() -> None:
    bare = CLI.model_copy(update={"expect": None})
    did = Did(Ended.EXITED, exit=3, stdout=b"\xff", files={"in": b"1", "out": b"1"})
    again = expecting(bare, did)
    assert difference(again, did) == ""
    # A file that the run removed has to be gone, and one that it left alone is not looked at.
    assert isinstance(again, CliCase)
    assert again.expect is not None
    assert set(again.expect.files) == {"out", "gone"}
    assert "gone is there" in difference(
        again, Did(Ended.EXITED, exit=3, stdout=b"\xff", files={"out": b"1", "gone": b"2"})
    )
    # Kinds of matchers stay.
    kept = expecting(CLI.model_copy(update={"expect": CLI.expect}), GOOD, CLI)
    assert write_cases([kept]) == write_cases([CLI])


API = ApiCase.model_validate(
    {
        "id": "a",
        "steps": [
            {
                "method": "POST",
                "path": "/things",
                "body": {"name": "x"},
                "capture": {"id": "/thing/id"},
                "expect": {"status": 201, "body": {"thing": {"id": {"match": "ignored"}}}},
            },
            {
                "path": "/things/{id}",
                "expect": {
                    "status": 200,
                    "headers": {"X-Id": "{id}"},
                    "body": {"id": "{id}", "self": "/things/{id}"},
                },
            },
        ],
    }
)


def _api(number: object) -> Did:
    first = Answer(201, {}, f'{{"thing": {{"id": {number}}}}}'.encode())
    body = f'{{"id": {number}, "self": "/things/{number}"}}'.encode()
    second = Answer(200, {"x-id": str(number)}, body)
    return Did(Ended.EXITED, answers=(first, second))


def test_captures_go_into_what_is_expected() -> None:
    assert difference(API, _api(7)) == "header X-Id: 'x'" or difference(API, _api(7)) != ""
    same = API.model_copy(update={"steps": (API.steps[0], API.steps[1])})
    did = _api(7)
    second = did.answers[1]
    text = Answer(200, {"x-id": "7"}, second.body)
    told = difference(same, Did(Ended.EXITED, answers=(did.answers[0], text)))
    # A header is a text, and what was captured a number: that is told apart.
    assert told.startswith("step 2")


def test_steps_that_are_not_reached_are_told() -> None:
    did = Did(Ended.EXITED, answers=(Answer(None, problem="the connection broke off"),))
    assert difference(API, did) == "step 1 (POST /things): the connection broke off"
    assert "port stays silent" in difference(API, Did(Ended.EXITED, ready=False))
    gone = Did(Ended.EXITED, answers=(Answer(201, {}, b'{"thing": {"id": 1}}'),))
    assert difference(API, gone) == "step 2 (GET /things/{id}): not reached"


@pytest.mark.parametrize(
    ("pointer", "found"),
    [("", {"a": [1, {"b/c": 2}]}), ("/a/0", 1), ("/a/1/b~1c", 2), ("/a/7", None), ("/x", None)],
)
def test_pointers(pointer: str, found: JsonValue) -> None:
    assert at_pointer({"a": [1, {"b/c": 2}]}, pointer) == found


@pytest.mark.parametrize(
    "case",
    [
        {"id": "x", "argv": ["a\0b"]},
        {"id": "x", "files": {"../out": "1"}},
        {"id": "x", "files": {"/etc/passwd": "1"}},
        {"id": "x", "env": {"A=B": "1"}},
        {"id": "x y"},
        {"id": "x", "expected": {}},
    ],
)
def test_what_is_no_case(case: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CliCase.model_validate(case)
