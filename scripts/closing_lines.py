"""The last lines of scripts/test: what failed, what could not run and why, and the total."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def main(reports: Path, failed_steps: str, not_run: str, seconds: float) -> int:
    """Print the closing lines; 1 when anything failed."""
    totals: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for report in sorted(reports.glob("*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
            outcome = next(
                (kind for kind in ("error", "failure", "skipped") if case.find(kind) is not None),
                "passed",
            )
            totals[outcome] += 1
            if (reason := case.find("skipped")) is not None:
                skipped[reason.get("message", "no reason given")] += 1
    steps = [line.strip() for line in failed_steps.splitlines() if line.strip()]
    absent = [line.strip() for line in not_run.splitlines() if line.strip()]
    out = sys.stdout.write
    out(f"\nNot run: {len(absent)} part(s), {totals['skipped']} test(s)\n")
    for line in absent:
        out(f"  {line}\n")
    for message, count in skipped.most_common():
        out(f"  {count} x {message}\n")
    out(f"Failed steps: {len(steps)}\n")
    for line in steps:
        out(f"  {line}\n")
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
