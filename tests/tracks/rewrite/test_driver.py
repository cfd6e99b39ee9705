"""The driver: what a case did comes back whole and bounded, and nothing of it outlives it.

It runs on this machine here, with programs of our own; hostile ones run in sandboxes
(`test_whole`).
"""

import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from pytest_benchmac.tracks.rewrite.benchmark import Benchmark
from pytest_benchmac.tracks.rewrite.cases.answers import LOST, Did, Ended
from pytest_benchmac.tracks.rewrite.cases.models import ApiCase, Case, CliCase
from pytest_benchmac.tracks.rewrite.driving.batch import STREAM_BYTES, Program, decode, encode

DRIVER = files("pytest_benchmac.tracks.rewrite.driving") / "driver.pl"
Run = Callable[..., Mapping[str, Did]]

SERVER = r"""
import http.server, json, os, sys

things = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/chunked":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (b"one ", b"two"):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        elif self.path == "/close":
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\nuntil the end")
            self.close_connection = True
        elif self.path == "/broken":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort")
            self.close_connection = True
        elif self.path == "/slow":
            import time
            time.sleep(30)
        elif self.path == "/health":
            self.answer(200, {"pid": os.getpid()})
        else:
            self.answer(200, {"path": self.path, "x": self.headers["X-Test"], "things": things})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        things[str(len(things) + 1)] = body
        sys.stderr.write("x" * 100_000)
        self.answer(201, {"thing": {"id": len(things), "tags": ["a/b", "é\n"]}})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", self.headers["Content-Type"] or "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


print("listening on", os.environ["PORT"], flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(
        program: Program, *cases: Case, budget_s: float = 60, status: int = 0
    ) -> Mapping[str, Did]:
        tokens = {f"t{number}": case for number, case in enumerate(cases)}
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        batch, out = folder / "batch", folder / "out"
        batch.write_bytes(
            encode(
                program,
                tokens,
                jobs=4,
                folders=(str(folder / "work"), str(out)),
                budget_s=budget_s,
                timeout_s=2,
            )
        )
        done = subprocess.run(["perl", str(DRIVER), str(batch)], check=False, timeout=120)
        assert done.returncode == status
        answers = {path.name: decode(path.read_bytes()) for path in out.iterdir()}
        assert list((folder / "work").iterdir()) == []
        return {case.id: answers.get(token, LOST) for token, case in tokens.items()}

    return run


def _sh(name: str, script: str, **more: object) -> CliCase:
    return CliCase.model_validate({"id": name, "argv": (script,), **more})


SHELL, A_FILE = Program("sh -c", "/nowhere"), {"a": "0"}


def test_a_case_is_what_it_says(run: Run) -> None:
    did = run(
        SHELL,
        _sh("in", "cat; cat d/f >&2; exit 3", stdin="é\n", files={"d/f": "2"}),
        _sh("words", 'printf "%s|" "$0"; echo "$X|$ROOT"', env={"X": "a 'b' $c"}),
        _sh(
            "left", "rm a; echo 1 > b; mkdir c; echo 2 > c/d; ln -s b l; mkfifo p", files={"a": "0"}
        ),
        _sh("variables", 'env | sort | cut -d= -f1 | tr "\\n" " "'),
    )
    assert (did["in"].exit, did["in"].stdout, did["in"].stderr) == (3, "é\n".encode(), b"2")
    assert did["words"].stdout == b"sh|a 'b' $c|/nowhere\n"
    assert did["left"].files == {"b": b"1\n", "c/d": b"2\n"}
    assert did["variables"].stdout == b"HOME LANG PATH PWD ROOT TMPDIR USER "


def test_what_hangs_floods_or_hides_ends(run: Run) -> None:
    did = run(
        SHELL,
        _sh("hang", "sleep 987 & sleep 987"),
        _sh("behind", "(setsid sleep 986 >/dev/null 2>&1 &); echo ok"),
        _sh("holds", "sleep 985 & echo ok"),
        _sh("flood", "yes", timeout_s=1),
        _sh("silent", "exec >&- 2>&-; sleep 0.2; exit 7"),
        _sh("signal", "kill -9 $$"),
        _sh("large", "head -c 3000000 /dev/zero > large; echo 1 > small"),
        _sh("missing", "exec /no/such/program"),
    )
    assert did["hang"].ended is Ended.TIMED_OUT
    assert (did["behind"].exit, did["behind"].stdout) == (0, b"ok\n")
    assert did["holds"].stdout == b"ok\n"
    assert did["holds"].duration_s < 1.5
    assert (did["flood"].ended, len(did["flood"].stdout)) == (Ended.TIMED_OUT, STREAM_BYTES)
    assert did["flood"].cut
    assert did["silent"].exit == 7
    assert did["signal"].exit == 137
    assert did["large"].cut
    assert did["large"].files == {"small": b"1\n"}
    assert did["missing"].exit == 127
    assert not did["missing"].started
    left = subprocess.run(["pgrep", "-f", "sleep 98[567]"], capture_output=True, check=False)
    assert left.stdout == b""


def test_nothing_but_hangs_is_not_waited_for(run: Run) -> None:
    cases = [_sh(f"c{n}", "sleep 60", timeout_s=0.2) for n in range(40)]
    did = run(SHELL, *cases, status=3)
    ended = [did[case.id].ended for case in cases]
    assert ended.count(Ended.TIMED_OUT) < 30
    assert ended.count(Ended.LOST) > 10


def test_no_case_begins_after_its_time(run: Run) -> None:
    cases = [_sh(f"c{n}", "sleep 0.5") for n in range(12)]
    did = run(SHELL, *cases, budget_s=0.7, status=3)
    assert 4 <= sum(each.ended is Ended.EXITED for each in did.values()) <= 8


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path) -> Program:
    (tmp_path / "server.py").write_text(SERVER)
    command = 'exec python3 "$ROOT/server.py"'
    return Program(command, str(tmp_path), port=_port(), health="/health", start_s=20)


def _flow(name: str, *steps: Mapping[str, object]) -> ApiCase:
    return ApiCase.model_validate({"id": name, "steps": steps})


def test_each_flow_has_a_server_of_its_own(server: Program, run: Run) -> None:
    flow = (
        {"method": "POST", "path": "/things", "body": {"a": 1}, "capture": {"n": "/thing/id"}},
        {"path": "/things/{n}?x={n}", "headers": {"X-Test": "{n}-{m}"}, "capture": {}},
    )
    did = run(server, _flow("one", *flow), _flow("two", *flow))
    for each in did.values():
        assert each.ready
        assert [answer.status for answer in each.answers] == [201, 200]
        assert b'"path": "/things/1?x=1", "x": "1-{m}", "things": {"1": {"a": 1}}' in (
            each.answers[1].body
        )
        assert each.answers[0].headers["content-type"] == "application/json"
        assert each.stderr.startswith(b"listening on")


def test_every_kind_of_answer_is_read(server: Program, run: Run) -> None:
    did = run(
        server,
        _flow("chunked", {"path": "/chunked"}),
        _flow("close", {"path": "/close"}),
        _flow("broken", {"path": "/broken"}, {"path": "/never"}),
        _flow("slow", {"path": "/slow"}, {"path": "/never"}),
        _flow("head", {"method": "HEAD", "path": "/x"}),
        _flow("text", {"path": "/x", "body": "{}", "headers": {"Content-Type": "text/x"}}),
        _flow("none", {"method": "POST", "path": "/things", "body": [], "capture": {"n": "/no"}}),
    )
    assert did["chunked"].answers[0].body == b"one two"
    assert did["close"].answers[0].body == b"until the end"
    assert [each.status for each in did["broken"].answers] == [None]
    assert did["broken"].answers[0].problem == "the connection broke off"
    assert did["slow"].answers[0].problem == "too slow"
    assert did["head"].answers[0].status == 501
    assert did["text"].answers[0].headers["content-type"] == "text/x"
    assert did["none"].answers[0].status == 201


def test_a_server_that_does_not_start_says_why(server: Program, run: Run) -> None:
    broken = Program("echo no such thing >&2; exit 3", server.root, server.port, "/health", 5)
    did = run(broken, _flow("one", {"path": "/"}))["one"]
    assert (did.ready, did.exit, did.stderr) == (False, 3, b"no such thing\n")
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", server.port))
        taken.listen()
        did = run(server, _flow("two", {"path": "/"}))["two"]
    assert did.ended is Ended.NOT_RUN


@pytest.mark.parametrize("content", [b"", b"1:a", b"6:exited,", b"99999999999999:x", b"\0" * 50])
def test_what_is_no_answer_is_lost(content: bytes) -> None:
    assert decode(content) is LOST


@pytest.mark.parametrize(
    ("run_cmd", "command"),
    [
        ("./bcal", '"$ROOT"/./bcal'),
        ("bin/tool --fast", '"$ROOT"/bin/tool --fast'),
        ('"$ROOT/tool"', '"$ROOT/tool"'),
        ("$ROOT/tool", "$ROOT/tool"),
        ("/usr/bin/env x", "/usr/bin/env x"),
        ("python3 a/b.py", "python3 a/b.py"),
    ],
)
def test_the_first_word_is_found_from_anywhere(run_cmd: str, command: str) -> None:
    side = {"language": "c", "run_cmd": run_cmd}
    told = Benchmark.model_validate(
        {
            "benchmark": {
                "name": "x",
                "type": "cli",
                "source_language": "C",
                "target_language": "C",
            },
            "source": side,
            "destination": side,
        }
    )
    assert Program.of(told, run_cmd, "/root").command == command
