"""A small rewrite: a command line that counts, from one small language to another.

The source is Perl, which every base has, and calls itself C: so nothing but Python has to be laid,
and an attack can really run the original.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pytest_benchmac.input.trees import patch_of_folder

TOML = """\
id = "{id}"
track = "rewrite"
license = "MIT"

[source]
path = "source"
exclude = ["tests/**"]

[silver]
patch = "silver.patch"

[environment]
packages = ["python-is-python3", "python3"]

[toolchain]
absent = ["gcc", "node"]

[suite]
fresh = 30
{suite}
[timeouts]
case = 3
cases = 120
fresh = 120
"""
BENCHMARK = """\
benchmark: {name: tally, type: cli, source_language: C, target_language: Python, tags: [published]}
source:
  language: C
  description: Counts words and adds numbers.
  run_cmd: perl "$ROOT/tally.c"
destination:
  language: Python
  description: The same for Python 3.11.
  install_cmd: ""
  build_cmd: python3 -m py_compile tally.py
  run_cmd: python3 "$ROOT/tally.py"
"""
SOURCE = r"""
use strict;
my $command = shift // '';
if ($command eq 'sum') {
    my $total = 0;
    for my $number (@ARGV) {
        if ($number !~ /^-?\d+$/) { print STDERR "no number: $number\n"; exit 2 }
        $total += $number;
    }
    print "$total\n";
} elsif ($command eq 'words') {
    my %count;
    while (my $line = <STDIN>) { $count{$_}++ for split ' ', $line }
    print "$_ $count{$_}\n" for sort keys %count;
} elsif ($command eq 'save') {
    my $name = shift // exit 2;
    open my $file, '>', $name or exit 3;
    print $file join(',', @ARGV), "\n";
    close $file;
    print "saved ", scalar(@ARGV), "\n";
} else {
    print "usage: tally sum|words|save\n";
    exit 1;
}
"""
REWRITE = r"""import sys


def total(numbers):
    result = 0
    for number in numbers:
        if not number.lstrip("-").isdigit():
            print(f"no number: {number}", file=sys.stderr)
            return 2
        result += int(number)
    print(result)
    return 0


def words():
    counts = {}
    for word in sys.stdin.read().split():
        counts[word] = counts.get(word, 0) + 1
    for word in sorted(counts):
        print(word, counts[word])
    return 0


def save(arguments):
    if not arguments:
        return 2
    with open(arguments[0], "w") as file:
        file.write(",".join(arguments[1:]) + "\n")
    print("saved", len(arguments) - 1)
    return 0


def main(command="", *arguments):
    if command == "sum":
        return total(arguments)
    if command == "words":
        return words()
    if command == "save":
        return save(arguments)
    print("usage: tally sum|words|save")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
"""
FRESH = """from hypothesis import Phase, given, seed, settings, strategies as st

WORD = st.text("abcdef", min_size=1, max_size=6)
SUM = st.builds(lambda n: {"area": "sum", "argv": ["sum", *map(str, n)]},
                st.lists(st.integers(-10**6, 10**6), min_size=2, max_size=5))
WORDS = st.builds(lambda w: {"area": "words", "argv": ["words"], "stdin": " ".join(w)},
                  st.lists(WORD, min_size=3, max_size=20))
SAVE = st.builds(lambda n, w: {"area": "save", "argv": ["save", n + ".txt", *w]},
                 WORD, st.lists(WORD, min_size=2, max_size=5))


def cases(number, count):
    found = []

    @seed(number)
    @settings(max_examples=20 * count, database=None, phases=[Phase.generate], deadline=None)
    @given(st.one_of(SUM, WORDS, SAVE))
    def draw(case):
        if len(found) < count and case not in found:
            found.append(case)

    draw()
    return [{"id": f"fresh-{n:04}", **case} for n, case in enumerate(found, 1)]
"""
CASES: list[dict[str, object]] = [
    {
        "id": "usage",
        "area": "usage",
        "expect": {"exit": 1, "stdout": "usage: tally sum|words|save\n"},
    },
    {"id": "sum-none", "area": "sum", "argv": ["sum"], "expect": {"stdout": "0\n"}},
    {"id": "sum-two", "area": "sum", "argv": ["sum", "40", "2"], "expect": {"stdout": "42\n"}},
    {"id": "sum-minus", "area": "sum", "argv": ["sum", "-7"], "expect": {"stdout": "-7\n"}},
    {
        "id": "sum-no-number",
        "area": "sum",
        "argv": ["sum", "x y"],
        "expect": {"exit": 2, "stdout": "", "stderr": {"match": "regex", "value": "no number.*"}},
    },
    {
        "id": "words",
        "area": "words",
        "argv": ["words"],
        "stdin": "b a\na\n",
        "expect": {"stdout": {"match": "whitespace", "value": "a 2 b 1"}},
    },
    {
        "id": "save",
        "area": "save",
        "argv": ["save", "d/out", "a", "b"],
        "files": {"d/old": "x"},
        "expect": {"stdout": "saved 2\n", "files": {"d/out": "a,b\n", "d/old": "x", "out": None}},
    },
    {"id": "save-nowhere", "area": "save", "argv": ["save"], "expect": {"exit": 2, "stdout": ""}},
]


def write(folder: Path, *, suite: str = "", cases: list[dict[str, object]] | None = None) -> Path:
    """Write the instance; its folder."""
    lines = "".join(json.dumps(case) + "\n" for case in (CASES if cases is None else cases))
    tree = {"dst/tally.py": REWRITE}
    files = {
        "instance.toml": TOML.format(id=folder.name, suite=suite),
        "benchmark.yml": BENCHMARK,
        "suite/cases.jsonl": lines,
        "suite/fresh.py": FRESH,
        "source/tally.c": SOURCE,
        "source/tests/hidden.t": "the original's own tests",
    }
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "silver.patch").write_bytes(patch_of(tree, folder.with_name(f"{folder.name}.tree")))
    return folder


def patch_of(tree: Mapping[str, str | bytes], scratch: Path) -> bytes:
    """The patch that creates a tree; `scratch` is a folder to work in."""
    for path, content in tree.items():
        file = scratch / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return patch_of_folder(scratch, 10_000_000)
