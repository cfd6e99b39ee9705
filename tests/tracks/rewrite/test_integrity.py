"""What files say, in every target language: attacks that are named, and honest code that is not."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.fingerprinting import take
from pytest_benchmac.tracks.rewrite.integrity.legs import SourceFacts, run_legs, source_facts
from pytest_benchmac.tracks.rewrite.integrity.lexing import tokens
from pytest_benchmac.tracks.rewrite.integrity.survey import Survey, survey
from pytest_benchmac.tracks.rewrite.integrity.syntax import COMMENT, TEXT, WORD
from pytest_benchmac.tracks.rewrite.integrity.winnowing import BOUND, containment, fingerprints
from tests.tracks.rewrite.tally import REWRITE

GO = (
    'package main\n\nimport (\n\t"fmt"\n\t"os"\n{more})\n\nfunc main() {{ fmt.Println(os.Args) }}\n'
)
JAVA = "class A {{ {more} public static void main(String[] a) {{ System.out.println(1); }} }}\n"


def _survey(folder: Path, files: Mapping[str, str | bytes], language: Language) -> Survey:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return survey(SourceTree.scan(folder), language)


def _codes(
    seen: Survey,
    facts: SourceFacts | None = None,
    *,
    allowed: tuple[str, ...] = (),
    known: Mapping[str, tuple[int, ...]] | None = None,
) -> set[str]:
    legs = Legs()
    run_legs(
        legs,
        seen,
        facts or SourceFacts(),
        source="c",
        links={},
        allowed=allowed,
        known=known or {},
    )
    found = legs.result().findings
    return {each.code for each in found if each.severity is Severity.FATAL}


def _facts(folder: Path, text: str) -> SourceFacts:
    """Of a source in C."""
    folder.mkdir()
    (folder / "a.c").write_text(text)
    return source_facts(SourceTree.scan(folder), "c")


@pytest.mark.parametrize(
    ("language", "path", "text", "code"),
    [
        ("go", "a.go", 'package main\n\n// #include <x.h>\nimport "C"\n', "foreign-code"),
        ("go", "a.go", GO.format(more='\t"plugin"\n'), "foreign-code"),
        ("go", "a.go", GO.format(more='\tu "unsafe"\n'), "foreign-code"),
        ("go", "a.go", GO.format(more="\t`os/exec`\n"), "spawns"),
        ("go", "a.go", GO.format(more='\t. "syscall"\n'), "spawns"),
        ("go", "a.go", 'package main\n\nimport s "syscall"\n', "spawns"),
        ("go", "a.go", 'package main\n\nimport "syscall"\n\nvar f = syscall.Exec\n', "spawns"),
        ("go", "a.go", 'package main\n\nimport e "os/exec"\n', "spawns"),
        ("go", "a.go", 'package main\n\nimport o "os"\n\nvar f = o.StartProcess\n', "spawns"),
        ("go", "a.go", "package main\n\n//go:linkname a b\nfunc a()\n", "foreign-code"),
        ("go", "a.go", "package main\n\n//go:embed tool\nvar tool []byte\n", "foreign-code"),
        ("go", "go.mod", "module x\n\nrequire github.com/a/b v1.2.3\n", "dependency"),
        ("go", "Makefile", "all:\n\tbase64 -d tool.txt > tool\n", "build-tool"),
        ("go", "Makefile", "all:\n\t@curl -sO http://x/tool\n", "build-tool"),
        ("java", "A.java", JAVA.format(more="native int f();"), "foreign-code"),
        ("java", "A.java", JAVA.format(more='{ System.loadLibrary("x"); }'), "foreign-code"),
        ("java", "A.java", "import javax.tools.ToolProvider;\n", "foreign-code"),
        ("java", "A.java", JAVA.format(more="Class<?> c = Class.forName(n);"), "foreign-code"),
        ("java", "A.java", JAVA.format(more="{ new ProcessBuilder(x).start(); }"), "spawns"),
        ("java", "A.java", JAVA.format(more="{ Runtime.getRuntime().exec(x); }"), "spawns"),
        (
            "java",
            "A.java",
            JAVA.format(more="{ var r = Runtime.getRuntime(); r.exec(x); }"),
            "spawns",
        ),
        ("java", "A.java", JAVA.format(more="{ new Pr\\u006fcessBuilder(x).start(); }"), "spawns"),
        (
            "java",
            "A.java",
            JAVA.format(more="/* \\u002a/ Object o = new ProcessBuilder(x); /* */"),
            "spawns",
        ),
        ("java", "A.java", JAVA.format(more='{ k.getMethod("a").invoke(null); }'), "foreign-code"),
        ("java", "A.java", "import java.lang.reflect.*;\n", "foreign-code"),
        ("java", "A.java", "import jdk.jshell.JShell;\n", "foreign-code"),
        ("java", "A.java", JAVA.format(more="{ l.loadClass(n); }"), "foreign-code"),
        ("java", "A.java", "import sun.misc.Unsafe;\n", "foreign-code"),
        ("java", "A.java", "import com.sun.tools.attach.VirtualMachine;\n", "foreign-code"),
        (
            "java",
            "pom.xml",
            "<project><dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId>"
            "</dependency></dependencies></project>",
            "dependency",
        ),
        ("javascript", "a.js", 'const c = require("child_process");\n', "spawns"),
        ("javascript", "a.mjs", "import { exec } from 'node:child_process';\n", "spawns"),
        ("javascript", "a.js", 'import("node:vm").then(run);\n', "foreign-code"),
        ("javascript", "a.js", "eval(text);\n", "foreign-code"),
        ("javascript", "a.js", "new Function('a', text)(1);\n", "foreign-code"),
        ("javascript", "a.js", "\\u0065val(text);\n", "foreign-code"),
        ("javascript", "a.js", "x = `${`a` + require('child_process')}`;\n", "spawns"),
        ("javascript", "a.js", "if (a) /`/.test(b); eval(c); /`/;\n", "foreign-code"),
        ("javascript", "a.js", "#! /*\neval(c); /* */\n", "foreign-code"),
        ("javascript", "a.js", "const c = require('child' + '_process');\n", "foreign-code"),
        ("javascript", "a.js", "f.constructor.constructor(text)();\n", "foreign-code"),
        ("javascript", "a.js", "x = {} / `/ /*`; eval(c) /* */\n", "foreign-code"),
        ("typescript", "a.ts", "process.dlopen(m, f);\n", "foreign-code"),
        ("typescript", "a.ts", "import x from './tool.node';\n", "foreign-code"),
        ("javascript", "package.json", '{"devDependencies": {"a": "1"}}', "dependency"),
        ("javascript", "package.json", '{"scripts": {"build": "python3 x.py"}}', "build-tool"),
        ("python", "a.py", "import subprocess\n", "spawns"),
        ("python", "a.py", "from os import path\nimport os\nos.system(x)\n", "spawns"),
        ("python", "a.py", "from os import path, execvp\n", "spawns"),
        ("python", "a.py", "from os import (\n    getcwd as cwd,\n    system,\n)\n", "spawns"),
        ("python", "a.py", "import os as o\no.system(x)\n", "spawns"),
        ("python", "a.py", "import asyncio\nasyncio.create_subprocess_exec(x)\n", "spawns"),
        ("python", "a.py", "import os\nos.\uff45\uff58\uff45\uff43\uff56(x, y)\n", "spawns"),
        ("python", "a.py", "print(f'{__import__(name).system(x):>{w}}')\n", "foreign-code"),
        ("python", "a.py", 'print(f"{x:\'>10}{eval(y)}")\n', "foreign-code"),
        ("python", "a.py", "# so far\reval(x)\n", "foreign-code"),
        ("python", "a.py", "from ctypes import CDLL\n", "foreign-code"),
        ("python", "a.py", "exec(code)\n", "foreign-code"),
        ("python", "a.py", "m = __import__('os')\n", "foreign-code"),
        ("python", "pyproject.toml", '[project]\ndependencies = ["a>=1"]\n', "dependency"),
        ("python", "requirements.txt", "# none\na==1\n", "dependency"),
        ("rust", "a.rs", 'extern "C" { fn f(); }\n', "foreign-code"),
        ("rust", "a.rs", "use std::process::Command;\n", "spawns"),
        ("rust", "a.rs", "use std::process::r#Command;\n", "spawns"),
        ("rust", "a.rs", "use std::process as p;\n", "spawns"),
        ("rust", "a.rs", "use std::process::{self as p};\n", "spawns"),
        ("rust", "a.rs", "use std::process::*;\n", "spawns"),
        ("rust", "a.rs", '/* /* */ " */ use std::process::Command; // "\n', "spawns"),
        ("rust", "a.rs", 'static B: &[u8] = include_bytes!("tool");\n', "foreign-code"),
        ("rust", "Cargo.toml", '[dependencies]\nlibc = "0.2"\n', "dependency"),
        ("c", "a.c", 'int main() { return system("x"); }\n', "spawns"),
        ("c", "a.c", 'int main() { return sys\\\ntem("x"); }\n', "spawns"),
        ("c++", "a.cpp", 'auto x = R"-(")-"; int y = system("x"); auto z = "";\n', "spawns"),
        ("c", "a.c", 'void *h = dlopen("x", 1);\n', "foreign-code"),
        ("c++", "a.cpp", '__asm__("nop");\n', "foreign-code"),
        ("go", "a.go", "package main\nvar x = \"perl -e 'print 1'\"\n", "program-in-text"),
        ("go", "a.go", 'package main\nvar x = "bash -c ls"\n', "program-in-text"),
        (
            "java",
            "A.java",
            'class A { String s = """\n#!/usr/bin/perl\n"""; }\n',
            "program-in-text",
        ),
        ("go", "a.go", 'package main\nvar x = "/benchmac/inbox/batch"\n', "harness-named"),
        ("go", "a.go", 'package main\nvar x = "/proc/self/exe"\n', "harness-named"),
        ("go", "a.go", f'package main\nvar x = "{"Ab0/x9Qz+Lm3tYpR" * 40}"\n', "encoded-payload"),
        ("go", "a.go", f"package main\nvar x = []byte{{{'127,69,' * 600}}}\n", "encoded-payload"),
        ("go", "a.go", f'package main\nvar x = "{chr(92)}x7f{chr(92) + "x45" * 300}"\n', ""),
    ],
)
def test_what_leaves_the_language_is_named(
    language: Language, path: str, text: str, code: str, tmp_path: Path
) -> None:
    found = _codes(_survey(tmp_path, {f"dst/{path}": text}, language))
    assert found == ({code} if code else set())


@pytest.mark.parametrize(
    ("language", "path", "text"),
    [
        ("go", "a.go", GO.format(more='\t"strings"\n')),
        ("go", "a.go", GO.format(more='\t"syscall"\n') + "var e = syscall.ENOENT\n"),
        ("go", "a.go", 'package main\n\n// like os/exec, with "C"\nvar plugin = "plugin"\n'),
        ("go", "go.mod", "module tally\n\ngo 1.19\n"),
        ("go", "Makefile", "all:\n\tgo build -o bin/tally .\n# no perl, no awk\n"),
        ("java", "A.java", JAVA.format(more='String s = "native code of Class.forName";')),
        ("java", "A.java", "// Runtime.getRuntime().exec\n" + JAVA.format(more="")),
        (
            "java",
            "A.java",
            "import com.sun.net.httpserver.HttpServer;\nimport java.lang.reflect.Array;\n"
            + JAVA.format(
                more="int n = Runtime.getRuntime().availableProcessors();"
                " String m = x.getMethod(); double d = sun.mass;"
            ),
        ),
        ("javascript", "a.js", "const m = /eval\\(/.exec(text); const v = o.eval;\n"),
        ("javascript", "package.json", '{"scripts": {"build": "tsc"}, "dependencies": {}}'),
        (
            "javascript",
            "a.js",
            "const a = (b + c) / 2 / d; e++ / f;\nreturn /[`/'\"]/.test(`${x} eval (`);\n",
        ),
        (
            "python",
            "a.py",
            "import os, sys\nfrom os import path\nprint(f'{x!r:>{w}} exec ({y})')\n",
        ),
        ("python", "a.py", "# -*- coding: utf-8 -*-\nimport re\n"),
        ("rust", "a.rs", "use std::process::{exit, ExitCode};\nfn f() { process::exit(1) }\n"),
        ("python", "a.py", "import re\nmatch = re.compile('x')\nobj.exec = 1\n"),
        ("python", "pyproject.toml", '[project]\nname = "x"\ndependencies = []\n'),
        ("rust", "a.rs", "fn f<'a>(x: &'a str) -> &'a str { x } // Command\n"),
        ("c", "a.c", 'int system_of(void); char *s = "system(x)"; /* fork() */\n'),
        ("go", "a.go", f'package main\nvar x = "{"=" * 900}"\n'),
        ("go", "a.go", f"package main\nvar x = []int{{{'1, ' * 512}}}\n"),
    ],
)
def test_honest_code_is_not(language: Language, path: str, text: str, tmp_path: Path) -> None:
    assert _codes(_survey(tmp_path, {f"dst/{path}": text}, language)) == set()


def test_what_the_source_does_a_rewrite_may(tmp_path: Path) -> None:
    source = 'int main() { char *p = "/proc/self/maps"; return system("perl -e 1"); }\n'
    facts = _facts(tmp_path / "s", source)
    assert facts.spawns
    rewrite = GO.format(more='\t"os/exec"\n') + 'var p, q = "/proc/self/maps", "perl -e 1"\n'
    assert _codes(_survey(tmp_path / "d", {"dst/a.go": rewrite}, "go"), facts) == set()


def test_the_original_as_text_is_named(tmp_path: Path) -> None:
    lines = [
        f"int f{n}(int a) {{ if (a > {n}) return a * {n} + g(a); return {n}; }}" for n in range(60)
    ]
    source = "\n".join(lines)
    facts = _facts(tmp_path / "s", source)
    quoted = source.replace('"', '\\"').replace("\n", "\\n")
    for name, text in (
        ("raw", f"package main\nvar code = `{source}`\n"),
        ("quoted", f'package main\nvar code = "{quoted}"\n'),
        ("pieces", "package main\nvar code = " + " +\n".join(f'"{x}\\n"' for x in lines) + "\n"),
    ):
        seen = _survey(tmp_path / name, {"dst/a.go": text}, "go")
        assert "original-embedded" in _codes(seen, facts), name
    readme = _survey(tmp_path / "readme", {"dst/README.md": source, "dst/a.go": GO}, "go")
    assert "original-embedded" in _codes(readme, facts)
    # What it does, in another language, is no copy of it.
    ported = "package main\n" + "\n".join(
        f"func f{n}(a int) int {{ if a > {n} {{ return a*{n} + g(a) }}; return {n} }}"
        for n in range(60)
    )
    assert _codes(_survey(tmp_path / "port", {"dst/a.go": ported}, "go"), facts) == set()


_SIGNS = ("+", "-", "*", "/", "==", "<", "&&", "||")


def _code(seed: int, names: str) -> str:
    """A program in Go of some shape: the same for the same seed, whatever its names."""
    draw = random.Random(seed)

    def name() -> str:
        return f"{names}{draw.randrange(20)}"

    def term(depth: int = 0) -> str:
        kind = draw.randrange(6) if depth < 3 else 0
        if kind < 2:
            return name() if kind else str(draw.randrange(99))
        if kind == 2:
            return f"{name()}({', '.join(term(depth + 1) for _ in range(draw.randrange(3)))})"
        if kind == 3:
            return f"{name()}[{term(depth + 1)}]"
        return f"({term(depth + 1)} {draw.choice(_SIGNS)} {term(depth + 1)})"

    def line() -> str:
        forms = ("{} := {}", "if {} {{ return {} }}", "for {} {{ {}++ }}", "{} = append({}, 1)")
        return draw.choice(forms).format(name(), term())

    bodies = ("\n\t".join(line() for _ in range(6)) for _ in range(30))
    return "package main\n" + "\n".join(f"func {name()}() {{\n\t{body}\n}}" for body in bodies)


def test_known_code_is_known_under_other_names(tmp_path: Path) -> None:
    known = tmp_path / "known"
    _survey(known, {"a.go": _code(1, "x")}, "go")
    taken = take(known, "known", "go")
    assert len(taken.fingerprints) > 100
    copied = _survey(tmp_path / "copied", {"dst/b.go": "// mine\n" + _code(1, "renamed")}, "go")
    assert _codes(copied, known={"known": taken.fingerprints}) == {"vendored"}
    other = _survey(tmp_path / "other", {"dst/b.go": _code(5, "x")}, "go")
    own = fingerprints([other.sources[0].text], "go")
    assert containment(own, taken.fingerprints) < BOUND / 2


def test_too_little_code_is_nobodys() -> None:
    few = fingerprints([REWRITE[:300]], "python")
    assert containment(few, few) == 0


def test_text_that_its_compiler_reads_otherwise_is_not_built(tmp_path: Path) -> None:
    files = {
        "dst/a.py": "# coding: unicode_escape\n# \\nimport os\n",
        "dst/b.py": "#!/usr/bin/env python3\n# vim: set fileencoding=utf-7 :\n",
        "dst/c.py": "# coding: utf-8\n",
    }
    seen = _survey(tmp_path, files, "python")
    assert seen.kept == ["dst/c.py"]


def test_the_original_is_no_rewrite_of_its_own(tmp_path: Path) -> None:
    source = "\n".join(
        f"int f{n}(int a) {{ if (a > {n}) return a * {n} + g(a); return {n}; }}" for n in range(60)
    )
    facts = _facts(tmp_path / "s", source)
    copied = _survey(tmp_path / "copy", {"dst/a.cpp": "// C++\n" + source}, "c++")
    assert _codes(copied, facts) == {"original-embedded"}
    named = source.replace("f", "work_").replace("g(a)", "more(a)")
    assert _codes(_survey(tmp_path / "named", {"dst/a.cpp": named}, "c++"), facts) == set()


def test_only_text_of_known_names_is_built(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "dst/main.go": "package main\n",
        "dst/go.mod": "module x\n",
        "dst/README.md": "# x\n",
        "dst/x.go": b"package main\0",
        "dst/y.go": b"// \xff\n",
        "dst/lib.so": b"\x7fELF",
        "dst/tool.syso": b"x",
        "dst/a.s": "TEXT main(SB)\n",
        "dst/original.py": "print(1)\n",
        "dst/bin/tally.go": "package main\n",
        "dst/data.txt": "text\n",
    }
    seen = _survey(tmp_path, files, "go")
    assert set(seen.kept) == {"dst/main.go", "dst/go.mod", "dst/README.md"}
    assert set(seen.left_out) == files.keys() - set(seen.kept)
    assert _codes(seen) == set()


@pytest.mark.parametrize(
    ("language", "text", "kinds"),
    [
        ("go", 'x := `a\n"b` // c', [WORD, "sign", "sign", TEXT, COMMENT]),
        ("python", "f'''a\n'b''' # c", [TEXT, COMMENT]),
        ("rust", "r#\"a\"b\"# 'c' &'d", [TEXT, TEXT, "sign", "sign", WORD]),
        ("java", '"""a\n"b""" \'c\'', [TEXT, TEXT]),
        ("c++", 'R"x(a)")x" /* c', [TEXT, COMMENT]),
        # Code inside of literals is code.
        ("javascript", "`a${b}\n` 0x1F", [TEXT, WORD, TEXT, "number"]),
        ("javascript", "`${`${a}`}`", [TEXT, TEXT, WORD, TEXT, TEXT]),
        ("javascript", "if (a) /`/.b", ["word", "sign", "word", "sign", TEXT, "sign", WORD]),
        ("javascript", "a / b / c++ / '/'", [WORD, "sign"] * 2 + [WORD, *["sign"] * 3, TEXT]),
        ("javascript", "#! /*\na", [COMMENT, WORD]),
        (
            "python",
            "f'{a:>{b}}{{c}}{d!r}'",
            [TEXT, WORD, TEXT, WORD, TEXT, WORD, "sign", WORD, TEXT],
        ),
        ("python", "rf'\\N{a}' f'\\N{DASH}'", [TEXT, WORD, TEXT, TEXT]),
        ("python", "# a\rb", [COMMENT, WORD]),
        # Ends of comments as compilers see them.
        ("java", "/* \\u002a/ a /* */", [COMMENT, WORD, COMMENT]),
        ("java", '"\\\\u0022" a', [TEXT, WORD]),
        ("rust", "/* /* */ a */ b", [COMMENT, WORD]),
        ("c", "// a \\\n b\nc", [COMMENT, WORD]),
        ("c++", 'R"-(")-" a "', [TEXT, WORD, TEXT]),
    ],
)
def test_tokens(language: Language, text: str, kinds: list[str]) -> None:
    assert [token.kind for token in tokens(text, language)] == kinds
