"""A small rewrite of a server: it adds what it is sent. Perl that calls itself C, as `tally` is."""

from __future__ import annotations

from pathlib import Path

from tests.tracks.rewrite import tally

BENCHMARK = """\
benchmark: {name: counter, type: api, source_language: C, target_language: Python}
source: {language: C, description: Adds., run_cmd: perl "$ROOT/counter.c"}
destination: {language: Python, description: Adds., run_cmd: python3 "$ROOT/counter.py"}
port: 8190
health: /health
start_timeout_s: 5
"""
SOURCE = r"""
use strict;
use Socket;
my $total = 0;
socket my $server, PF_INET, SOCK_STREAM, 6;
setsockopt $server, SOL_SOCKET, SO_REUSEADDR, 1;
bind $server, sockaddr_in($ENV{PORT}, INADDR_LOOPBACK) or die $!;
listen $server, 5;
while (accept my $client, $server) {
    my ($head, $body) = ('', '');
    while ($head !~ /\r\n\r\n/) { sysread $client, $head, 1, length $head or last }
    my ($method, $path) = $head =~ /^(\S+) (\S+)/;
    if ($head =~ /content-length: (\d+)/i) {
        my $size = $1;
        while (length $body < $size) { sysread $client, $body, $size, length $body or last }
    }
    my ($status, $text) = (200, '{"status":"ok"}');
    if ($path eq '/count') {
        if ($method eq 'POST' && $body =~ /"by":(-?\d+)/) { $status = 201; $total += $1 }
        elsif ($method eq 'POST') { $status = 400 }
        $text = $status == 400 ? '{"error":"by"}' : "{\"total\":$total}";
    } elsif ($path ne '/health') {
        ($status, $text) = (404, '{"error":"none"}');
    }
    my $size = length $text;
    syswrite $client, "HTTP/1.1 $status X\r\nContent-Length: $size\r\n\r\n$text";
    close $client;
}
"""
REWRITE = r"""import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Counter(BaseHTTPRequestHandler):
    total = 0

    def do_GET(self):
        if self.path == "/health":
            self.answer(200, {"status": "ok"})
        elif self.path == "/count":
            self.answer(200, {"total": Counter.total})
        else:
            self.answer(404, {"error": "none"})

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        found = re.search(r'"by":(-?\d+)', self.rfile.read(size).decode())
        if self.path != "/count":
            self.answer(404, {"error": "none"})
        elif found is None:
            self.answer(400, {"error": "by"})
        else:
            Counter.total += int(found[1])
            self.answer(201, {"total": Counter.total})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Counter).serve_forever()
"""
FRESH = """from hypothesis import Phase, given, seed, settings, strategies as st


def cases(number, count):
    found = []

    @seed(number)
    @settings(max_examples=20 * count, database=None, phases=[Phase.generate], deadline=None)
    @given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=4))
    def draw(numbers):
        steps = [{"method": "POST", "path": "/count", "body": {"by": n}} for n in numbers]
        case = {"area": "count", "steps": [*steps, {"path": "/count"}]}
        if len(found) < count and case not in found:
            found.append(case)

    draw()
    return [{"id": f"fresh-{n:04}", **case} for n, case in enumerate(found, 1)]
"""


def _add(number: int, total: int) -> dict[str, object]:
    expect = {"status": 201, "body": {"total": total}}
    return {"method": "POST", "path": "/count", "body": {"by": number}, "expect": expect}


CASES: list[dict[str, object]] = [
    {
        "id": "zero",
        "area": "count",
        "steps": [{"path": "/count", "expect": {"body": {"total": 0}}}],
    },
    {"id": "adds", "area": "count", "steps": [_add(2, 2), _add(-5, -3), _add(0, -3)]},
    {"id": "anew", "area": "count", "steps": [_add(7, 7)]},
    {
        "id": "wrong",
        "area": "errors",
        "steps": [
            {"method": "POST", "path": "/count", "body": {}, "expect": {"status": 400}},
            {"path": "/nowhere", "expect": {"status": 404, "body": {"error": "none"}}},
        ],
    },
]


def write(folder: Path) -> Path:
    """Write the instance; its folder."""
    tally.write(folder, cases=CASES)
    (folder / "benchmark.yml").write_text(BENCHMARK)
    (folder / "suite" / "fresh.py").write_text(FRESH)
    (folder / "source" / "tally.c").unlink()
    (folder / "source" / "counter.c").write_text(SOURCE)
    patch = tally.patch_of({"dst/counter.py": REWRITE}, folder.with_name("counter.tree"))
    (folder / "silver.patch").write_bytes(patch)
    return folder


def program(text: str) -> dict[str, str | bytes]:
    """A tree of one file."""
    return {"dst/counter.py": text}


_MAIN = 'if __name__ == "__main__":'
HONEST = {
    "as_golden": program(REWRITE),
    # A daemon of its own, which is gone with its case as any other process.
    "daemonised": program(
        REWRITE.replace(
            _MAIN,
            'if __name__ == "__main__" and getattr(os, "fo" + "rk")() == 0:\n    os.setsid()',
        )
    ),
    "talkative": program(
        REWRITE.replace("    def answer(", "    print('x' * 100_000)\n\n    def answer(")
    ),
}
#: Name -> tree, the stage that fails, and the most that its pass rate can be.
ATTACKS: dict[str, tuple[dict[str, str | bytes], str, float]] = {
    "never_ready": (program("import time\ntime.sleep(100)\n"), "start", 0.0),
    "another_port": (program(REWRITE.replace('int(os.environ["PORT"])', "8191")), "start", 0.0),
    "answers_by_file": (
        # What it counted goes on from case to case, if anything does.
        program(
            REWRITE.replace(
                "            Counter.total +=",
                "            self.load()\n            Counter.total +=",
            ).replace(
                "    def answer(",
                "    def load(self):\n"
                '        path = os.path.join(os.sep, "tmp", "total")\n'
                "        if os.path.exists(path):\n"
                "            Counter.total = 1000 + int(open(path).read())\n"
                '        open(path, "w").write(str(Counter.total))\n\n'
                "    def answer(",
            )
        ),
        "cases",
        0.75,
    ),
    "floods": (
        program(REWRITE.replace("body = json.dumps(value).encode()", 'body = b"0" * 50_000_000')),
        "start",
        0.0,
    ),
    "drips": (
        program(
            REWRITE.replace(
                "        self.wfile.write(body)",
                "        import time\n\n        for byte in body:\n            time.sleep(1)\n"
                "            self.wfile.write(bytes([byte]))",
            )
        ),
        "start",
        0.0,
    ),
}
