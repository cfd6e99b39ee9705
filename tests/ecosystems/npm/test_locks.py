"""Lock files name the base's registry, not this machine's."""

from __future__ import annotations

import json

import pytest

from pytest_benchmac.ecosystems.npm.locks import portable_lock as portable

MIRROR = "https://mirror.example/npm/"
PUBLIC = "https://registry.example/"


def lock(**addresses: str | None) -> bytes:
    packages = {
        f"node_modules/{name}": {
            "version": "1.0.0",
            **({"resolved": address} if address else {}),
            "integrity": "sha512-x",
        }
        for name, address in addresses.items()
    }
    return (json.dumps({"lockfileVersion": 3, "packages": packages}, indent=2) + "\n").encode()


def test_new_entries_get_the_addresses_of_the_base() -> None:
    base = lock(a=f"{PUBLIC}a/-/a-1.0.0.tgz", b=f"{PUBLIC}@s/b/-/b-1.0.0.tgz")
    now = lock(
        a=f"{PUBLIC}a/-/a-1.0.0.tgz", b=f"{MIRROR}@s/b/-/b-2.0.0.tgz", c=f"{MIRROR}c/-/c-1.tgz"
    )
    assert portable(now, base, [MIRROR]) == lock(
        a=f"{PUBLIC}a/-/a-1.0.0.tgz", b=f"{PUBLIC}@s/b/-/b-2.0.0.tgz", c=f"{PUBLIC}c/-/c-1.tgz"
    )


@pytest.mark.parametrize("base", [None, lock(a=None), b"no json"])
def test_addresses_go_where_the_base_has_none(base: bytes | None) -> None:
    now = lock(a=f"{MIRROR}a/-/a-1.0.0.tgz", b=None)
    assert portable(now, base, [MIRROR]) == lock(a=None, b=None)


def test_an_address_at_the_end_of_an_entry_goes_with_its_comma() -> None:
    now = b'{\n  "x": {\n    "version": "1",\n    "resolved": "%sx/-/x-1.tgz"\n  }\n}\n'
    left = portable(now % MIRROR.encode(), None, [MIRROR])
    assert left == b'{\n  "x": {\n    "version": "1"\n  }\n}\n'
    assert json.loads(left)


def test_other_addresses_stay() -> None:
    now = lock(a="https://elsewhere.example/a/-/a-1.tgz", b="git+ssh://git@x.example/b.git#1")
    assert portable(now, None, [MIRROR]) == now
    assert portable(now, lock(a=f"{PUBLIC}a/-/a-1.tgz"), [MIRROR]) == now


def test_a_base_that_names_the_same_registry_stays() -> None:
    base = lock(a=f"{MIRROR}a/-/a-1.tgz")
    now = lock(a=f"{MIRROR}a/-/a-2.tgz")
    assert portable(now, base, [MIRROR]) == now


def test_yarn() -> None:
    base = b'a@^1:\n  version "1.0.0"\n  resolved "%sa/-/a-1.0.0.tgz#0"\n' % PUBLIC.encode()
    now = base.replace(b"1.0.0", b"1.2.0").replace(PUBLIC.encode(), MIRROR.encode())
    assert portable(now, base, [MIRROR]) == base.replace(b"1.0.0", b"1.2.0")
