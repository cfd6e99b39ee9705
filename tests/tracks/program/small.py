"""Small instances of each task, written for tests."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pytest_benchmac.input.answers import patch_of_answer

#: Counts words; `program` is what goes into the instance of a repair.
COUNT = '''\
"""Words of a text."""


def count(text, least=1):
    """How often each word of at least so many letters is there."""
    found = {}
    for word in text.lower().split():
        if len(word) >= least:
            found[word] = found.get(word, 0) + 1
    return found
'''
FAULTY = COUNT.replace("found.get(word, 0) + 1", "found.get(word, 0) - 1").replace(">=", ">")
CASES = (
    ("'a b a'", "{'a': 2, 'b': 1}"),
    ("''", "{}"),
    ("'One one two', 2", "{'one': 2, 'two': 1}"),
    ("'a bb ccc', 3", "{'ccc': 1}"),
)
COUNT_JAVA = """\
import java.util.*;

public class Answer {
    public static Map<String, Integer> count(String text) {
        return count(text, 1);
    }

    public static Map<String, Integer> count(String text, int least) {
        Map<String, Integer> found = new LinkedHashMap<>();
        for (String word : text.toLowerCase().trim().split("\\\\s+")) {
            if (!word.isEmpty() && word.length() >= least) found.merge(word, 1, Integer::sum);
        }
        return found;
    }
}
"""
#: Takes ages for numbers that are not much larger.
CLIMB = """\
def climb(n):
    return 1 if n < 2 else climb(n - 1) + climb(n - 2)
"""
REVERSE = """\
import sys

for line in sys.stdin:
    print(line.strip()[::-1])
"""
REVERSE_CASES = (("'abc\\nde\\n'", "'cba\\ned\\n'"), ("''", "''"))
REVERSE_JAVA = """\
import java.io.*;

class Answer {
    public static void main(String[] words) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(new StringBuilder(line.trim()).reverse());
        }
    }
}
"""


def write(
    root: Path,
    kind: str,
    *,
    program: str = COUNT,
    entry: str | None = "count",
    cases: Sequence[tuple[str, str]] = CASES,
    silver: str,
) -> Path:
    """Write an instance below `root`, with its silver answer; its folder."""
    name = f"{entry or 'script'}_{kind}"
    folder = root / name
    (folder / "program").mkdir(parents=True)
    (folder / "program" / "program.py").write_text(program)
    asked = cases[:1] if kind in ("input", "output") else cases
    rows = [json.dumps({"input": one, "output": other}) + "\n" for one, other in asked]
    (folder / "cases.jsonl").write_text("".join(rows))
    (folder / "prompt.txt").write_text("Answer.\n")
    file = {"translate": "Answer.java", "repair": "program.py"}.get(kind, "answer.txt")
    (folder / "silver.patch").write_bytes(patch_of_answer(file, silver.encode()))
    named = f'entry = "{entry}"\n' if entry else ""
    text = (
        f'id = "{name}"\ntrack = "program"\nlicense = "MIT"\n\n[program]\nname = "count"\n'
        f'version = "before"\nfiles = ["program.py"]\n{named}\n[task]\nkind = "{kind}"\n\n'
        '[timeouts]\ncall = 3.0\ntests = 12.0\n\n[silver]\npatch = "silver.patch"\n'
    )
    tomllib.loads(text)
    (folder / "instance.toml").write_text(text)
    return folder


def write_all(root: Path) -> None:
    """One instance of each task, and those of a program that reads standard input."""
    write(root, "input", silver="'a a b'")
    write(root, "output", silver="{'b': 1, 'a': 2}")
    write(root, "translate", silver=COUNT_JAVA)
    write(root, "repair", program=FAULTY, silver=COUNT)
    climb = [("5", "8")]
    write(root, "input", program=CLIMB, entry="climb", cases=climb, silver="5,")
    script = {"program": REVERSE, "entry": None, "cases": REVERSE_CASES}
    write(root, "input", silver="'abc\\nde'", **script)  # type: ignore[arg-type]
    write(root, "output", silver="'cba\\ned'", **script)  # type: ignore[arg-type]
    write(root, "translate", silver=REVERSE_JAVA, **script)  # type: ignore[arg-type]
