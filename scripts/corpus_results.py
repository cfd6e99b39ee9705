"""What scripts/test-corpus found, a line of JSON for each patch, and the table row that follows.

Usage: python scripts/corpus_results.py FOLDER: rates, and a row for `docs/trust.md`.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.closing_lines import CORPUS, corpus_rates, corpus_worst


def write_result(file: Path, report: Any) -> None:
    """Append what pytest reports of one test, and which checks stopped the attack."""
    properties = dict(report.user_properties)
    line = {
        "test": report.nodeid,
        "passed": report.passed,
        "seconds": round(report.duration, 1),
        "corpus": properties.get(CORPUS),
        "stopped_by": properties.get("stopped_by", ""),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        out.write(json.dumps(line) + "\n")


def read_results(folder: Path) -> list[dict[str, Any]]:
    """All that was written below a folder, the latest of each test; a broken line ends its file."""
    latest: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.jsonl"), key=lambda each: each.stat().st_mtime):
        for line in file.read_text().splitlines():
            try:
                each = json.loads(line)
            except ValueError:
                break
            latest[each["test"]] = each
    return list(latest.values())


def main(folder: Path) -> int:
    """Print both; 1 when a test failed, or there is none."""
    results = read_results(folder)
    worst = corpus_worst(tuple(each["corpus"]) for each in results if each["corpus"])
    failed = [each["test"] for each in results if not each["passed"]]
    hours = sum(each["seconds"] for each in results) / 3600
    rates = corpus_rates(worst)
    commit, _, sandbox = folder.name.partition("-")
    today = datetime.now(tz=UTC).date()
    row = f"| {commit} | {today} | {sandbox} | {rates} | {len(failed)} | {hours:.1f} |"
    sys.stdout.write("".join(f"failed: {each}\n" for each in failed) + f"{rates}\n{row}\n")
    (folder / "row.md").write_text(f"{row}\n")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
