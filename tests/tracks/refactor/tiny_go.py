"""The small refactoring in Go: a function of a package becomes a method of a type."""

from tests.tracks.refactor.tiny import Tiny

_TOML = """\
id = "{id}"
track = "refactor"
license = "MIT"

[source]
path = "source"

[silver]
patch = "golden.patch"

[environment]
language = "go"
go = "1.19"

[commands]
install = "go build -o greet ."
test = "go test ./..."

[tests]
reporter = "go"

[behaviour]
run = "$PROJECT/greet"
"""
_ADDITIVE = """\
rules:
- id: greeter-method
  languages: [go]
  severity: INFO
  message: a method greets
  pattern: |
    func ($G Greeter) Greet($N string) string { ... }
"""
_REDUCTIVE = """\
rules:
- id: loose-function
  languages: [go]
  severity: INFO
  message: a loose function greets
  pattern: |
    func Greet($N string) string { ... }
"""
_MAIN = """\
package main

import (
	"fmt"
	"os"

	"example.invalid/app/greeting"
)

func main() {
	for _, name := range os.Args[1:] {
		fmt.Println(CALL(name))
	}
}
"""
_TEST = """
func TestGreetsNAME(t *testing.T) {
	if seen := CALL("NAME"); seen != "Hello, NAME!" {
		t.Errorf("%q", seen)
	}
}
"""


def _tree(greeting: str, call: str, outside: str) -> dict[str, str]:
    """The files of one state, by path, with how to call it within its package and outside."""
    tests = "".join(_TEST.replace("NAME", name) for name in "ABCDEFGHIJK")
    return {
        "go.mod": "module example.invalid/app\n\ngo 1.19\n",
        "main.go": _MAIN.replace("CALL", outside),
        "greeting/greeting.go": f"package greeting\n\n{greeting}",
        "greeting/greeting_test.go": 'package greeting\n\nimport "testing"\n'
        + tests.replace("CALL", call),
    }


_LOOSE = 'func Greet(name string) string {\n\treturn "Hello, " + name + "!"\n}\n'
_METHOD = """\
// Greeter greets with its word.
type Greeter struct{ Word string }

// Greet greets one.
func (g Greeter) Greet(name string) string {
	return g.Word + ", " + name + "!"
}
"""

GO = Tiny(
    _TOML,
    _ADDITIVE,
    _REDUCTIVE,
    _tree(_LOOSE, "Greet", "greeting.Greet"),
    _tree(_METHOD, '(Greeter{Word: "Hello"}).Greet', '(greeting.Greeter{Word: "Hello"}).Greet'),
    None,
)
