"""More calls of bcal, from a seed. No logarithms: their last digits are the C library's."""

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

Case = dict[str, Any]

UNITS = st.sampled_from(["b", "B", "kb", "KiB", "mb", "mib", "GB", "gib", "tb", "TiB", "", "xb"])
SIZES = st.sampled_from(["b", "kb", "kib", "mb", "mib", "gib", "tb"])
WHOLE = st.one_of(st.integers(0, 300), st.integers(0, 2**40)).map(str)
HEX = st.integers(0, 2**66).map(hex)
FRACTIONS = st.builds("{}.{}".format, st.integers(0, 999), st.integers(1, 99))
ODD = st.sampled_from(["", "0x", "0b2", "12a", "9" * 40, " 7 ", "1.2.3"])
NUMBERS = st.one_of(WHOLE, WHOLE, HEX, FRACTIONS)
ANY = st.one_of(NUMBERS, NUMBERS, NUMBERS, ODD)
BASES = st.one_of(st.integers(0, 2**128).map(str), HEX, st.integers(0, 2**70).map(bin), ODD)


def grown(part: st.SearchStrategy[str], operators: list[str]) -> st.SearchStrategy[str]:
    joined = st.builds("{} {} {}".format, part, st.sampled_from(operators), part)
    return st.one_of(joined, joined, st.builds("({})".format, joined))


SIZE_EXPRESSIONS = st.recursive(
    st.builds("{}{}".format, st.one_of(st.integers(1, 5000), FRACTIONS), SIZES),
    lambda part: st.one_of(
        grown(part, ["+", "+", "-"]),
        st.builds("{} * {}".format, part, st.integers(0, 99)),
        st.builds("{} / {}".format, part, st.integers(0, 99)),
    ),
    max_leaves=4,
)
NUMBER_EXPRESSIONS = st.recursive(
    st.one_of(
        st.integers(0, 5000).map(str),
        # a shift by more than a word has bits is undefined in C
        st.builds(
            "({} {} {})".format,
            st.integers(0, 5000),
            st.sampled_from(["<<", ">>"]),
            st.integers(0, 60),
        ),
    ),
    lambda part: grown(part, ["+", "-", "*", "/", "%", "&", "|", "^"]),
    max_leaves=3,
)
MATHS = st.recursive(
    st.one_of(st.integers(0, 999).map(str), st.sampled_from(["0.5", "2.25", "1,000", "0x1f"])),
    lambda part: st.one_of(
        grown(part, ["+", "-", "*", "/"]),
        st.builds("sum({} {})".format, st.integers(0, 99), st.integers(0, 99)),
        st.builds("pow({}, {})".format, st.integers(0, 12), st.integers(0, 9)),
    ),
    max_leaves=4,
)
BITWISE = st.builds(
    "{} {} {}".format, WHOLE, st.sampled_from(["&", "|", "^"]), st.integers(0, 2**32).map(hex)
)
POSITIONS = st.lists(st.one_of(st.integers(0, 5000).map(str), st.just("")), min_size=1, max_size=5)


@st.composite
def call(draw: st.DrawFn) -> tuple[str, list[str], str]:
    area = draw(
        st.sampled_from(
            ["convert", "minimal", "expression", "base", "bits", "chs", "maths", "prompt"]
        )
    )
    if area == "convert":
        sector = draw(st.sampled_from([[], ["-s", "4096"], ["-s", "0x208"]]))
        return area, [draw(NUMBERS), draw(SIZES), *sector], ""
    if area == "minimal":
        return area, ["-m", draw(ANY), draw(UNITS)], ""
    if area == "expression":
        return area, ["-m", draw(st.one_of(SIZE_EXPRESSIONS, NUMBER_EXPRESSIONS))], ""
    if area in ("base", "bits"):
        return area, ["-c" if area == "base" else "-p", draw(BASES)], ""
    if area == "chs":
        return (
            area,
            ["-f", draw(st.sampled_from(["c", "l", "C", "x"])) + "-".join(draw(POSITIONS))],
            "",
        )
    if area == "maths":
        return (
            area,
            [*draw(st.sampled_from([[], ["-H"]])), "-b", draw(st.one_of(MATHS, BITWISE))],
            "",
        )
    lines = draw(
        st.lists(
            st.one_of(SIZE_EXPRESSIONS, st.sampled_from(["r", "c 12", "p 5", "r / 2", "", "oops"])),
            max_size=4,
        )
    )
    return area, ["-m"], "".join(line + "\n" for line in lines) + "q\n"


def cases(seed: int, count: int) -> list[Case]:
    """Calls without expectations; the same for the same seed."""
    found: list[tuple[str, list[str], str]] = []
    while len(found) < count:
        found += drawn(seed * 1000 + len(found), count - len(found))
    return [
        {
            "id": f"fresh-{number:04}",
            "area": area,
            "argv": argv,
            "stdin": stdin,
            "env": {"BCAL_BIT_ANSI_COLOR_CODE": ""},
        }
        for number, (area, argv, stdin) in enumerate(found, start=1)
    ]


def drawn(seed: int, count: int) -> list[tuple[str, list[str], str]]:
    made: list[tuple[str, list[str], str]] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(call())
    def collect(case: tuple[str, list[str], str]) -> None:
        made.append(case)

    collect()
    return made[:count]
