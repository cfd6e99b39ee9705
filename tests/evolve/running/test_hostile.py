"""Whatever a program does, the next run is as if it had not been there."""

from __future__ import annotations

import os

import pytest

from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.model.settings import Settings
from tests.evolve.running.subjects import DOUBLE, HONEST, WRONG, subject

SERVER = "server = os.getppid()\n"
#: Forges what another run says: a program that passes, and a result.
FORGED = 'b\'{"said": ["{}", "{}"], "end": "done"}\\n\''
HOSTILE = {
    "kills what runs it": f"import os\n{SERVER}os.kill(server, 9)\n",
    "kills all": "import os\nos.kill(-1, 9)\n",
    "leaves a process": """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            try:
                open("/tmp/run/program.py", "w").write("def double(x): return 0")
            except OSError:
                pass
    os._exit(0)
""",
    "leaves threads": """
import threading
for _ in range(8):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
""",
    "forks without end": "import os\nwhile True:\n    os.fork()\n",
    "lowers limits": f"""
import os, resource
{SERVER}
for what in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_STACK):
    try:
        resource.prlimit(server, what, (1 << 16, 1 << 16))
    except (OSError, ValueError):
        pass
""",
    "slows down": f"import os\n{SERVER}os.setpriority(os.PRIO_PROCESS, server, 19)\n",
    "leaves files": """
import os
for folder in ("/tmp", os.environ["HOME"], "/dev/shm"):
    os.makedirs(folder + "/a/b/c", exist_ok=True)
    open(folder + "/a/b/numpy.py", "w").write("raise SystemExit(0)")
    os.symlink("/etc", folder + "/a/b/link")
    os.chmod(folder + "/a/b", 0)
    os.chmod(folder + "/a", 0)
""",
    "fills the disk": """
try:
    for number in range(100):
        with open(f"/tmp/{number}", "wb") as file:
            for _ in range(16):
                file.write(bytes(1 << 20))
except OSError:
    pass
""",
    "closes everything": "import os\nos.closerange(0, 10000)\n",
    "says what it likes": f"""
import os
for number in range(3, 256):
    try:
        os.write(number, {FORGED})
    except OSError:
        pass
""",
    "floods": """
import os
for number in range(3, 256):
    try:
        while True:
            os.write(number, bytes(1 << 20))
    except OSError:
        pass
""",
    "takes memory": "x = []\nwhile True:\n    x.append(bytes(1 << 24))\n",
    "takes a signal": """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
""",
}


#: What a run finds: its own folder, the first process of the namespace, the server and itself.
LEFT = subject(
    """
import os


def f():
    folders = ("/tmp", os.environ["HOME"], os.environ["HOME"] + "/../project", "/dev/shm")
    alive = [each for each in os.listdir("/proc") if each.isdecimal()]
    return [os.listdir(each) for each in folders], len(alive), os.getpriority(os.PRIO_PROCESS, 0)
""",
    f"""
found, alive, priority = f()
assert found == [["run"], [], [], []], found
assert alive == 3, alive
assert priority == {os.getpriority(os.PRIO_PROCESS, 0)}, priority
""",
)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_next_run_is_as_it_would_have_been(laboratory: Laboratory, text: str) -> None:
    laboratory.tests_pass(HONEST, HONEST.program.with_main(f"{text}\n{DOUBLE}"))
    assert laboratory.tests_pass(HONEST, HONEST.program).passed
    assert not laboratory.tests_pass(HONEST, WRONG).passed
    verdict = laboratory.tests_pass(LEFT, LEFT.program)
    assert verdict.passed, verdict


CLOSED = {
    "memory": "open(f'/proc/{os.getppid()}/mem', 'r+b')",
    "streams": "open(f'/proc/{os.getppid()}/fd/1', 'wb')",
    "environment": "open(f'/proc/{os.getppid()}/environ').read()",
    "packages": "open(os.path.dirname(os.__file__) + '/os.py', 'a')",
    "inbox": "open('/benchmac/inbox/benchmac_inside/work.py', 'a')",
    "trace": "print(1 / (1 + ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)))",
    "network": "socket.create_connection(('1.1.1.1', 80), 2)",
    "names": "socket.getaddrinfo('example.org', 80)",
}


@pytest.mark.parametrize("text", CLOSED.values(), ids=CLOSED)
def test_what_runs_it_is_closed(laboratory: Laboratory, text: str) -> None:
    trying = subject(
        f"import ctypes, os, socket\n\n\ndef f():\n    return {text}\n",
        "try:\n    f()\nexcept (OSError, ZeroDivisionError):\n    pass\nelse:\n    assert 0\n",
    )
    verdict = laboratory.tests_pass(trying, trying.program)
    assert verdict.passed, verdict


FORGING = """
import json
import os

loaded = json.dumps({"loaded": ["", ""]}) + "\\n"
line = json.dumps({"steps": [["value", "4", "[2, {}]", "", ""]]}) + "\\n"
for number in range(3, 256):
    try:
        os.write(number, (loaded + 500 * line).encode())
    except OSError:
        pass
os._exit(0)
"""


def test_answers_that_are_forged_do_not_count_as_the_originals(laboratory: Laboratory) -> None:
    """A run can only speak for itself, and does not know what the original did."""
    forging = HONEST.program.with_main(FORGING)
    assert laboratory.differences(HONEST, forging, seed=1, inputs=50) is not None
    assert laboratory.differences(HONEST, HONEST.program, seed=1, inputs=50) is None


def test_the_log_of_the_sandbox_stays_small(laboratory: Laboratory, settings: Settings) -> None:
    log = settings.reports / "laboratory.log"
    assert laboratory.tests_pass(HONEST, HONEST.program).passed
    assert log.stat().st_size < 100_000
