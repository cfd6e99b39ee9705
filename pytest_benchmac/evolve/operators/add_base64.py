"""A1 AddBase64: values take a way through base64, base32 and base16."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

_CODES: dict[str, Callable[[bytes], bytes]] = {
    "b64": base64.b64encode,
    "b32": base64.b32encode,
    "b16": base64.b16encode,
}
_WORDS = (("yes", "no"), ("on", "off"), ("left", "right"), ("open", "shut"), ("even", "odd"))
#: Longer texts would be no longer than a line.
_LONGEST = 30


def _encoded(draft: Draft, data: bytes) -> tuple[str, str]:
    """A code's name, and data in that code as a literal."""
    code = draft.random.choice(list(_CODES))
    return code, f'"{_CODES[code](data).decode()}"'


def _decodes_to(draft: Draft) -> str:
    true, false = draft.random.choice(_WORDS)
    code = draft.random.choice(list(_CODES))
    one, two = (f'"{_CODES[code](word.encode()).decode()}"' for word in (true, false))
    decode = draft.use("base64", f"{code}decode")
    return f'{decode}({one} if {draft.inner} else {two}).decode()\n== "{true}"'


def _encodes_to(draft: Draft) -> str:
    true, false = draft.random.choice(_WORDS)
    code, literal = _encoded(draft, true.encode())
    encode = draft.use("base64", f"{code}encode")
    return f'{encode}(b"{true}" if {draft.inner} else b"{false}").decode()\n== {literal}'


def _byte(draft: Draft) -> str:
    draft.need(0 <= draft.number < 256)
    code, literal = _encoded(draft, bytes([draft.number]))
    return f"{draft.use('base64', f'{code}decode')}({literal})[0]"


def _digits(draft: Draft) -> str:
    code, literal = _encoded(draft, str(draft.number).encode())
    return f"{draft.builtin('int')}({draft.use('base64', f'{code}decode')}({literal}))"


def _text(draft: Draft) -> str:
    draft.need(len(draft.text) <= _LONGEST and draft.text.isprintable())
    code, literal = _encoded(draft, draft.text.encode())
    return f"{draft.use('base64', f'{code}decode')}({literal}).decode()"


def _there_and_back(draft: Draft) -> str:
    code = draft.random.choice(list(_CODES))
    encode, decode = (draft.use("base64", f"{code}{way}") for way in ("encode", "decode"))
    # Halves of surrogate pairs go through, too.
    errors = '"utf-8", "surrogatepass"'
    return f"{decode}(\n{encode}({draft.receiver}.encode({errors}))\n).decode(\n{errors}\n)"


class AddBase64(LibraryOperator):
    """Conditions choose what is decoded; literals are encoded; texts go there and back."""

    code: ClassVar[str] = "A1"
    name: ClassVar[str] = "AddBase64"
    idioms = (
        Idiom(Kind.CONDITION, _decodes_to, loops=2),
        Idiom(Kind.CONDITION, _encodes_to, loops=2),
        Idiom(Kind.NUMBER, _byte, loops=2),
        Idiom(Kind.NUMBER, _digits, loops=2),
        Idiom(Kind.TEXT, _text, loops=2),
        Idiom(Kind.STRING, _there_and_back, loops=2),
    )
