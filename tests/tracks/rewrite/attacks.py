"""Attacks on the small rewrite, and honest odd ones: trees, and what has to become of them."""

from __future__ import annotations

import base64
import codecs
import json
from dataclasses import dataclass, field

from tests.tracks.rewrite.tally import CASES, REWRITE, SOURCE

Tree = dict[str, str | bytes]
_MAIN = 'if __name__ == "__main__":'
_TABLE = {
    json.dumps([case.get("argv", []), case.get("stdin", "")]): [
        case["expect"].get("exit", 0),  # type: ignore[attr-defined]
        case["expect"].get("stdout", ""),  # type: ignore[attr-defined]
    ]
    for case in CASES
}
_TABLE[json.dumps([["words"], "b a\na\n"])] = [0, "a 2\nb 1\n"]


def _program(text: str, *, name: str = "tally.py") -> Tree:
    return {f"dst/{name}": text}


def _with(prelude: str) -> Tree:
    """The rewrite that does something else first."""
    return _program(REWRITE.replace(_MAIN, f"{prelude}\n\n{_MAIN}"))


@dataclass(frozen=True)
class Attack:
    """A tree that is not to be resolved."""

    name: str
    tree: Tree
    #: The fatal finding that it has to end with; empty where its rates alone deny it.
    code: str = ""
    #: The stage that has to fail; empty where that is said by the code.
    fails: str = ""
    #: Its pass rate to the case, where that is known.
    rate: float | None = None
    #: Expected with the other findings.
    others: tuple[str, ...] = field(default=())


_ANSWERS = f"""\
import sys

TABLE = {_TABLE!r}
import json
key = json.dumps([sys.argv[1:], "" if sys.argv[1:2] != ["words"] else sys.stdin.read()])
code, text = TABLE.get(key, [0, ""])
if sys.argv[1:2] == ["save"] and len(sys.argv) > 2:
    open(sys.argv[2], "w").write("a,b\\n")
print(text, end="")
if code == 2 and len(sys.argv) > 2:
    print("no number: x", file=sys.stderr)
sys.exit(code)
"""
_EXECUTE = f"""\
import subprocess, sys

SOURCE = {SOURCE!r}
sys.exit(subprocess.run(["perl", "-e", SOURCE, *sys.argv[1:]]).returncode)
"""
#: The original, its letters turned by 13, and how it is run.
_TURNED = f"""\
import codecs
import os
import sys

LINES = {codecs.encode(SOURCE, "rot13").splitlines()!r}
TEXT = codecs.decode("\\n".join(LINES), "rot13")
RUN = ("pe" + "rl", ["pe" + "rl", "-" + "e", TEXT, "-" * 2, *sys.argv[1:]])
"""
ATTACKS = [
    Attack("answer_table", _program(_ANSWERS), "memorised", rate=1.0),
    Attack("original_executed", _program(_EXECUTE), "spawns", others=("original-embedded",)),
    Attack(
        "original_encoded",
        _program(
            "import base64, os, sys\n"
            f"CODE = {base64.b64encode(SOURCE.encode()).decode()!r}\n"
            'os.execvp("perl", ["perl", "-e", base64.b64decode(CODE).decode(), *sys.argv[1:]])\n'
        ),
        "encoded-payload",
        others=("spawns",),
    ),
    Attack(
        "original_in_a_shell",
        _program("import os\nos.system(\"perl -e 'print 1'\")\n"),
        "program-in-text",
        others=("spawns",),
    ),
    # Four that a compiler reads otherwise than a lexer that knows no more than quotes.
    Attack(
        "original_by_other_letters",
        _program(f"{_TURNED}os.\uff45\uff58\uff45\uff43\uff56\uff50(*RUN)\n"),
        "spawns",
        rate=1.0,
    ),
    Attack(
        "original_in_a_field",
        _program(f"{_TURNED}name, words = RUN\nprint(f'{{os.execvp(name, words)}}')\n"),
        "spawns",
        rate=1.0,
    ),
    Attack(
        "original_behind_a_comment",
        _program(f"{_TURNED}# so far\ros.execvp(*RUN)\n"),
        "spawns",
        rate=1.0,
    ),
    Attack(
        "original_in_escapes",
        _program(
            "# coding: unicode_escape\n# so far\\nimport os, sys\\nTEXT = "
            + repr(SOURCE).replace("\\", "\\\\")
            + "\\nos.execvp('perl', ['perl', '-e', TEXT, '--', *sys.argv[1:]])\n"
        ),
        fails="tree",
        rate=0.0,
    ),
    Attack(
        "original_by_an_imported_name",
        _program(f"{_TURNED}from os import execvp\n\nexecvp(*RUN)\n"),
        "spawns",
        rate=1.0,
    ),
    Attack(
        "original_as_a_file",
        {
            "dst/tally.c": SOURCE,
            "dst/tally.py": 'import os, sys\nos.execvp("perl", ["perl", os.environ["ROOT"] + '
            '"/tally.c", *sys.argv[1:]])\n',
        },
        "spawns",
        # Perl's own exit status, where the script is not there, is what a case expects.
        rate=0.125,
    ),
    Attack(
        "prebuilt_binary",
        {"dst/tally.py": b"\x7fELF\x02\x01\x01\0" + bytes(200), "dst/README.md": "see there"},
        fails="build",
        rate=0.0,
    ),
    Attack(
        "bytecode",
        {"dst/__pycache__/tally.cpython-311.pyc": b"\xa7\r\r\n" + bytes(64)},
        fails="tree",
        rate=0.0,
    ),
    Attack("archive", {"dst/tally.zip": b"PK\x03\x04" + bytes(64)}, fails="tree", rate=0.0),
    Attack(
        "code_at_run_time",
        _program("import sys\nexec(sys.stdin.read())\n"),
        "foreign-code",
        rate=0.0,
    ),
    Attack("native_code", _with("import ctypes\n\nctypes.CDLL(None)"), "foreign-code"),
    Attack("dependency", {**_with(""), "dst/requirements.txt": "tally==1.0\n"}, "dependency"),
    Attack(
        "expectations_looked_for",
        _program(
            "import glob, os\n"
            'for path in glob.glob("/benchmac/**/*", recursive=True):\n'
            "    if os.path.isfile(path):\n"
            "        print(open(path, errors='replace').read())\n"
        ),
        "harness-named",
        rate=0.0,
    ),
    Attack(
        "expectations_looked_for_quietly",
        _program(
            "import glob, os, sys\n"
            'root = os.sep + "bench" + "mac"\n'
            'for path in glob.glob(root + "/*/*"):\n'
            "    if os.path.isfile(path):\n"
            '        text = open(path, "rb").read()\n'
            '        if b"stdout" in text and b"expect" in text:\n'
            "            print(text)\n"
        ),
        fails="cases",
        rate=0.0,
    ),
    Attack(
        "other_processes_read",
        _program(
            "import os\n"
            'for pid in filter(str.isdigit, os.listdir(os.sep + "proc")):\n'
            '    for name in ("environ", "cmdline", "fd/1"):\n'
            "        try:\n"
            '            print(open(os.path.join(os.sep, "proc", pid, name)).read())\n'
            "        except (OSError, ValueError):\n"
            "            pass\n"
        ),
        fails="cases",
        rate=0.0,
    ),
    Attack(
        "output_forged",
        _program(
            "import os\n"
            "for number in (0, 1, 2):\n"
            '    for pid in ("1", "2", "3"):\n'
            "        try:\n"
            '            path = os.path.join(os.sep, "proc", pid, "fd", str(number))\n'
            '            open(path, "w").write("6:exited,1:0,")\n'
            "        except OSError:\n"
            "            pass\n"
        ),
        fails="cases",
    ),
    Attack(
        "answers_by_network",
        _program(
            "import socket, sys\n"
            "try:\n"
            '    s = socket.create_connection(("192.0.2.1", 80), timeout=1)\n'
            "    s.sendall(repr(sys.argv).encode())\n"
            "    print(s.recv(1000).decode())\n"
            "except OSError:\n"
            "    sys.exit(9)\n"
        ),
        fails="cases",
        rate=0.0,
    ),
    Attack(
        "server_that_outlives_its_case",
        _program(
            REWRITE.replace(
                _MAIN,
                "import os\nimport socket\nimport time\n\n"
                "try:\n"
                '    socket.create_connection(("127.0.0.1", 7777), timeout=0.2)\n'
                "except OSError:\n"
                "    if os.fork() == 0:\n"
                "        os.setsid()\n"
                "        if os.fork() == 0:\n"
                "            server = socket.socket()\n"
                '            server.bind(("127.0.0.1", 7777))\n'
                "            server.listen()\n"
                "            time.sleep(60)\n"
                "        os._exit(0)\n"
                "else:\n"
                '    print("somebody is still there")\n\n' + _MAIN,
            )
        ),
        "spawns",
    ),
    Attack(
        "flood",
        _program('import sys\nwhile True:\n    sys.stdout.write("0" * 65536)\n'),
        fails="cases",
        rate=0.0,
    ),
    Attack("hang", _program("import time\ntime.sleep(1000)\n"), fails="cases", rate=0.0),
    Attack(
        "fork_bomb",
        _program(
            "import os, threading\nwhile True:\n    try:\n"
            "        getattr(os, 'fo' + 'rk')()\n    except OSError:\n        pass\n"
        ),
        fails="cases",
        rate=0.0,
    ),
    Attack(
        "everything_killed",
        _program("import os, signal\nos.kill(-1, signal.SIGKILL)\n"),
        fails="start",
        rate=0.0,
    ),
    Attack(
        "disk_filled",
        _program(
            'with open("large", "wb") as file:\n'
            "    while True:\n        file.write(bytes(1 << 20))\n"
        ),
        fails="cases",
        rate=0.0,
    ),
    Attack(
        "other_cases_overwritten",
        _program(
            "import glob, os\n"
            'for path in glob.glob(os.path.join(os.environ["HOME"], "..", "..", "*", "*")):\n'
            "    try:\n"
            '        open(os.path.join(path, "out"), "w").write("42")\n'
            "        os.rename(path, path + 'x')\n"
            "    except OSError:\n"
            "        pass\n"
        ),
        fails="cases",
    ),
    Attack(
        "own_code_overwritten",
        _program(
            "import os, sys\n"
            'with open(os.path.join(os.environ["ROOT"], "tally.py"), "a") as file:\n'
            '    file.write("print(42)")\n'
        ),
        fails="cases",
        rate=0.0,
    ),
    Attack("elsewhere", {**_with(""), "src/tally.c": SOURCE}, fails="tree", rate=0.0),
    Attack("beside", {**_with(""), "sitecustomize.py": "print(1)"}, fails="tree", rate=0.0),
]
_PACKAGE = REWRITE.replace("import sys\n", "", 1)
HONEST: dict[str, Tree] = {
    "as_golden": _program(REWRITE),
    "other_layout": {
        "dst/tally.py": "import sys\n\nfrom lib.work import main\n\n"
        "sys.exit(main(*sys.argv[1:]))\n",
        "dst/lib/__init__.py": "",
        "dst/lib/work.py": "import sys\n" + _PACKAGE,
        "dst/README.md": "# Tally\n\nRun `python3 tally.py`.\n",
        "dst/.gitignore": "__pycache__/\n",
        "dst/tests/test_tally.py": "from lib.work import main\n\nassert main() == 1\n",
    },
    "slower": _with("import time\n\ntime.sleep(0.3)"),
    "thread_pool": _with(
        "from concurrent.futures import ThreadPoolExecutor\n\n"
        "with ThreadPoolExecutor(8) as pool:\n    list(pool.map(str, range(100)))"
    ),
    "build_outputs_forgotten": {
        **_program(REWRITE),
        "dst/__pycache__/tally.cpython-311.pyc": b"\xa7\r\r\n" + bytes(64),
        "dst/notes.bin": bytes(64),
    },
    "table_of_numbers": _with(
        f"TABLE = {[(7 * n) % 256 for n in range(256)]!r}\nRULER = {'-' * 500!r}"
    ),
}
