"""Sound inputs, damaged: by bytes that parsers trip over, and by values of other types.

`BENCHMAC_FUZZ_EXAMPLES=20000 pytest tests/fuzz` tries for an hour what scripts/test tries shortly.
"""

from __future__ import annotations

import copy
import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

#: How many damaged inputs each test tries.
EXAMPLES = int(os.environ.get("BENCHMAC_FUZZ_EXAMPLES", "40"))

tries = settings(
    max_examples=EXAMPLES,
    deadline=None,
    # The same every time in scripts/test: what a long run finds is added as an example.
    derandomize="BENCHMAC_FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)

_SNIPPETS = st.sampled_from(
    [
        *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x85", b"\xe2\x80\xa8"),
        *(b"{", b"[", b"]", b"}", b'"', b"<", b">", b"\n", b"\r", b"\x1b[2J", b"%00", b"%ff"),
        *(b"<![x]>", b"&#" + b"9" * 5000 + b";", b"<!DOCTYPE x [<!ENTITY a 'b'>]>"),
        *(b"<?xml version='1.0' encoding='x'?>", b"<a>" * 500, b"[" * 2000, b'{"a":' * 500),
        *(b"http://[x", b"http://x:99999/", b"../../etc/passwd", b"/etc/passwd"),
        *(b"-1", b"9" * 5000, b"1e999", b"NaN", b"null", b"\\ud800", "\u0663\u00b2".encode()),
    ]
)


@st.composite
def damaged(draw: st.DrawFn, *seeds: bytes) -> bytes:
    """A seed with up to five pieces cut out, doubled, put elsewhere or replaced."""
    content = draw(st.sampled_from(seeds)) if seeds else b""
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        piece = draw(_SNIPPETS | st.binary(max_size=8) | st.just(content[start:end] * 2))
        content = content[:start] + piece + content[end:]
    return content


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -1, 2**63, 0]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["\ud800", "http://[x", "../x", "²", "\0", "x" * 5000]),
    st.builds(list),
    st.builds(dict),
    st.lists(st.integers() | st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@st.composite
def damaged_json(draw: st.DrawFn, *seeds: Any) -> Any:
    """A seed in which up to three values are gone, doubled, or of another type."""
    value = copy.deepcopy(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 3))):
        value = _changed(draw, value)
    return value


def _changed(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value, key=repr)))
        if draw(st.integers(0, 9)) == 0:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _changed(draw, value[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], _changed(draw, value[place]), *value[place + 1 :]]
    return draw(VALUES)
