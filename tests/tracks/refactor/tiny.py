"""Small refactorings, in Python and in Go: a loose function that greets becomes a method."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TOML = """\
id = "{id}"
track = "refactor"
license = "MIT"

[source]
path = "source"

[silver]
patch = "golden.patch"

[environment]
language = "python"
python = "3.11"

[commands]
test = "python -m pytest"

[tests]
reporter = "pytest"

[behaviour]
run = "python -m app"
"""
ADDITIVE = """\
rules:
- id: greeter-class
  languages: [python]
  severity: INFO
  message: a class greets
  pattern: |
    class Greeter:
        ...
- id: greeter-method
  languages: [python]
  severity: INFO
  message: a method greets
  pattern: |
    def greet(self, ...):
        ...
"""
REDUCTIVE = """\
rules:
- id: loose-function
  languages: [python]
  severity: INFO
  message: a loose function greets
  pattern: |
    def greet(name):
        ...
"""
BASE = {
    "app/__init__.py": "",
    "app/__main__.py": "import sys\n\nfrom app.greeting import greet\n\n"
    "for name in sys.argv[1:]:\n    print(greet(name))\n",
    "app/greeting.py": 'def greet(name):\n    word = "Hello"\n    return f"{word}, {name}!"\n',
    "tests/test_greeting.py": "import pytest\n\nfrom app.greeting import greet\n\n\n"
    '@pytest.mark.parametrize("name", list("abcdefghijk"))\ndef test_greets(name):\n'
    '    assert greet(name) == f"Hello, {name}!"\n',
}
GOLDEN = BASE | {
    "app/__main__.py": "import sys\n\nfrom app.greeting import Greeter\n\n"
    'greeter = Greeter("Hello")\nfor name in sys.argv[1:]:\n    print(greeter.greet(name))\n',
    "app/greeting.py": "class Greeter:\n    def __init__(self, word):\n        self.word = word\n\n"
    '    def greet(self, name):\n        return f"{self.word}, {name}!"\n',
    "tests/test_greeting.py": BASE["tests/test_greeting.py"]
    .replace("import greet\n", "import Greeter\n")
    .replace("greet(name) ==", 'Greeter("Hello").greet(name) =='),
}
CASES = [
    {"id": "nobody", "argv": [], "expect": {"exit": 0, "stdout": "", "stderr": ""}},
    {"id": "two", "argv": ["Ann", "B b"], "expect": {"stdout": "Hello, Ann!\nHello, B b!\n"}},
]


def recorded() -> str:
    """The recorded runs: 11 cases that pass each time."""
    cases = {f"tests/test_greeting.py::test_greets[{letter}]" for letter in "abcdefghijk"}
    told = {name: {"base": "ppppp", "silver": "ppppp"} for name in sorted(cases)}
    return json.dumps({"format": 1, "reporter": "pytest", "silver_sha256": None, "cases": told})


@dataclass(frozen=True)
class Tiny:
    """What an instance is written from; trees map paths to texts."""

    toml: str
    additive: str
    reductive: str
    base: Mapping[str, str]
    golden: Mapping[str, str]
    #: Recorded runs of its tests; None where they are yet to be recorded.
    runs: str | None


PYTHON = Tiny(TOML, ADDITIVE, REDUCTIVE, BASE, GOLDEN, recorded())


def write(folder: Path, tiny: Tiny = PYTHON) -> Path:
    """Write the instance; its folder."""
    files = {
        "instance.toml": tiny.toml.format(id=folder.name),
        "instructed.md": "Let a class greet.",
        "open.md": "greeting",
        "rules/additive.yml": tiny.additive,
        "rules/reductive.yml": tiny.reductive,
        "behaviour/cases.jsonl": "".join(json.dumps(case) + "\n" for case in CASES),
        "golden.patch": diff(tiny.base, tiny.golden, folder.with_name("scratch")),
        **({} if tiny.runs is None else {"tests.json": tiny.runs}),
        **{f"source/{path}": text for path, text in tiny.base.items()},
    }
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder


def diff(before: Mapping[str, str | bytes], after: Mapping[str, str | bytes], root: Path) -> str:
    """The patch between two trees; `root` is a folder to work in."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=tiny", "-c", "user.email=tiny@example.invalid", *words],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    root.mkdir(parents=True)
    git("init", "--quiet")
    for tree in (before, after):
        git("rm", "-r", "-f", "--quiet", "--ignore-unmatch", ".")
        for path, content in tree.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        git("add", "--all", "--force")
        if tree is before:
            git("commit", "--quiet", "--message", "base")
    return git("diff", "--cached", "--binary", "HEAD")
