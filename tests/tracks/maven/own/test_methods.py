"""Class files: their methods, and what is left when these are emptied."""

from __future__ import annotations

import struct

import pytest

from pytest_benchmac.tracks.maven.own.methods import all_keys, class_name, emptied, method_keys

#: aload_0; areturn.
SOMETHING = b"\x2a\xb0"
#: aconst_null; areturn.
NOTHING = b"\x01\xb0"


def _text(value: str) -> bytes:
    return struct.pack(">BH", 1, len(value)) + value.encode()


def _method(access: int, name: int, descriptor: int, code: bytes) -> bytes:
    body = struct.pack(">HHI", 5, 9, len(code)) + code + bytes(4)
    head = struct.pack(">HHHH", access, name, descriptor, 1)
    return head + struct.pack(">HI", 3, len(body)) + body


def class_file(*methods: bytes) -> bytes:
    constants = [
        _text("org/waymark/Track"),
        struct.pack(">BH", 7, 1),
        _text("Code"),
        _text("of"),
        _text("([J[[Lorg/waymark/Position;D)Lorg/waymark/Track;"),
        _text("<init>"),
        # A long takes two places.
        struct.pack(">BQ", 5, 1),
        _text("thinned"),
    ]
    head = struct.pack(">IHHH", 0xCAFEBABE, 0, 61, len(constants) + 2) + b"".join(constants)
    body = struct.pack(">HHHHHH", 0x21, 2, 0, 0, 0, len(methods)) + b"".join(methods)
    return head + body + struct.pack(">H", 0)


def test_methods_are_told_by_name_and_number_of_parameters() -> None:
    content = class_file(
        _method(1, 4, 5, SOMETHING), _method(1, 6, 5, SOMETHING), _method(1, 9, 5, NOTHING)
    )
    assert class_name(content) == "org.waymark.Track"
    assert method_keys(content) == {"of/3"}
    assert all_keys(content) == {"of/3", "thinned/3"}


def test_an_emptied_method_returns_a_default_and_the_others_stay() -> None:
    content = class_file(_method(1, 4, 5, SOMETHING), _method(1, 9, 5, SOMETHING))
    mutant = emptied(content, {"of/3"}, "mark")
    assert method_keys(mutant) == {"thinned/3"}
    assert all_keys(mutant) == {"of/3", "thinned/3"}
    assert b"mark" in mutant
    same = emptied(content, (), "mark")
    assert method_keys(same) == {"of/3", "thinned/3"}
    assert len(same) == len(content) + 3 + len("mark")


def test_what_the_compiler_makes_is_left_alone() -> None:
    assert all_keys(class_file(_method(0x1001, 4, 5, SOMETHING))) == frozenset()


@pytest.mark.parametrize("size", [0, 3, 9, 40, 120])
def test_what_is_cut_off_has_no_methods(size: int) -> None:
    content = class_file(_method(1, 4, 5, SOMETHING))[:size]
    assert all_keys(content) == frozenset()
    assert class_name(content) == ""
    with pytest.raises(ValueError, match="no class file"):
        emptied(content, {"of/3"}, "mark")
