"""Talking to a command in a sandbox, in every engine."""

from __future__ import annotations

import time
from pathlib import Path

from pytest_benchmac.sandbox.base import Conversation, Sandbox


def heard(conversation: Conversation, size: int) -> bytes:
    """So many bytes of what a command says."""
    said = b""
    while len(said) < size:
        piece = conversation.receive(20)
        assert piece, f"{len(said)} of {size} bytes came"
        said += piece
    return said


def test_what_is_sent_is_read_and_what_is_said_comes_back(sandbox: Sandbox, log: Path) -> None:
    with sandbox.converse(
        'while read -r a; do echo "<$a>"; done; echo end; echo x >&2', log=log
    ) as talk:
        assert talk.send(b"one\n", 5)
        assert heard(talk, 6) == b"<one>\n"
        assert talk.receive(0.05) == b""
        assert talk.send(b"two\nthree\n", 5)
        assert heard(talk, 14) == b"<two>\n<three>\n"


def test_more_than_a_pipe_holds_goes_both_ways(sandbox: Sandbox, log: Path) -> None:
    data = b"0123456789abcde\n" * 65536
    with sandbox.converse("head -c 1048576 >all; cat all all", log=log) as talk:
        assert talk.send(data, 20)
        assert heard(talk, 2 * len(data)) == data + data
        assert talk.receive(20) is None


def test_a_command_that_reads_nothing_is_not_waited_for(sandbox: Sandbox, log: Path) -> None:
    with sandbox.converse("exec 0<&-; echo gone; echo why >&2", log=log) as talk:
        assert heard(talk, 5) == b"gone\n"
        assert talk.receive(20) is None
    assert log.read_text() == "why\n"


def test_all_that_it_started_ends_with_the_conversation(sandbox: Sandbox, log: Path) -> None:
    with sandbox.converse("(sleep 600 & sleep 600) & echo on; cat", log=log) as talk:
        assert heard(talk, 3) == b"on\n"
    started = time.monotonic()
    done = sandbox.run(
        "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", timeout_s=20, log=log, capture_bytes=9999
    )
    assert done.exit_code == 0
    assert b"sleep 600" not in done.stdout
    assert time.monotonic() - started < 20
