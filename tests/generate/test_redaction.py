"""Secrets stay out of text and streams, however they are cut into pieces."""

from __future__ import annotations

import base64
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.generate.redaction import MARK, MIN_SECRET_BYTES, Redactor

SECRETS = st.lists(st.text(alphabet="abc", min_size=MIN_SECRET_BYTES, max_size=9), max_size=4)


@st.composite
def outputs(draw: st.DrawFn) -> tuple[list[str], bytes]:
    """Some secrets, and an output that holds them here and there."""
    secrets = draw(SECRETS)
    pieces = st.text(alphabet="abcd\n", max_size=12)
    if secrets:
        pieces = pieces | st.sampled_from(secrets)
    return secrets, "".join(draw(st.lists(pieces, max_size=30))).encode()


@given(data=st.data(), made=outputs())
def test_a_stream_is_redacted_like_the_whole(data: st.DataObject, made: tuple) -> None:
    secrets, content = made
    redactor = Redactor(secrets)
    stream = redactor.stream()
    passed, rest = b"", content
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        passed += stream.feed(rest[:size])
        # What is passed on is final: nothing that becomes a secret later may be among it.
        rest = rest[size:]
    passed += stream.finish()
    assert passed == redactor.content(content)
    for secret in secrets:
        assert secret.encode() not in passed


@given(made=outputs())
def test_only_secrets_are_replaced(made: tuple[list[str], bytes]) -> None:
    secrets, content = made
    forms = sorted({s.encode() for s in secrets}, key=lambda form: -len(form))
    pattern = re.compile(b"|".join(map(re.escape, forms)) or b"(?!)")
    assert Redactor(secrets).content(content) == pattern.sub(MARK, content)
    assert Redactor(secrets).count(content) == len(pattern.findall(content))


SECRET = 'p"ss/w\u00f6rd+1'


@pytest.mark.parametrize(
    "shown",
    [
        SECRET,
        json.dumps(SECRET, ensure_ascii=False),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
    ],
)
def test_forms_of_a_secret(shown: str) -> None:
    assert Redactor([SECRET, SECRET.replace('"', '\\"')]).text(f"<{shown}>").count("redacted") == 1


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("a/b+c=d&e", "a%2Fb%2Bc%3Dd%26e"),
        ('quo"te\\d\nvalue', 'quo\\"te\\\\d\\nvalue'),
        ("path/to/it", "path\\/to\\/it"),
        ("-----BEGIN KEY-----\nabcdefgh\n", "abcdefgh"),
        ("ends-with-newline\n", "ends-with-newline"),
    ],
)
def test_encoded_forms(secret: str, shown: str) -> None:
    assert Redactor([secret]).text(shown) == "[redacted]"


def test_the_longer_of_two_secrets_is_replaced_whole() -> None:
    assert Redactor(["secret", "secret-and-more"]).text("secret-and-more") == "[redacted]"


def test_short_values_are_no_secrets() -> None:
    assert Redactor(["1", "true", ""]).text("1 is true") == "1 is true"


def test_values_come_from_the_environment_by_name() -> None:
    redactor = Redactor.of_environment(["A", "MISSING"], {"A": "hunter2!", "B": "visible"})
    assert redactor.text("hunter2! visible") == "[redacted] visible"


def test_text_that_utf8_cannot_hold_is_escaped() -> None:
    assert Redactor().text("a\ud800b") == "a\\ud800b"
