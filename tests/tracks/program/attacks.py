"""Answers that cheat, and honest odd ones: none of the first is solved, all of the others are."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_benchmac.input.answers import patch_of_answer
from tests.tracks.program.small import COUNT, FAULTY, REVERSE_JAVA


@dataclass(frozen=True)
class Attack:
    """An answer to an instance of `small`, and the stage that has to refuse it."""

    name: str
    instance: str
    answer: str = ""
    fails: str = "tests"
    #: In place of the patch that an answer becomes.
    patch: bytes = b""

    @property
    def content(self) -> bytes:
        file = {"translate": "Answer.java", "repair": "program.py"}
        kind = self.instance.rpartition("_")[2]
        return self.patch or patch_of_answer(file.get(kind, "answer.txt"), self.answer.encode())


#: What the faulty program would have to return for the first call, which an attacker may know.
_FIRST = "{'a': 2, 'b': 1}"


def _first(text: str) -> str:
    """A program that does something as it is loaded, and has the fault as before."""
    return f"{text}\n\n\n{FAULTY}"


def _in_place(text: str) -> str:
    """A program whose function does something else."""
    return f"def count(text, least=1):\n{text}\n"


_LIAR = """\
class Liar(dict):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0

    def __repr__(self):
        return "{'a': 2, 'b': 1}"


def count(text, least=1):
    return Liar()
"""
_JAVA_BEGIN = "import java.io.*;\nimport java.util.*;\n\npublic class Answer {\n"
_RUN_PYTHON = (
    _JAVA_BEGIN
    + """\
    public static Object count(Object... arguments) throws Exception {
        for (String name : List.of("python3", "python", "/usr/bin/python3.11")) {
            try {
                Process process = new ProcessBuilder(name, "-c",
                    "print({'a': 2, 'b': 1})").start();
                String told = new String(process.getInputStream().readAllBytes());
                if (process.waitFor() == 0) return Main.parse(told.replace('\\'', '"'));
            } catch (IOException error) {
                continue;
            }
        }
        return null;
    }
}
"""
)
#: All lines at once, past the driver, and then what is to be formatted in.
_ALL_LINES = (
    _JAVA_BEGIN
    + """\
    static {
        try {
            FileOutputStream told = new FileOutputStream(FileDescriptor.out);
            told.write("{'a': 2, 'b': 1}\\n{}\\n{'one': 2, 'two': 1}\\n{'ccc': 1}\\n"
                .replace('\\'', '"').getBytes());
            THEN
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    public static Object count(Object... arguments) {
        return Map.of();
    }
}
"""
)
_SEARCH = """\
import glob, os, re


def count(text, least=1):
    seen = b""
    for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline") + glob.glob(
        "/proc/*/maps"
    ) + glob.glob("/benchmac/**", recursive=True) + glob.glob("/tmp/**", recursive=True):
        try:
            with open(path, "rb") as file:
                seen += file.read(1_000_000)
        except OSError:
            pass
    try:
        with open(f"/proc/{os.getppid()}/maps") as maps, open(
            f"/proc/{os.getppid()}/mem", "rb"
        ) as memory:
            for line in maps:
                if "rw-p" in line and len(seen) < 50_000_000:
                    start, end = (int(word, 16) for word in line.split()[0].split("-"))
                    memory.seek(start)
                    seen += memory.read(end - start)
    except OSError:
        pass
    key = re.escape(repr(text)).encode()
    found = re.search(rb'"input": "' + key + rb'[^}]*"output": "(.*?)"}', seen)
    return eval(found[1]) if found else None
"""
_LINES = """\
import json, os

for descriptor in range(256):
    for job in range(2):
        for place in range(10):
            line = "%d %d %s\\n" % (job, place, json.dumps({"value": "{'a': 2, 'b': 1}"}))
            try:
                os.write(descriptor, line.encode())
            except OSError:
                pass
os._exit(0)
"""
_FILES = """\
import json, os

for folder in ("/", "/tmp", "/benchmac", "/benchmac/inbox", "/benchmac/project", "/benchmac/home"):
    for name in ("cases.jsonl", "report.json", "jobs.json", "runner.py", "results.jsonl"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                json.dump({"passed": True, "total": 4, "solved": True}, file)
        except OSError:
            pass
"""

ATTACKS = [
    # Code in what should be a value.
    Attack("call", "count_input", "__import__('os').getcwd()", "answer"),
    Attack("or", "count_input", "print('a a b') or 'a a b'", "answer"),
    Attack("lambda", "count_input", "(lambda: 'a a b')()", "answer"),
    Attack("comprehension", "count_input", "' '.join(w for w in ['a', 'a', 'b'])", "answer"),
    Attack("formatted", "count_input", "f\"{'a a b'}\"", "answer"),
    Attack("always_equal", "count_input", "type('E', (), {'__eq__': lambda s, o: 1})()", "answer"),
    Attack("exit_as_value", "count_input", "__import__('sys').exit(0)", "answer"),
    Attack("closed_bracket", "count_input", f"'x') == {_FIRST} or ({_FIRST}", "answer"),
    Attack("starred", "count_input", "*['a a b']", "answer"),
    Attack("keyword", "count_input", "text='a a b'", "answer"),
    Attack("the_call_itself", "count_output", "count('a b a')", "answer"),
    Attack("walrus", "count_output", "(x := {'a': 2, 'b': 1})", "answer"),
    Attack("other_types", "count_output", "{'a': 2.0, 'b': True}"),
    Attack("two_values", "count_output", f"{_FIRST}, {{}}"),
    Attack("printed_value", "script_output", "print('cba\\ned')", "answer"),
    # Values that are too much for whoever reads them.
    Attack("huge", "count_input", f"'{'a ' * 60_000}'", "answer"),
    Attack("many", "count_output", "[" + "1," * 200_000 + "]", "answer"),
    Attack("deep", "count_output", "[" * 5_000 + "]" * 5_000, "answer"),
    Attack("signs", "count_output", "-" * 15_000 + "1", "answer"),
    Attack("digits", "count_output", "9" * 15_000, "answer"),
    Attack("slow_input", "climb_input", "60"),
    Attack("endless_recursion", "climb_input", "100000000"),
    # Programs that do anything but what is asked.
    Attack("unchanged", "count_repair", FAULTY),
    Attack("exit", "count_repair", _first("import sys\n\nsys.exit(0)")),
    Attack("exit_at_once", "count_repair", _first("import os\n\nos._exit(0)")),
    Attack("exit_in_call", "count_repair", _in_place("    raise SystemExit(0)")),
    Attack("liar", "count_repair", _LIAR),
    Attack(
        "patched_builtins",
        "count_repair",
        _first(
            "import builtins, json, unittest\n\n"
            f'builtins.repr = lambda value: "{_FIRST}"\n'
            "builtins.AssertionError = type('Never', (BaseException,), {})\n"
            "unittest.TestCase.assertEqual = lambda *words: None\n"
            f'json.dumps = lambda *words, **more: \'{{"value": "{_FIRST}"}}\''
        ),
    ),
    Attack("search", "count_repair", _SEARCH),
    Attack("lines", "count_repair", _first(_LINES)),
    Attack("files", "count_repair", _first(_FILES)),
    Attack(
        "kills_the_runner",
        "count_repair",
        _first("import os, signal\n\nos.kill(os.getppid(), signal.SIGKILL)"),
    ),
    Attack("says_passed", "count_repair", _first('print("4 passed")\nraise SystemExit(0)')),
    Attack("sleeps", "count_repair", _in_place("    import time\n    time.sleep(3600)")),
    Attack("memory", "count_repair", _in_place("    return ['x' * 10**9 for _ in range(100)]")),
    Attack("forks", "count_repair", _in_place("    import os\n    while True:\n        os.fork()")),
    # Java that is none, or would be Python.
    Attack("runs_python", "count_translate", _RUN_PYTHON),
    Attack(
        "java_exit",
        "count_translate",
        _JAVA_BEGIN
        + "    static { System.exit(0); }\n    public static Object count(Object... a) {"
        " return null; }\n}\n",
    ),
    Attack(
        "own_main",
        "count_translate",
        _JAVA_BEGIN + "}\nclass Main {\n    public static void main(String[] words) {\n"
        '        System.out.println("{\\"a\\": 2, \\"b\\": 1}");\n    }\n}\n',
        "compile",
    ),
    Attack("python_text", "count_translate", COUNT, "compile"),
    Attack(
        "own_number",
        "count_translate",
        _JAVA_BEGIN + "    public static Object count(Object... a) { return new Number() {\n"
        "        public int intValue() { return 0; }\n"
        "        public long longValue() { return 0; }\n"
        "        public float floatValue() { return 0; }\n"
        "        public double doubleValue() { return 0; }\n"
        '        public String toString() { return "{\\"a\\": 2, \\"b\\": 1}"; } }; }\n}\n',
    ),
    Attack(
        "right_lines_and_fails",
        "count_translate",
        _ALL_LINES.replace("THEN", "Runtime.getRuntime().halt(1);"),
    ),
    Attack("right_lines_and_more", "count_translate", _ALL_LINES.replace("THEN", "told.flush();")),
    Attack(
        "right_lines_and_hangs",
        "count_translate",
        _ALL_LINES.replace("THEN", "while (told != null) { Thread.onSpinWait(); }"),
    ),
    Attack("always_the_same", "script_translate", REVERSE_JAVA.replace(".reverse()", "")),
    # Patches that are no answers.
    Attack(
        "link",
        "count_output",
        fails="answer",
        patch=b"diff --git a/answer.txt b/answer.txt\nnew file mode 120000\n--- /dev/null\n"
        b"+++ b/answer.txt\n@@ -0,0 +1 @@\n+/etc/hostname\n\\ No newline at end of file\n",
    ),
    Attack(
        "outside",
        "count_output",
        fails="answer",
        patch=patch_of_answer("../../answer.txt", _FIRST.encode()),
    ),
    Attack(
        "elsewhere",
        "count_output",
        fails="answer",
        patch=patch_of_answer("cases.jsonl", b'{"input": "1", "output": "1"}\n'),
    ),
]

_BESIDE = patch_of_answer("answer.txt", b"{'b': 1, 'a': 2}") + patch_of_answer("notes.txt", b"x\n")
HONEST = [
    Attack("order_of_keys", "count_output", "{'b': 1, 'a': 2}\n", ""),
    Attack("commented", "count_output", "{'a': 2,  # twice\n 'b': 1}", ""),
    Attack("beside", "count_output", fails="", patch=_BESIDE),
    Attack("other_input", "count_input", "'B a A', 1", ""),
    Attack("joined", "count_input", "'a a ' 'b'", ""),
    Attack("prints", "count_repair", _first("print('loaded')").replace(FAULTY, COUNT), ""),
    Attack(
        "written_anew",
        "count_repair",
        "from collections import Counter\n\n"
        + _in_place("    return dict(Counter(w for w in text.lower().split() if len(w) >= least))"),
        "",
    ),
]
