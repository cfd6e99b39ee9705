import math

import pytest

from pytest_benchmac.evolve.metrics.readability import (
    r1,
    r2,
    r3,
    r4,
    r5,
    r6,
    r7,
    r8,
    r9,
    r10,
    r11,
    r12,
    r13,
)
from tests.evolve.metrics.counted import source


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("x = a.b(1)  # why", 8, id="a comment is none"),
        pytest.param('"""About."""\ndef f():\n    """Says."""\n    return "a"', 7, id="docstrings"),
        pytest.param("x = f'{a + 1} of {b}'", 3, id="an f-string is one"),
        pytest.param("if not x:\n    x = [\n        1,\n    ]", 10, id="over lines"),
    ],
)
def test_r1(text: str, count: int) -> None:
    assert r1(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("x = 1\n\n# why\ny = 2", 2, id="blank lines and comments"),
        pytest.param('def f():\n    """Says\n    much.\n    """\n    return 1', 2, id="docstring"),
        pytest.param("x = [\n    1,\n    2,\n]", 4, id="over lines"),
        pytest.param('x = """a\nb\nc"""', 1, id="a text begins on one line"),
    ],
)
def test_r2(text: str, count: int) -> None:
    assert r2(source(text)) == count


@pytest.mark.parametrize(
    ("text", "primitive", "compound"),
    [
        pytest.param("x = 1\nx = 2\ny: int = 3\nz: int = 4", 3, 0, id="a name counts once"),
        pytest.param("x = 0\ndef f(a):\n    x = a\n    a = x\n    return x", 3, 0, id="per scope"),
        pytest.param("a = []\nb = {}\nc = (1,)\nd = {1}\ne = [x for x in a]", 1, 5, id="displays"),
        pytest.param(
            "import collections\na = list(b)\nc = collections.deque()\nd = len(b)\ne, f = [], 0",
            2,
            3,
            id="calls and pairs",
        ),
        pytest.param(
            """
            for i, j in pairs: pass             # 2
            with open(i) as file: pass          # 1
            try: pass
            except KeyError as error: pass      # 1
            if (n := len(j)) > 1: pass          # 1
            match n:
                case [first, *rest]: pass       # 2
            n = [1]                             # n is compound after all
            """,
            6,
            1,
            id="other ways to bind",
        ),
    ],
)
def test_r3_and_r4(text: str, primitive: int, compound: int) -> None:
    assert r3(source(text)) == primitive
    assert r4(source(text)) == compound


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("x = a + b * 2", 2, id="arithmetic"),
        pytest.param("x = a and b and not c", 3, id="logic"),
        pytest.param("x = 0 < a <= 9\ny = a not in b", 3, id="comparison"),
        pytest.param("x += 1\nx <<= 2", 2, id="augmented assignments"),
        pytest.param("x = a.b[1:2](*c)\ny = ~a | -b", 3, id="access is none"),
    ],
)
def test_r5(text: str, count: int) -> None:
    assert r5(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("if a: pass\nelse: pass", 1, id="if"),
        pytest.param("if a: pass\nelif b: pass\nelif c: pass", 3, id="elif"),
        pytest.param("x = 1 if a else 2 if b else 3", 2, id="conditional expressions"),
        pytest.param("x = [a for a in b if a if c]", 2, id="filters"),
        pytest.param("while a: pass\nassert b", 0, id="others"),
    ],
)
def test_r6(text: str, count: int) -> None:
    assert r6(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("for a in b: pass\nwhile c: pass", 2, id="statements"),
        pytest.param("for a in b:\n    for c in a: pass", 2, id="nested"),
        pytest.param("x = [a for b in c for a in b]", 2, id="a comprehension's"),
        pytest.param("async def f():\n    async for a in b: pass", 1, id="asynchronous"),
        pytest.param("if a: pass\nx = map(f, a)", 0, id="none"),
    ],
)
def test_r7(text: str, count: int) -> None:
    assert r7(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("x = 1\ny = z = 2", 2, id="plain"),
        pytest.param("x += 1", 1, id="augmented"),
        pytest.param("x: int = 1\ny: int", 1, id="annotated"),
        pytest.param("if (n := f()): pass", 1, id="walrus"),
        pytest.param("for a in b: pass\nf(a=1)\ndef g(a=1): pass", 0, id="others"),
    ],
)
def test_r8(text: str, count: int) -> None:
    assert r8(source(text)) == count


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        pytest.param("x = [a for b in c for a in b]", 0, id="comprehensions are none"),
        pytest.param("for a in b: pass\nwhile c: pass", 1, id="side by side"),
        pytest.param("for a in b:\n    if a:\n        while c: pass", 2, id="with an if between"),
        pytest.param(
            "for a in b:\n    def f():\n        for c in d: pass", 1, id="a function begins anew"
        ),
        pytest.param("for a in b:\n    pass\nelse:\n    for c in d: pass", 2, id="in an else"),
    ],
)
def test_r9(text: str, depth: int) -> None:
    assert r9(source(text)) == depth


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        pytest.param("x = 1 if a else 2", 0, id="expressions are none"),
        pytest.param("if a: pass\nelif b: pass\nelif c: pass", 1, id="elif"),
        pytest.param("if a: pass\nelse:\n    if b: pass", 2, id="an if in an else"),
        pytest.param("if a:\n    for b in c:\n        if d:\n            if e: pass", 3, id="3"),
        pytest.param("if a: pass\nelif b:\n    if c: pass", 2, id="an if in an elif"),
    ],
)
def test_r10(text: str, depth: int) -> None:
    assert r10(source(text)) == depth


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("x = 1\ny = 2 + 3", 5, id="the longer"),
        pytest.param("x = [\n    1, 2, 3,\n]", 6, id="over lines"),
        pytest.param("x = 1  # a b c d e f g", 3, id="comments are none"),
        pytest.param("def f(a):\n    '''Words and words.'''\n    return a", 6, id="docstrings"),
    ],
)
def test_r11(text: str, count: int) -> None:
    assert r11(source(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("x = int(float(y))\nz = list(set(x))", 2, id="two"),
        pytest.param("x = int(len(y))\nz = sorted(set(x))", 0, id="no casts"),
        pytest.param("x = int(str(a)) + int(str(b))", 1, id="a statement counts once"),
        pytest.param("if int(str(a)):\n    x = int(b[str(c)])", 2, id="a header and its block"),
        pytest.param("def f():\n    return [str(int(a)) for a in b]", 1, id="only where it is"),
    ],
)
def test_r12(text: str, count: int) -> None:
    assert r12(source(text)) == count


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("x = 1", math.log2(3), id="three of three"),
        pytest.param("a = a = a = a", 4 / 7 * math.log2(7 / 4) + 3 / 7 * math.log2(7 / 3), id="2"),
        pytest.param("a = b\nc = d", 4 * (1 / 6) * math.log2(6) + 1 / 3 * math.log2(3), id="5"),
        pytest.param("pass\npass\npass", 0, id="one of three"),
    ],
)
def test_r13(text: str, bits: float) -> None:
    assert r13(source(text)) == pytest.approx(bits)


def test_counts_are_summed_over_files_and_depths_are_the_largest() -> None:
    both = source("for a in b:\n    x = 1", more="while c:\n    while d:\n        y = 2 + 3 + 4")
    assert [metric(both) for metric in (r1, r2, r3, r5, r7, r8)] == [21, 5, 3, 2, 3, 2]
    assert [metric(both) for metric in (r9, r11)] == [2, 7]
