"""What people see while cases run: on a terminal, and where lines cannot be replaced."""

import os
import pty
import re
import struct
import subprocess
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pytest

from pytest_benchmac.plugin import live
from pytest_benchmac.plugin.progress import ProgressReader, ProgressWriter
from tests.toy_bench import BASE, Bench

ROWS, COLUMNS = 30, 120


class Screen:
    """A terminal that knows as much of VT100 as pytest and the live lines use."""

    def __init__(self) -> None:
        self.lines = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.saved = (0, 0)
        self.scrolled: list[str] = []
        self._rest = ""

    def text(self) -> list[str]:
        return ["".join(line).rstrip() for line in self.lines]

    def feed(self, text: str) -> None:
        text = self._rest + text
        pattern = re.compile(r"\x1b\[([\d;]*)([A-Za-z])|\x1b([D78])|([^\x1b])")
        position = 0
        while match := pattern.match(text, position):
            position = match.end()
            number, code, escape, character = match.groups()
            if character is not None:
                self._write(character)
            elif escape is not None:
                self._escape(escape)
            else:
                self._control(number, code)
        self._rest = text[position:]
        assert len(self._rest) < 20, f"not understood: {self._rest[:40]!r}"

    def _write(self, character: str) -> None:
        if character == "\n":
            self._down()
        elif character == "\r":
            self.column = 0
        else:
            if self.column == COLUMNS:
                self.column = 0
                self._down()
            self.lines[self.row][self.column] = character
            self.column += 1

    def _down(self) -> None:
        if self.row == ROWS - 1:
            self.scrolled.append("".join(self.lines.pop(0)).rstrip())
            self.lines.append([" "] * COLUMNS)
        else:
            self.row += 1

    def _escape(self, code: str) -> None:
        if code == "D":
            self._down()
        elif code == "7":
            self.saved = (self.row, self.column)
        else:
            self.row, self.column = self.saved

    def _control(self, number: str, code: str) -> None:
        if code == "A":
            self.row = max(0, self.row - int(number or 1))
        elif code == "E":
            self.row, self.column = min(ROWS - 1, self.row + int(number or 1)), 0
        elif code == "K":
            assert number == "2"
            self.lines[self.row] = [" "] * COLUMNS
        else:
            assert code == "m", f"not understood: {number}{code}"


def run_on_a_terminal(bench: Bench, *arguments: str) -> tuple[Screen, list[list[str]], int]:
    """The screen at the end, what it showed meanwhile, and the exit status."""
    controller, terminal_end = pty.openpty()
    ioctl(terminal_end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {name: value for name, value in bench.env.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        bench.command(*arguments),
        cwd=bench.root,
        env={**env, "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=terminal_end,
        stderr=terminal_end,
        # The pseudo terminal turns each line feed into a carriage return and a line feed.
        start_new_session=True,
    )
    os.close(terminal_end)
    screen = Screen()
    shown = [screen.text()]
    while True:
        try:
            chunk = os.read(controller, 65536)
        except OSError:
            # The other end is closed.
            break
        if not chunk:
            break
        screen.feed(chunk.decode(errors="replace"))
        if screen.text() != shown[-1]:
            shown.append(screen.text())
    os.close(controller)
    return screen, shown, process.wait(timeout=60)


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
@pytest.mark.parametrize("verbosity", [(), ("-v",)], ids=["dots", "verbose"])
def test_live_lines_on_a_terminal(
    bench: Bench, workers: tuple[str, ...], verbosity: tuple[str, ...]
) -> None:
    names = [bench.instance(f"{c}_v1_to_v2", build="sleep 3") for c in "ab"]

    screen, shown, status = run_on_a_terminal(bench, "--baseline", *workers, *verbosity)

    assert status == 0, "\n".join(screen.text())
    live = re.compile(r"^\{baseline/(\w+)\} build (\d+) s$")
    seen: dict[str, set[int]] = {name: set() for name in names}
    together = 0
    far = {line for lines in shown for line in lines if line.endswith(" cases are over")}
    assert "0 of 2 cases are over" in far
    for lines in shown:
        found = [match for line in lines if (match := live.match(line))]
        together = max(together, len(found))
        for match in found:
            seen[match[1]].add(int(match[2]))
    # Time goes on, in one line per case that runs.
    assert all(len(seconds) >= 2 for seconds in seen.values()), seen
    assert together == (2 if workers else 1)
    # Nothing of it is left, and pytest's own output is whole.
    everything = [*screen.scrolled, *screen.text()]
    assert not [line for line in everything if "build" in line and live.match(line)]
    assert not far.intersection(everything)
    text = "\n".join(everything)
    assert re.search(r"=+ 4 passed in ", text)
    assert "Leaderboard: toy" in text
    if not workers and not verbosity:
        assert "benchmac/test_toy.py ...." in text
    if verbosity and not workers:
        assert len(re.findall(r"^benchmac/test_toy.py::test_\w+\[.*\] PASSED", text, re.M)) == 4


def test_plain_lines_elsewhere(bench: Bench) -> None:
    bench.instance(build="true")
    bench.write(
        "conftest.py", "def pytest_benchmac_stage(event):\n    print('captured', event.stage)\n"
    )
    session = bench.run("--baseline", "-rP")
    lines = session.out.splitlines()
    for stage in ("build",):
        pattern = re.compile(rf"^benchmac: {{baseline/{BASE}}} {stage} passed at \d+\.\d s$")
        assert len([line for line in lines if pattern.match(line)]) == 1
    assert "\x1b" not in session.out
    # What is printed in the same process meanwhile is captured, and not mixed up with it.
    captured = session.out[session.out.index("Captured stdout setup") :]
    assert "captured build" in captured
    assert "benchmac: {" not in captured


def test_quiet_sessions_are_quiet(bench: Bench) -> None:
    bench.instance(build="true")
    session = bench.run("--baseline", "-q")
    assert "passed at" not in session.out


def test_long_stages_are_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(live, "_HEARTBEAT_S", 0.2)
    monkeypatch.setattr(live, "_REFRESH_S", 0.1)
    writer = ProgressWriter(tmp_path, "gw0")
    writer.write("{sut/slow}", "build", "started", 5.0)
    lines = live.LiveLines(
        1, ProgressReader(tmp_path), replaces_lines=False, column=lambda: 0, total=lambda: 3
    )
    lines.start()
    time.sleep(1.0)
    writer.write("{sut/slow}", "build", "passed", 6.0)
    writer.write("{sut/slow}", "resolved", "finished", 6.0)
    writer.write("{sut/broken}", "install", "error", 1.0)
    writer.write("{sut/broken}", "resolved", "finished", 1.0)
    time.sleep(0.5)
    lines.stop()
    out = capfd.readouterr().out.splitlines()
    again = re.compile(r"benchmac: \{sut/slow\} build \d+ s, running")
    assert len([line for line in out if again.fullmatch(line)]) >= 2
    assert out.count("benchmac: {sut/slow} build passed at 6.0 s") == 1
    # And how far the session is.
    assert out.count("benchmac: 0 of 3 cases are over") >= 2
    assert "benchmac: 2 of 3 cases are over, 1 ended in infrastructure errors" in out


def test_progress_of_a_killed_writer(tmp_path: Path) -> None:
    """Half a line is not read; it is when it is whole."""
    writer = ProgressWriter(tmp_path, "gw0")
    reader = ProgressReader(tmp_path)
    writer.write("{sut/one}", "patch", "started", 0.5)
    [path] = tmp_path.glob("*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:30])
    assert [(p.case, p.stage, p.state, p.elapsed_s) for p in reader.poll()] == [
        ("{sut/one}", "patch", "started", 0.5)
    ]
    assert list(reader.poll()) == []
    path.write_bytes(whole + whole)
    assert len(list(reader.poll())) == 1
