"""More calls of Sheaf, from a seed: tables, expressions and commands."""

import csv
import io
import json
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

Case = dict[str, Any]
Table = tuple[list[str], list[list[str]]]

# What a column of each name holds; the last few are for cells that do not fit.
CELLS: dict[str, list[str]] = {
    "id": ["1", "2", "3", "4", "5", "6", "7", "8"],
    "name": ["Ada", "Grace", "Joan", "Zoë", "ada", "O'Hara", "", 'the "other"', "a,b"],
    "day": ["2024-01-31", "2024-02-29", "2023-12-31", "1999-03-01", "2000-02-28", "2024-02-30", ""],
    "amount": ["0", "1", "-2.50", "12.5", "0.125", "100", "99.995", "1000000", "007", ""],
    "rate": ["0.1", "0.21", "3", "7", "-1", ""],
    "paid": ["true", "false", ""],
    "two words": ["x y", "x  y", "x-y", "1.0", "1", "true", "line\nbreak", ""],
}
COLUMNS = list(CELLS)
NUMBERS = ["0", "1", "2", "3", "0.5", "12.50", "-1"]
TEXTS = ["'a'", "'Ada'", "'x y'", "'2024-01-31'", "'%a%'", "'1'", "'é'"]


@st.composite
def tables(draw: st.DrawFn, least: int = 0) -> Table:
    columns = draw(st.permutations(COLUMNS))[: draw(st.integers(3, 7))]
    size = draw(st.integers(least, 8))
    rows = [[draw(st.sampled_from(CELLS[name])) for name in columns] for _ in range(size)]
    return list(columns), rows


def as_csv(table: Table) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table[0], *table[1]])
    return out.getvalue()


def as_json(table: Table) -> str:
    return json.dumps(
        [dict(zip(table[0], row, strict=True)) for row in table[1]], ensure_ascii=False
    )


def quoted(name: str) -> str:
    return f"`{name}`" if " " in name else name


def numbers(columns: list[str]) -> st.SearchStrategy[str]:
    known = [name for name in columns if name in ("id", "amount", "rate")] or columns
    leaves = st.one_of(st.sampled_from(known).map(quoted), st.sampled_from(NUMBERS))

    def grown(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("{} {} {}".format, part, st.sampled_from("+-*/%"), part),
            st.builds("({} {} {})".format, part, st.sampled_from("+-*/"), part),
            st.builds("round({}, {})".format, part, st.integers(0, 4)),
            st.builds("{}({})".format, st.sampled_from(["abs", "floor", "ceil", "len"]), part),
            st.builds("{}({}, {})".format, st.sampled_from(["min", "max", "coalesce"]), part, part),
            st.builds("-{}".format, part),
        )

    return st.recursive(leaves, grown, max_leaves=5)


def texts(columns: list[str]) -> st.SearchStrategy[str]:
    known = [name for name in columns if name in ("name", "day", "two words")] or columns
    leaves = st.one_of(st.sampled_from(known).map(quoted), st.sampled_from(TEXTS))

    def grown(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("{} || {}".format, part, part),
            st.builds("{}({})".format, st.sampled_from(["upper", "lower", "trim", "text"]), part),
            st.builds(
                "{}({}, {})".format,
                st.sampled_from(["left", "right", "pad"]),
                part,
                st.integers(0, 9),
            ),
            st.builds("replace({}, {}, {})".format, part, st.sampled_from(TEXTS), part),
            st.builds("part({}, ' ', {})".format, part, st.integers(1, 3)),
            st.builds("if({} = {}, {}, {})".format, part, part, part, part),
        )

    return st.recursive(leaves, grown, max_leaves=4)


def days(columns: list[str]) -> st.SearchStrategy[str]:
    leaf = "if(day = '2024-02-30', null, day)" if "day" in columns else "'2024-02-29'"
    return st.one_of(
        st.builds(
            "{}({})".format,
            st.sampled_from(["year", "month", "weekday", "week", "monthEnd"]),
            st.just(leaf),
        ),
        st.builds("addDays({}, {})".format, st.just(leaf), st.integers(-800, 800)),
        st.builds("addMonths({}, {})".format, st.just(leaf), st.integers(-30, 30)),
        st.builds(
            "days({}, '{}')".format, st.just(leaf), st.sampled_from(["2024-01-01", "1900-03-01"])
        ),
    )


def truths(columns: list[str]) -> st.SearchStrategy[str]:
    compare = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    leaves = st.one_of(
        st.builds("{} {} {}".format, numbers(columns), compare, numbers(columns)),
        st.builds(
            "{} {} {}".format, texts(columns), st.sampled_from(["=", "!=", "like"]), texts(columns)
        ),
        st.builds("{} is {}null".format, texts(columns), st.sampled_from(["", "not "])),
        st.builds(
            "{} {}in ({}, {})".format,
            texts(columns),
            st.sampled_from(["", "not "]),
            texts(columns),
            texts(columns),
        ),
        st.just("paid" if "paid" in columns else "true"),
    )

    def grown(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("{} {} {}".format, part, st.sampled_from(["and", "or"]), part),
            st.builds("not ({})".format, part),
        )

    return st.recursive(leaves, grown, max_leaves=3)


@st.composite
def names(draw: st.DrawFn, columns: list[str], signs: tuple[str, ...] = ("",)) -> str:
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=3, unique=True))
    return ",".join(draw(st.sampled_from(signs)) + name for name in chosen)


@st.composite
def aggregates(draw: st.DrawFn, columns: list[str], most: int = 3) -> str:
    made = []
    for number in range(draw(st.integers(1, most))):
        name = draw(
            st.sampled_from(
                [
                    "sum",
                    "mean",
                    "median",
                    "min",
                    "max",
                    "first",
                    "last",
                    "distinct",
                    "list",
                    "count",
                ]
            )
        )
        numeric = name in ("sum", "mean", "median")
        of = draw(numbers(columns) if numeric else st.sampled_from(columns).map(quoted))
        made.append(f"{name}({of}) as n{number}")
    return ", ".join(made)


@st.composite
def command(draw: st.DrawFn, columns: list[str]) -> list[str]:
    kind = draw(
        st.sampled_from(
            [
                "show",
                "cols",
                "stats",
                "pick",
                "where",
                "where",
                "derive",
                "derive",
                "derive",
                "fill",
            ]
            + ["melt", "slice", "sort", "sort", "dedupe", "group", "group", "pivot"]
        )
    )
    if kind in ("show", "cols", "stats"):
        return [kind]
    if kind == "where":
        return [kind, draw(truths(columns))]
    if kind == "derive":
        name = draw(st.sampled_from(["new", "`a b`", quoted(columns[0])]))
        part = draw(st.one_of(numbers(columns), texts(columns), days(columns), truths(columns)))
        return [kind, f"{name} = {part}"]
    if kind == "pick":
        return [kind, draw(names(columns, ("", "", "!"))) + draw(st.sampled_from(["", ",*"]))]
    if kind == "fill":
        how = draw(
            st.sampled_from(
                [["--down"], ["--with", "none"], ["--with", "0"], ["--down", "--most", "1"]]
            )
        )
        return [kind, draw(names(columns)), *how]
    if kind == "melt":
        return [
            kind,
            draw(names(columns)),
            *draw(st.sampled_from([[], ["--keep-empty"], ["--name", "k"]])),
        ]
    if kind == "slice":
        bounds = st.sampled_from(["", "1", "2", "-2", "5", "-9"])
        return [kind, f"{draw(bounds)}:{draw(bounds)}"]
    if kind == "sort":
        return [
            kind,
            draw(names(columns, ("", "-"))),
            *draw(st.sampled_from([[], ["--empty", "last"]])),
        ]
    if kind == "dedupe":
        how = draw(st.sampled_from([[], ["--keep", "last"], ["--count", "times"]]))
        return [kind, draw(st.one_of(names(columns), st.just("*"))), *how]
    if kind == "group":
        return [
            kind,
            draw(st.one_of(names(columns), st.just("-"))),
            "--agg",
            draw(aggregates(columns)),
        ]
    across = draw(st.sampled_from(columns))
    rest = [name for name in columns if name != across]
    made = [
        kind,
        "--rows",
        draw(names(rest)),
        "--cols",
        across,
        "--agg",
        draw(aggregates(columns, 1)),
    ]
    return made + draw(st.sampled_from([[], ["--total", "all"], ["--empty", "0"]]))


@st.composite
def call(draw: st.DrawFn) -> Case:
    table = draw(tables())
    columns = table[0]
    to = draw(
        st.sampled_from([[], ["--to", "table"], ["--to", "md"], ["--to", "json"], ["--to", "tsv"]])
    )
    kind = draw(st.sampled_from(["pipe"] * 6 + ["json", "run", "join", "diff", "split", "check"]))
    case: Case = {"argv": [], "stdin": as_csv(table), "files": {}}
    if kind in ("pipe", "json"):
        case["argv"] = [*draw(command(columns)), *to]
        if kind == "json":
            case["stdin"] = as_json(table)
            case["argv"] += ["--from", "json"]
    elif kind == "run":
        steps = [draw(command(columns)) for _ in range(draw(st.integers(1, 2)))]
        lines = [
            " ".join(f'"{word}"' for word in words) for words in steps if '"' not in "".join(words)
        ]
        case["files"]["script"] = "\n".join(["# fresh", *lines]) + "\n"
        case["argv"] = ["run", "script", *to]
    elif kind == "join":
        other = draw(tables())
        case["files"]["other.json"] = as_json(other)
        on = draw(st.sampled_from(columns))
        how = draw(st.sampled_from(["inner", "left", "full", "semi", "anti"]))
        case["argv"] = ["join", "other.json", "--on", on, "--kind", how, "--prefix", "o_", *to]
    elif kind == "diff":
        older = [row for row in table[1] if draw(st.integers(0, 3))]
        change = draw(st.integers(0, len(columns) - 1))
        older = [
            [*row[:change], draw(st.sampled_from(CELLS[columns[change]])), *row[change + 1 :]]
            for row in older
        ]
        case["files"]["old.csv"] = as_csv((columns, older))
        case["argv"] = ["diff", "old.csv", "--key", draw(names(columns))]
    elif kind == "split":
        case["argv"] = [
            "split",
            "--by",
            draw(st.sampled_from(columns)),
            "--dir",
            "out",
            "--as",
            draw(st.sampled_from(["csv", "json", "md"])),
        ]
    else:
        kinds = st.sampled_from(["number", "whole", "text", "truth", "day", "any"])
        clause = st.sampled_from(
            ["", " required", " min 0", " max 10.5", " length 3", " like '%a%'"]
        )
        rules = [f"column '{name}' {draw(kinds)}{draw(clause)}{draw(clause)}" for name in columns]
        rules += [f"unique '{draw(names(columns))}'", "rows 2 6"]
        case["files"]["rules"] = "\n".join(rules) + "\n"
        case["argv"] = ["check", "--rules", "rules"]
    return case


def cases(seed: int, count: int) -> list[Case]:
    """Calls without expectations; the same for the same seed."""
    found: list[Case] = []
    while len(found) < count:
        found += drawn(seed * 1000 + len(found), count - len(found))
    return [
        {"id": f"fresh-{number:04}", "area": case["argv"][0], **case}
        for number, case in enumerate(found, start=1)
    ]


def drawn(seed: int, count: int) -> list[Case]:
    made: list[Case] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(call())
    def collect(case: Case) -> None:
        made.append(case)

    collect()
    return made[:count]
