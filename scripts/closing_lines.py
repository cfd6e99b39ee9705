"""The last lines of scripts/test: what failed, what could not run and why, what took how long.

Also what the project promises of its exploit corpus, of crashes, faults and inputs, and the total.
"""

import ast
import os
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

#: Name of the property by which a test says what became of its patch of the corpus.
CORPUS = "benchmac_corpus"
#: Its value: the track; `exploit`, `honest` or `control`; `whole` for a case in a sandbox, `static`
#: where only rules looked; the patch's name; and was it judged wrongly? A control is wrong when the
#: attack does not reach what it wants although nothing stops it.
CorpusOutcome = tuple[str, str, str, str, bool]
_SAID = {
    "exploit": "exploits credited",
    "honest": "honest patches rejected",
    "control": "controls that fail",
}


def corpus_worst(outcomes: Iterable[CorpusOutcome]) -> dict[tuple[str, str, str, str], bool]:
    """Each patch once, however many tests looked at it alike: was it judged wrongly by any?"""
    worst: dict[tuple[str, str, str, str], bool] = {}
    for *patch, wrong in outcomes:
        key = (str(patch[0]), str(patch[1]), str(patch[2]), str(patch[3]))
        worst[key] = worst.get(key, False) or wrong
    return worst


def corpus_rates(worst: Mapping[tuple[str, str, str, str], bool]) -> str:
    """All rates, a line for each track; what was judged whole counts apart."""
    number = Counter(key[:3] for key in worst)
    wrong = Counter(key[:3] for key, failed in worst.items() if failed)
    lines = []
    for track in sorted({key[0] for key in worst}):
        parts = []
        for kind, said in _SAID.items():
            counts = [
                f"{wrong[track, kind, how]} of {number[track, kind, how]} {how}"
                for how in ("whole", "static")
                if number[track, kind, how]
            ]
            parts += [f"{said}: {', '.join(counts)}"] if counts else []
        lines.append(f"{track}: {'; '.join(parts)}")
    return "\n".join(lines)


#: Name of the property by which a test says what of ours it put to the proof: `crash`, `fault` or
#: `input`, and how many. Tests with the mark `promise(kind)` have it, of one.
PROMISE = "benchmac_promise"


def promises(tests: Iterable[tuple[str, int, bool]]) -> str:
    """What is promised of crashes, faults and inputs, in a line.

    Args:
        tests: of each that put one to the proof: what, how many, and did the test pass? Of a test
            that failed one counts as broken, the last that it tried.
    """
    number: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for kind, count, passed in tests:
        number[kind] += count
        broken[kind] += not passed
    return (
        f"crashes survived {number['crash'] - broken['crash']} of {number['crash']}, "
        f"faults misattributed {broken['fault']} of {number['fault']}, "
        f"inputs fuzzed {number['input']} with {broken['input']} crashes"
    )


#: Why tests may be skipped.
SKIPS = Path(__file__).parents[1] / "tests" / "skips.toml"


def undeclared(messages: Iterable[str], *, ci: bool) -> list[str]:
    """The messages of skipped tests that no reason in SKIPS stands for; in CI fewer are."""
    declared = [
        re.compile(each["reason"])
        for each in tomllib.loads(SKIPS.read_text())["skip"]
        if each["ci"] or not ci
    ]
    return [
        message
        for message in messages
        if not any(reason.fullmatch(message.partition("\n")[0]) for reason in declared)
    ]


def _why_skipped(skipped: ElementTree.Element) -> str:
    """The reason; of a module that was skipped whole, pytest has it in the place alone."""
    message = skipped.get("message", "no reason given")
    if message != "collection skipped" or not skipped.text:
        return message
    _, _, reason = ast.literal_eval(skipped.text)
    return str(reason).removeprefix("Skipped: ")


#: So many modules are named, with the seconds that their tests take.
LONGEST = 12


def longest(seconds: Mapping[str, float]) -> str:
    """Where the tests' time goes, by module, longest first; with two workers, twice the wall."""
    ranked = sorted(seconds.items(), key=lambda each: -each[1])
    others = sum(spent for _, spent in ranked[LONGEST:])
    lines = [f"  {spent:6.0f}  {module}\n" for module, spent in ranked[:LONGEST]]
    if others:
        lines.append(f"  {others:6.0f}  {len(ranked) - LONGEST} others\n")
    return "".join(lines)


def main(reports: Path, failed_steps: str, not_run: str, seconds: float) -> int:
    """Print the closing lines; 1 when anything failed."""
    out = sys.stdout.write
    totals: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    failed: list[str] = []
    outcomes: list[CorpusOutcome] = []
    promised: list[tuple[str, int, bool]] = []
    spent_in: dict[str, float] = defaultdict(float)
    out("\nSeconds per part\n")
    for report in sorted(reports.glob("*.xml"), key=lambda path: path.stat().st_mtime):
        root = ElementTree.parse(report).getroot()  # noqa: S314 - pytest wrote it
        spent = sum(float(suite.get("time", "0")) for suite in root.iter("testsuite"))
        out(f"  {spent:6.0f}  {report.stem.replace('_', ' ')}\n")
        for case in root.iter("testcase"):
            outcomes += [
                ast.literal_eval(given.get("value", ""))
                for given in case.iter("property")
                if given.get("name") == CORPUS
            ]
            outcome = next(
                (kind for kind in ("error", "failure", "skipped") if case.find(kind) is not None),
                "passed",
            )
            totals[outcome] += 1
            spent_in[case.get("classname", "")] += float(case.get("time", "0"))
            promised += [
                (*ast.literal_eval(given.get("value", "")), outcome == "passed")
                for given in case.iter("property")
                if given.get("name") == PROMISE and outcome != "skipped"
            ]
            for problem in (*case.iter("failure"), *case.iter("error")):
                first = problem.get("message", "").partition("\n")[0]
                failed.append(f"{case.get('classname')}::{case.get('name')}: {first:.200}")
            if (reason := case.find("skipped")) is not None:
                skipped[_why_skipped(reason)] += 1
    out(f"\nSeconds per module of tests\n{longest(spent_in)}")
    vanished = undeclared(skipped, ci=os.environ.get("CI") == "true")
    steps = [line.strip() for line in failed_steps.splitlines() if line.strip()]
    absent = [line.strip() for line in not_run.splitlines() if line.strip()]
    out(f"\nNot run: {len(absent)} part(s), {totals['skipped']} test(s)\n")
    for line in absent:
        out(f"  {line}\n")
    for message, count in skipped.most_common():
        out(f"  {count} x {message}\n")
    out(f"Skipped for no declared reason ({SKIPS.name}): {len(vanished)}\n")
    for message in vanished:
        out(f"  {message}\n")
    out(f"Failed steps: {len(steps)}\n")
    for line in steps:
        out(f"  {line}\n")
    for line in failed:
        out(f"  {line}\n")
    if outcomes:
        out(f"{corpus_rates(corpus_worst(outcomes))}\n")
    if promised:
        out(f"{promises(promised)}\n")
    counts = [
        f"{totals[kind]} {word}"
        for kind, word in (("failure", "failed"), ("passed", "passed"), ("skipped", "skipped"))
        if totals[kind] or kind == "passed"
    ]
    if totals["error"]:
        counts.append(f"{totals['error']} errors")
    line = f" {', '.join(counts)} in {seconds:.2f}s "
    out(f"{line:=^80}\n")
    bad = steps or vanished or totals["failure"] or totals["error"]
    return 1 if bad or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])))
