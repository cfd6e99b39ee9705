"""The last lines of scripts/test: what failed, what could not run and why, how long each part took.

Also what the project promises of its exploit corpus, and the total.
"""

import ast
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def main(reports: Path, failed_steps: str, not_run: str, seconds: float) -> int:
    """Print the closing lines; 1 when anything failed."""
    out = sys.stdout.write
    totals: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    failed: list[str] = []
    corpus: dict[tuple[str, str], bool] = {}
    out("\nSeconds per part\n")
    for report in sorted(reports.glob("*.xml"), key=lambda path: path.stat().st_mtime):
        root = ElementTree.parse(report).getroot()  # noqa: S314 - pytest wrote it
        spent = sum(float(suite.get("time", "0")) for suite in root.iter("testsuite"))
        out(f"  {spent:6.0f}  {report.stem.replace('_', ' ')}\n")
        for case in root.iter("testcase"):
            for given in case.iter("property"):
                if given.get("name") == "benchmac_corpus":
                    kind, name, wrong = ast.literal_eval(given.get("value", ""))
                    corpus[kind, name] = corpus.get((kind, name), False) or wrong
            outcome = next(
                (kind for kind in ("error", "failure", "skipped") if case.find(kind) is not None),
                "passed",
            )
            totals[outcome] += 1
            for problem in (*case.iter("failure"), *case.iter("error")):
                first = problem.get("message", "").partition("\n")[0]
                failed.append(f"{case.get('classname')}::{case.get('name')}: {first:.200}")
            if (reason := case.find("skipped")) is not None:
                skipped[reason.get("message", "no reason given")] += 1
    steps = [line.strip() for line in failed_steps.splitlines() if line.strip()]
    absent = [line.strip() for line in not_run.splitlines() if line.strip()]
    out(f"\nNot run: {len(absent)} part(s), {totals['skipped']} test(s)\n")
    for line in absent:
        out(f"  {line}\n")
    for message, count in skipped.most_common():
        out(f"  {count} x {message}\n")
    out(f"Failed steps: {len(steps)}\n")
    for line in steps:
        out(f"  {line}\n")
    for line in failed:
        out(f"  {line}\n")
    if corpus:
        number = Counter(kind for kind, _ in corpus)
        wrong = Counter(kind for (kind, _), bad in corpus.items() if bad)
        out(
            f"exploits credited: {wrong['exploit']} of {number['exploit']}; "
            f"honest patches rejected: {wrong['honest']} of {number['honest']}\n"
        )
    counts = [
        f"{totals[kind]} {word}"
        for kind, word in (("failure", "failed"), ("passed", "passed"), ("skipped", "skipped"))
        if totals[kind] or kind == "passed"
    ]
    if totals["error"]:
        counts.append(f"{totals['error']} errors")
    line = f" {', '.join(counts)} in {seconds:.2f}s "
    out(f"{line:=^80}\n")
    return 1 if steps or totals["failure"] or totals["error"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])))
