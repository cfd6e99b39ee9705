"""What a command cannot reach: the system, capabilities, the engine, the host, the network."""

import os
import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.sandbox.base import CA_BUNDLE, NetworkAttachment, Sandbox
from tests.sandbox.tiny import MakeSandbox


def output(sandbox: Sandbox, command: str, log: Path) -> str:
    return sandbox.run(command, timeout_s=30, log=log, capture_bytes=100_000).stdout.decode()


def test_there_are_no_capabilities(shared: Sandbox, log: Path) -> None:
    status = dict(
        line.split(":\t", 1)
        for line in output(shared, "cat /proc/self/status", log).splitlines()
        if line.startswith(("Cap", "NoNewPrivs"))
    )
    assert status == {
        "CapInh": "0" * 16,
        "CapPrm": "0" * 16,
        "CapEff": "0" * 16,
        "CapBnd": "0" * 16,
        "CapAmb": "0" * 16,
        "NoNewPrivs": "1",
    }


def test_only_four_folders_can_be_written(shared: Sandbox, log: Path) -> None:
    find = (
        "find / -xdev -writable ! -type l -print 2>/dev/null; "
        "for each in $(cut -d' ' -f5 /proc/self/mountinfo); do "
        "find $each -xdev -writable ! -type l -prune -print 2>/dev/null; done"
    )
    writable = set(output(shared, find, log).split())
    allowed = ("/benchmac/project", "/benchmac/home", "/tmp", "/dev", "/proc")
    assert {path for path in writable if not path.startswith(allowed)} == set()
    for path in (
        "/",
        "/usr/bin",
        "/etc",
        "/benchmac",
        "/benchmac/inbox",
        "/run",
        "/var/tmp",
        "/dev",
    ):
        attempt = shared.run(f"touch {path}/new", timeout_s=20, log=log)
        assert attempt.exit_code != 0, path
    for path in ("/benchmac/project", "/benchmac/home", "/tmp"):
        program = (
            f"printf '#!/bin/sh\\necho works' > {path}/new && chmod +x {path}/new && {path}/new"
        )
        assert output(shared, program, log) == "works\n"


def test_the_project_folder_itself_cannot_be_swapped(shared: Sandbox, log: Path) -> None:
    attempts = "mv /benchmac/project /benchmac/other; rmdir /benchmac/home; mkdir /benchmac/new"
    shared.run(attempts, timeout_s=20, log=log)
    assert output(shared, "ls /benchmac", log).split() == ["home", "inbox", "project"]


def test_there_is_no_setuid_program(shared: Sandbox, log: Path) -> None:
    assert output(shared, "find / -xdev -perm /6000 -type f 2>/dev/null", log) == ""


def test_no_engine_no_host_path_and_no_other_process_is_inside(shared: Sandbox, log: Path) -> None:
    seen = output(
        shared,
        "find / -name 'docker*.sock' -o -name 'containerd*.sock' 2>/dev/null | grep -v ^/proc; "
        "cat /proc/self/mountinfo; ls -d /proc/[0-9]*; ls -l /proc/self/fd",
        log,
    )
    assert "docker.sock" not in seen
    assert "containerd.sock" not in seen
    here = str(Path(__file__).parents[2])
    assert here not in output(shared, "cat /proc/*/cmdline /proc/*/environ 2>/dev/null", log)
    assert shared.run(f"ls {here}", timeout_s=20, log=log).exit_code != 0
    assert len([line for line in seen.splitlines() if line.startswith("/proc/")]) < 8
    # Nothing of the harness's is open in a command: three streams, and the folder being listed.
    descriptors = [line for line in seen.splitlines() if " -> " in line]
    assert len(descriptors) == 4


def test_it_is_not_the_hosts_namespaces(shared: Sandbox, log: Path) -> None:
    inside = output(shared, "for n in pid mnt ipc uts; do readlink /proc/self/ns/$n; done", log)
    outside = [os.readlink(f"/proc/self/ns/{name}") for name in ("pid", "mnt", "ipc", "uts")]  # noqa: PTH115
    assert set(inside.split()).isdisjoint(outside)
    assert output(shared, "hostname", log).strip() == "sandbox"


def test_what_it_writes_never_belongs_to_root(sandbox: Sandbox, log: Path, tmp_path: Path) -> None:
    sandbox.run("echo x > file", timeout_s=20, log=log)
    assert output(sandbox, "stat -c %u:%g file", log) == "1000:1000\n"


# --- the network ---


class Echo(socketserver.BaseRequestHandler):
    """Answers with what it gets, in capitals; when the client has finished, with `bye`."""

    def handle(self) -> None:
        while data := self.request.recv(65536):
            self.request.sendall(data.upper())
        self.request.sendall(b"bye\n")


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


@pytest.fixture
def echo_socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("echo")
    path = folder / "socket"
    with Server(str(path), Echo) as server:
        path.chmod(0o666)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield path
        server.shutdown()


CLIENT = r"""
use Socket;
socket(my $s, PF_INET, SOCK_STREAM, 0);
connect($s, pack_sockaddr_in(3128, inet_aton('127.0.0.1'))) or die "connect: $!";
select((select($s), $| = 1)[0]);
"""


def perl(script: str) -> str:
    return f"perl -e '{CLIENT}{script}'".replace("'127.0.0.1'", '"127.0.0.1"')


def test_with_a_socket_the_proxy_is_reached_and_nothing_else(
    make: MakeSandbox, echo_socket: Path, log: Path
) -> None:
    with make(network=NetworkAttachment(policy="proxied", socket=echo_socket)) as sandbox:
        talk = perl('print $s "hello\\n"; print scalar <$s>; shutdown($s, 1); print <$s>;')
        assert output(sandbox, talk, log) == "HELLO\nbye\n"
        # Again: in every command, not only in the first.
        assert output(sandbox, talk, log) == "HELLO\nbye\n"
        interfaces = output(sandbox, "ls /sys/class/net 2>/dev/null; cat /proc/net/dev", log)
        assert "eth0" not in interfaces
        routes = output(sandbox, "cat /proc/net/route", log).splitlines()[1:]
        assert routes == []


def test_bypassing_the_proxy_fails(make: MakeSandbox, echo_socket: Path, log: Path) -> None:
    listener = socket.create_server(("0.0.0.0", 0))
    port = listener.getsockname()[1]
    with listener, make(network=NetworkAttachment(policy="proxied", socket=echo_socket)) as sandbox:
        addresses = ["127.0.0.1", "172.17.0.1", "192.0.2.1", _own_address()]
        for address in addresses:
            attempt = (
                "perl -MSocket -e 'alarm 5; socket(my $s, PF_INET, SOCK_STREAM, 0); "
                f'exit(connect($s, pack_sockaddr_in({port}, inet_aton("{address}"))) ? 0 : 9)\''
            )
            assert sandbox.run(attempt, timeout_s=20, log=log).exit_code == 9, address
        name = "perl -MSocket -e 'alarm 15; exit(inet_aton(\"localhost.example\") ? 0 : 9)'"
        assert sandbox.run(name, timeout_s=30, log=log).exit_code == 9
        datagram = (
            "perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0); "
            'exit(send($s, "x", 0, pack_sockaddr_in(53, inet_aton("192.0.2.1"))) ? 0 : 9)\''
        )
        assert sandbox.run(datagram, timeout_s=20, log=log).exit_code == 9
        listener.settimeout(0.2)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_the_forwarder_carries_bulk_both_ways_and_many_at_once(
    make: MakeSandbox, echo_socket: Path, log: Path
) -> None:
    # Each of 40 clients sends 2 MB and reads as much back, at the same time.
    script = (
        'if (fork) { print $s "abcdefg\\n" x 262144; shutdown($s, 1); wait; exit } '
        "my ($n, $got) = (0); $n += length $got while sysread($s, $got, 65536); print qq($n\\n);"
    )
    command = f"for i in $(seq 40); do {perl(script)} & done; wait"
    network = NetworkAttachment(policy="proxied", socket=echo_socket)
    with make(network=network) as sandbox:
        counts = output(sandbox, command, log).split()
    assert counts == [str(8 * 262144 + len("bye\n"))] * 40


def test_a_proxy_that_is_gone_is_a_closed_connection(
    make: MakeSandbox, tmp_path_factory: pytest.TempPathFactory, log: Path
) -> None:
    folder = tmp_path_factory.mktemp("gone")
    path = folder / "socket"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    path.chmod(0o666)
    with make(network=NetworkAttachment(policy="proxied", socket=path)) as sandbox:
        server.close()
        for _ in range(2):
            result = sandbox.run(
                perl("print <$s>; print qq(closed\\n);"), timeout_s=20, log=log, capture_bytes=99
            )
            assert result.stdout == b"closed\n", f"{result}\n{log.read_text()}"


def test_the_stage_user_cannot_end_the_forwarder_for_later_commands(
    make: MakeSandbox, echo_socket: Path, log: Path
) -> None:
    with make(network=NetworkAttachment(policy="proxied", socket=echo_socket)) as sandbox:
        sandbox.run("kill -9 -1", timeout_s=20, log=log)
        talk = perl('print $s "hello\\n"; print scalar <$s>;')
        assert output(sandbox, talk, log) == "HELLO\n"


def test_the_ca_bundle_can_be_read_and_not_written(
    make: MakeSandbox, tmp_path_factory: pytest.TempPathFactory, log: Path
) -> None:
    folder = tmp_path_factory.mktemp("ca")
    bundle = folder / "bundle.pem"
    bundle.write_text("certificates\n")
    with make(network=NetworkAttachment(policy="open", ca_bundle=bundle)) as sandbox:
        assert output(sandbox, f"cat {CA_BUNDLE}", log) == "certificates\n"
        assert sandbox.run(f"echo x > {CA_BUNDLE}", timeout_s=20, log=log).exit_code != 0
    assert bundle.read_text() == "certificates\n"


def test_open_has_the_hosts_network(shared: Sandbox, log: Path) -> None:
    listener = socket.create_server(("0.0.0.0", 0))
    with listener:
        attempt = (
            "perl -MSocket -e 'alarm 5; socket(my $s, PF_INET, SOCK_STREAM, 0); "
            f"exit(connect($s, pack_sockaddr_in({listener.getsockname()[1]}, "
            f'inet_aton("{_own_address()}"))) ? 0 : 9)\''
        )
        assert shared.run(attempt, timeout_s=20, log=log).exit_code == 0


def _own_address() -> str:
    """This machine's address on its way out; a datagram socket that is connected sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
