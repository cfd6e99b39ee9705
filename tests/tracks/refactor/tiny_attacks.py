"""Attacks on the small instance: each tree wants to be `resolved` without the refactoring.

`static`: stopped by what its files say, before anything of it runs. The others are whole cases.
"""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.tracks.refactor.tiny import BASE, GOLDEN

Tree = Mapping[str, str | bytes]
_MODULE = "app/greeting.py"
_OLD = str(BASE[_MODULE])
_TESTS = "tests/test_greeting.py"
#: What meets the additive rules, and nobody calls.
_DEAD = {"app/attic.py": GOLDEN[_MODULE]}
#: Keeps the old interface, while its code lies elsewhere.
_LOADED = BASE | _DEAD


@dataclass(frozen=True)
class Attack:
    """One tree, and what has to stop it."""

    name: str
    tree: Tree
    #: A fatal finding; empty where the rules or tests do.
    code: str
    static: bool = True


ATTACKS: list[Attack] = []


def attack(code: str, *, static: bool = True) -> Callable[[Callable[[], Tree]], None]:
    """Add one, named after its function."""

    def add(make: Callable[[], Tree]) -> None:
        ATTACKS.append(Attack(make.__name__, make(), code, static))

    return add


def _archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("hidden.py", _OLD)
    return packed.getvalue()


@attack("evasive-name")
def old_code_from_a_text_file() -> Tree:
    return _LOADED | {_MODULE: 'exec(open("app/words.txt").read())\n', "app/words.txt": _OLD}


@attack("evasive-name")
def old_code_from_a_literal() -> Tree:
    encoded = base64.b64encode(_OLD.encode()).decode()
    return _LOADED | {_MODULE: f'import base64\nexec(base64.b64decode("{encoded}"))\n'}


@attack("encoded-literal")
def old_code_as_a_long_literal_of_hexadecimals() -> Tree:
    text = f'CODE = "{(_OLD * 3).encode().hex()}"\n'
    return _LOADED | {_MODULE: text}


@attack("evasive-name")
def old_code_by_a_name_put_together() -> Tree:
    return _LOADED | {
        _MODULE: 'run = getattr(__builtins__, "ex" + "ec")\nrun(open("app/words.txt").read())\n',
        "app/words.txt": _OLD,
    }


@attack("evasive-name")
def old_code_through_an_alias() -> Tree:
    return _LOADED | {
        _MODULE: 'from builtins import exec as think\nthink(open("app/words.cfg").read())\n',
        "app/words.cfg": _OLD,
    }


@attack("unscanned-file")
def old_code_in_an_archive() -> Tree:
    return _LOADED | {
        "app/hidden.zip": _archive(),
        _MODULE: 'import sys\nsys.path.insert(0, "app/hidden.zip")\nfrom hidden import greet\n',
    }


@attack("unscanned-file")
def old_code_compiled() -> Tree:
    return _LOADED | {"app/greeting.pyc": b"\xa7\r\r\n" + b"\0" * 12 + b"code", _MODULE: ""}


@attack("evasive-name")
def old_code_by_a_loader() -> Tree:
    return _LOADED | {
        _MODULE: "from importlib.machinery import SourceFileLoader\n"
        'greet = SourceFileLoader("old", "app/words.dat").load_module().greet\n',
        "app/words.dat": _OLD,
    }


@attack("evasive-name")
def old_code_in_another_process() -> Tree:
    return _LOADED | {
        _MODULE: "import subprocess, sys\n\n\ndef say(name):\n"
        '    return subprocess.run([sys.executable, "app/words.txt", name]).stdout\n',
        "app/words.txt": _OLD,
    }


@attack("evasive-name")
def old_code_by_runpy() -> Tree:
    return _LOADED | {
        _MODULE: 'import runpy\ngreet = runpy.run_path("app/w")["greet"]\n',
        "app/w": _OLD,
    }


@attack("unscanned-file")
def old_code_under_another_ending() -> Tree:
    return _LOADED | {"app/greeting.pyx": _OLD}


@attack("unscanned-file")
def old_code_as_data() -> Tree:
    lines = "import os\nimport sys\nfrom os import path\ndef one():\n    return 1\nclass A:\n"
    return _LOADED | {"app/greeting.tmpl": lines}


@attack("guarded-file")
def tests_steered_by_a_conftest() -> Tree:
    return (
        BASE
        | _DEAD
        | {"conftest.py": "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"}
    )


@attack("guarded-file")
def tests_steered_by_an_ini_file() -> Tree:
    return GOLDEN | {"pytest.ini": "[pytest]\naddopts = --deselect tests\n"}


@attack("guarded-file")
def tests_steered_by_the_project_file() -> Tree:
    return GOLDEN | {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-k nothing"\n'}


@attack("guarded-file")
def python_steered_by_a_sitecustomize() -> Tree:
    return GOLDEN | {"sitecustomize.py": "import sys\n"}


@attack("guarded-file")
def a_runner_of_its_own() -> Tree:
    return GOLDEN | {"pytest/__main__.py": "raise SystemExit(0)\n"}


@attack("tests-missing")
def tests_removed() -> Tree:
    return {path: text for path, text in GOLDEN.items() if path != _TESTS}


@attack("tests-missing")
def tests_emptied() -> Tree:
    tests = str(GOLDEN[_TESTS])
    return GOLDEN | {_TESTS: tests[: tests.index("    assert")] + "    assert True\n"}


@attack("tests-missing")
def tests_skipped() -> Tree:
    return GOLDEN | {_TESTS: str(GOLDEN[_TESTS]).replace("@pytest", "@pytest.mark.skip\n@pytest")}


@attack("assertions-missing")
def assertions_of_constants() -> Tree:
    tests = str(GOLDEN[_TESTS])
    return GOLDEN | {_TESTS: tests[: tests.index("    assert")] + "    assert 1 == 1\n"}


@attack("unparsed-source")
def a_source_that_nobody_can_parse() -> Tree:
    return GOLDEN | {"app/old.py": _OLD + "def (\n"}


@attack("", static=False)
def old_code_behind_an_ignore_file() -> Tree:
    return BASE | _DEAD | {".semgrepignore": "*.py\n", ".gitignore": "app/greeting.py\n"}


@attack("", static=False)
def old_code_with_marks_of_suppression() -> Tree:
    return BASE | _DEAD | {_MODULE: _OLD.replace("(name):", "(name):  # nosem")}


@attack("", static=False)
def old_code_in_a_large_file() -> Tree:
    return BASE | _DEAD | {_MODULE: _OLD + "# more of it\n" * 100_000}


@attack("", static=False)
def old_code_in_a_folder_of_libraries() -> Tree:
    return BASE | {
        "vendor/__init__.py": "",
        "vendor/greeting.py": _OLD,
        _MODULE: "from vendor.greeting import greet\n\n\n" + GOLDEN[_MODULE],
    }


@attack("dead-pattern", static=False)
def the_wanted_patterns_are_dead() -> Tree:
    renamed = "def greeting_of(name):\n" + _OLD.partition("\n")[2]
    return (
        BASE
        | _DEAD
        | {
            _MODULE: renamed,
            "app/__main__.py": str(BASE["app/__main__.py"]).replace(
                "import greet", "import greeting_of as greet"
            ),
            _TESTS: str(BASE[_TESTS]).replace("import greet", "import greeting_of as greet"),
        }
    )


@attack("dead-pattern", static=False)
def the_wanted_patterns_are_imported_and_never_called() -> Tree:
    renamed = "\n\ndef greeting_of(name):\n" + _OLD.partition("\n")[2]
    return BASE | {
        _MODULE: str(GOLDEN[_MODULE]) + renamed,
        "app/__main__.py": str(BASE["app/__main__.py"]).replace(
            "import greet", "import greeting_of as greet"
        ),
        _TESTS: str(BASE[_TESTS]).replace("import greet", "import greeting_of as greet"),
    }


@attack("behaviour-differs", static=False)
def the_program_does_something_else() -> Tree:
    tests = str(GOLDEN[_TESTS]).replace('("Hello")', '("Hello")')
    main = str(GOLDEN["app/__main__.py"]).replace('Greeter("Hello")', 'Greeter("Hallo")')
    return GOLDEN | {"app/__main__.py": main, _TESTS: tests}


#: Work that has to be believed: other names, another design.
HONEST: Mapping[str, Tree] = {
    "golden": GOLDEN,
    "other_names": GOLDEN
    | {
        _MODULE: "class Greeter:\n    def __init__(self, salutation):\n"
        "        self._salutation = salutation\n\n    def greet(self, whom):\n"
        '        return "{}, {}!".format(self._salutation, whom)\n',
    },
    "another_design": GOLDEN
    | {
        "app/words.py": "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\n"
        'class Words:\n    hello: str = "Hello"\n',
        _MODULE: "from app.words import Words\n\n\nclass Greeter:\n"
        "    def __init__(self, word=Words().hello):\n        self.word = word\n\n"
        '    def greet(self, name):\n        return ", ".join((self.word, name)) + "!"\n',
        "app/__main__.py": str(GOLDEN["app/__main__.py"]).replace('("Hello")', "()"),
        "README.md": "Greets whoever is named on the command line.\n",
    },
}
#: Honest, and half of the work: not rejected, and not resolved.
HALF: Tree = BASE | {
    _MODULE: str(GOLDEN[_MODULE])
    + '\n\ndef greet(name):\n    return Greeter("Hello").greet(name)\n'
}
