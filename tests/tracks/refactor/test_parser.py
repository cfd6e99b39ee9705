"""What the parser says of sources: names that evade rules, tests, bodies of functions."""

import pytest

from pytest_benchmac.tracks.refactor.integrity.parser import extract
from pytest_benchmac.tracks.refactor.integrity.sources import DeclaredTest, Tests


def _names(path: str, text: str) -> set[str]:
    return {name.partition(":")[2] for name in extract(path, text.encode())["names"]}


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("a.py", "x = '# '; eval(y)", {"eval"}),
        ("a.py", "# eval(y)\ns = 'no eval here'\n", set()),
        ("a.py", 'f"{eval(x)}"', {"eval"}),
        ("a.py", "from builtins import exec as e", {"builtins", "exec"}),
        ("a.py", "import re\nre.compile('x')", set()),
        ("a.py", "compile('x', 'y', 'exec')", {"compile", "exec"}),
        ("a.py", "getattr(x, 'eval')", {"eval"}),
        ("a.py", "def (:\n eval", {"eval"}),
        ("a.ts", 'const s = /"/; const e = eval; // "', {"eval"}),
        ("a.ts", "// eval(x)\nconst s = 'say eval';", set()),
        ("a.ts", 'import * as v from "node:vm";', {"vm"}),
        ("a.ts", 'globalThis["ev" + "al"](x);', {"globalThis"}),
        ("A.java", "class A { Object o = Class.forName(s); }", {"forName"}),
        ("A.java", 'class A { /* forName */ String s = "a forName"; }', set()),
        ("a.go", 'package a\n// unsafe\nimport "reflect"\n', {"reflect"}),
        ("a.go", 'package a\nimport r "os/exec"\n', {"exec"}),
        ("a.go", 'package a\nimport "C"\n', {"cgo"}),
        ("a.go", "package a\n\n//go:linkname f g\nfunc f()\n", {"linkname"}),
        ("a.go", 'package a\n\nvar s = "exec"\n', set()),
    ],
)
def test_names_are_found_where_they_stand_in_code(path: str, text: str, wanted: set[str]) -> None:
    assert _names(path, text) == wanted


def test_long_literals_without_blanks_are_encodings() -> None:
    assert extract("a.py", f's = "{"ab" * 100}"'.encode())["encoded"] == 1
    assert extract("a.py", f's = "{"ab " * 100}"'.encode())["encoded"] == 0
    assert extract("a.ts", f'const s = "{"ab" * 100}";'.encode())["encoded"] == 1


def _tests(path: str, text: str) -> Tests:
    return Tests.of(DeclaredTest(**each) for each in extract(path, text.encode())["tests"])


PYTHON = """
import pytest, unittest

def test_one():
    assert f(1) == 2
    assert f(2) == 3

def test_two():
    with pytest.raises(ValueError):
        f(None)

@pytest.mark.skip
def test_three():
    assert f(4)

def test_four():
    assert True

def test_four_again():
    assert True

class TestMore(unittest.TestCase):
    def test_five(self):
        self.assertEqual(f(5), 6)

def test_one_again():
    assert f(1) == 2
    assert f(2) == 3

def helper():
    assert x
"""
TYPESCRIPT = """
describe("a", () => {
  it("one", () => { assert.equal(f(1), 2); expect(f(2)).toBe(3); });
  it.skip("two", () => { assert.ok(f(3)); });
  test("three", { skip: true }, () => { assert.ok(f(4)); });
  test("four", () => { assert.ok(true); });
});
describe.skip("b", () => { it("five", () => { assert.ok(f(5)); }); });
"""
JAVA = """
class ATest {
  @Test void one() { assertEquals(2, f(1)); assertTrue(f(2)); }
  @Disabled @Test void two() { assertEquals(2, f(3)); }
  @Test void three() { assertTrue(true); }
  void helper() { assertTrue(f(1)); }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("test_a.py", PYTHON, (3, 4, 2)),
        ("a.test.ts", TYPESCRIPT, (1, 2, 4)),
        ("ATest.java", JAVA, (1, 2, 2)),
    ],
)
def test_tests_that_count(path: str, text: str, wanted: tuple[int, int, int]) -> None:
    seen = _tests(path, text)
    assert (seen.cases, seen.assertions, seen.idle) == wanted


def test_bodies_of_functions_are_told() -> None:
    text = "class A:\n    x: int = 1\n\n    def f(self):\n        a = 1\n        return a\n"
    assert list(extract("a.py", text.encode())["bodies"]) == [(5, 6)]


GO = """
package a

import "testing"

func TestTable(t *testing.T) {
	for _, each := range []int{1, 2} {
		t.Run("row", func(sub *testing.T) {
			if f(each) != 2 {
				sub.Errorf("no: %d", each)
			}
		})
	}
	require.Equal(t, 1, f(1))
}

func TestSkipped(t *testing.T) {
	t.Skip("later")
	if f(1) != 2 {
		t.Fatal("no")
	}
}

func TestConstants(t *testing.T) {
	if 1 != 1 {
		t.Fatal("no")
	}
	assert.Equal(t, 1, 1)
}

func TestCopy(t *testing.T) {
	if f(3) != 4 {
		t.Fatal("no")
	}
}

func TestCopied(t *testing.T) {
	if f(3) != 4 {
		t.Fatal("no")
	}
}

func Testable(t *testing.T) { t.Fatal("is no test") }
"""


def test_tests_of_go_count() -> None:
    assert _tests("a_test.go", GO) == Tests(cases=2, assertions=3, idle=2)
    # No runner looks there.
    assert _tests("a.go", GO) == Tests()
