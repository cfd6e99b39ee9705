"""A5 AddHttp: values are held by connections that nobody opens."""

from __future__ import annotations

from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

#: Reserved for documentation and tests (RFC 2606); no connection is ever made.
_HOSTS = ("localhost", "db.example", "api.example", "proxy.test")
_MOST = 60_000


def _connection(draft: Draft) -> str:
    return draft.use("http.client", "HTTPConnection")


def _port_chosen(draft: Draft) -> str:
    host = draft.random.choice(_HOSTS)
    port, other = draft.random.sample([80, 443, 8000, 8080, 8443], 2)
    return (
        f'{_connection(draft)}(\n"{host}:{port}" if {draft.inner} else "{host}:{other}"\n).port\n'
        f"== {port}"
    )


def _default_port(draft: Draft) -> str:
    host = draft.random.choice(_HOSTS)
    port = draft.random.choice([8000, 8080, 8443])
    connection = _connection(draft)
    return (
        f'{connection}("{host}", None if {draft.inner} else {port}).port\n'
        f'== {connection}("{host}").default_port'
    )


def _port(draft: Draft) -> str:
    draft.need(0 <= draft.number <= _MOST)
    host = draft.random.choice(_HOSTS)
    connection = _connection(draft)
    base = draft.random.choice([80, 443, 8000])
    return (
        f'{connection}("{host}:{draft.number + base}").port\n- {connection}("{host}", {base}).port'
    )


def _held(draft: Draft) -> str:
    host = draft.random.choice(_HOSTS)
    field = draft.random.choice(["timeout", "blocksize"])
    # Both are kept as they are.
    return f'{_connection(draft)}(\n"{host}", {field}={draft.inner}\n).{field}'


class AddHttp(LibraryOperator):
    """Conditions and numbers are ports of connections, values what a connection keeps."""

    code: ClassVar[str] = "A5"
    name: ClassVar[str] = "AddHttp"
    idioms = (
        Idiom(Kind.CONDITION, _port_chosen, loops=1),
        Idiom(Kind.CONDITION, _default_port, loops=1),
        Idiom(Kind.NUMBER, _port, loops=1),
        Idiom(Kind.VALUE, _held, loops=1),
    )
