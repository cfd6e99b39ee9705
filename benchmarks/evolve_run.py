"""What finished runs of `benchmac evolve run` are worth.

    python benchmarks/evolve_run.py RUN [RUN...] [--inputs 200] [--inputs-seed 2025]
        [--sandbox bubblewrap|docker] [--json FILE]

The first RUN is looked at in full: RC, RR, PyLint's score and coverage before and after; operators,
gates and why searches ended; each result beside its original on inputs that the search did not see
(their seed is another). Of all RUNs together, which should differ in their seed alone: the mean RC
of each, and how much of two results of one program is the same text. Exits 1 where a result does
something else than its original.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

from pytest_benchmac.evolve.errors import NondeterministicError, ProgramError
from pytest_benchmac.evolve.metrics.source import Source
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.search.log import SearchLog
from pytest_benchmac.evolve.search.results import LOG_FILE, StoredFolder, read_results
from pytest_benchmac.evolve.search.run import RUN_FILE, RunSettings
from pytest_benchmac.evolve.search.summary import Summary, summarize
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.sandbox.select import select_engine


@dataclass(frozen=True)
class Behaviour:
    """One result beside its original."""

    id: str
    #: Inputs that both were given, and those left out since the original takes too long.
    compared: int
    left_out: int
    #: What differs, or why nothing could be compared; empty where all is alike.
    differs: str
    unable: str


def main() -> int:
    """Compute, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--inputs", type=int, default=200)
    parser.add_argument("--inputs-seed", type=int, default=2025)
    parser.add_argument("--sandbox", choices=("bubblewrap", "docker"), default="bubblewrap")
    parser.add_argument("--json", type=Path, help="write all of it here, too")
    args = parser.parse_args()
    first = [folder for folder in read_results(args.runs[0]) if not folder.record.dropped]
    summary = summarize(args.runs[0])
    print_summary(args.runs[0], summary, first)
    behaviours = list(compare(first, args.inputs, args.inputs_seed, args.sandbox))
    print_behaviours(behaviours)
    seeds = print_seeds(args.runs) if len(args.runs) > 1 else {}
    if args.json:
        told = {
            "summary": json.loads(summary.model_dump_json()),
            "behaviours": [asdict(each) for each in behaviours],
            "seeds": seeds,
        }
        args.json.write_text(json.dumps(told, indent=2) + "\n")
    return 1 if any(each.differs for each in behaviours) else 0


# --- one run -----------------------------------------------------------------------------------


def print_summary(run: Path, summary: Summary, folders: Sequence[StoredFolder]) -> None:
    """The means, and what operators and gates did."""
    asked = RunSettings.model_validate_json((run / RUN_FILE).read_bytes())
    bound = f"{asked.budget_s:g} s" if asked.budget_s else f"{asked.iterations} generations"
    print(f"{run}: seed {asked.seed}, {bound} for each of {summary.programs} programs")
    for program_id, why in summary.dropped.items():
        print(f"  not evolved: {program_id}: {why}")
    if summary.before is None or summary.after is None:
        return
    print("\n| | before | after |\n| --- | --- | --- |")
    for field in ("rc", "rr", "pylint", "coverage"):
        before, after = getattr(summary.before, field), getattr(summary.after, field)
        print(f"| {field} | {before:.3f} | {after:.3f} |")
    worse = [
        each.record.id
        for each in folders
        if each.record.after.scores.pylint < each.record.before.scores.pylint
    ]
    print(f"\nPyLint's score is lower in {len(worse)} results: {', '.join(worse) or 'none'}")
    print("\n| operator | tried | applications in results | results with it | RC added |")
    print("| --- | --- | --- | --- | --- |")
    for code, use in summary.operators.items():
        print(
            f"| {code} | {use.tried} | {use.applications} | {use.programs} "
            f"| {use.contribution:.4f} |"
        )
    unused = [code for code in asked.operators if not summary.operators.get(code, None)]
    unused += [code for code, use in summary.operators.items() if not use.applications]
    print(f"\noperators in no result: {', '.join(unused) or 'none'}")
    print(f"offspring dropped: {dict(summary.gates)}")
    logs = [_log(folder) for folder in folders]
    print(f"searches ended by: {dict(Counter(log.stopped for log in logs))}")
    print(f"generations: {fmean(len(log.generations) for log in logs):.1f} on average")
    print(f"RC of the most complex program, by generation: {rc_by_generation(logs)}")
    for folder, log in zip(folders, logs, strict=True):
        for each in log.found_out:
            print(f"  found out in {folder.record.id}: {each.gate} {each.operators} {each.why}")


def rc_by_generation(logs: Sequence[SearchLog]) -> str:
    """Means over searches; one that has ended stays where it ended. Not all of it was checked."""
    courses = [[each.rc for each in log.generations] for log in logs if log.generations]
    longest = max(map(len, courses), default=0)
    means = [fmean(rc[min(number, len(rc) - 1)] for rc in courses) for number in range(longest)]
    return ", ".join(f"{mean:.3f}" for mean in means)


def _log(folder: StoredFolder) -> SearchLog:
    return SearchLog.model_validate_json((folder.path / LOG_FILE).read_bytes())


def compare(
    folders: Sequence[StoredFolder], inputs: int, seed: int, sandbox: SandboxName
) -> Iterator[Behaviour]:
    """Each result beside its original, on inputs by another seed than the search's."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(Path(scratch), sandbox=sandbox)
        engine, _ = select_engine(settings.sandbox, settings)
        with Laboratory(engine, settings, log=Path(scratch) / "laboratory.log") as laboratory:
            for folder in folders:
                subject, result = folder.subject(), folder.program(folder.record.after)
                try:
                    original = laboratory.original(subject, seed=seed, inputs=inputs)
                    found = laboratory.differences(subject, result, seed=seed, inputs=inputs)
                except (NondeterministicError, ProgramError) as error:
                    yield Behaviour(subject.id, 0, 0, "", str(error))
                    continue
                differs = "" if found is None else str(found)
                yield Behaviour(subject.id, len(original.inputs), original.left_out, differs, "")


def print_behaviours(behaviours: Sequence[Behaviour]) -> None:
    """How many differ, and which."""
    compared = [each for each in behaviours if not each.unable]
    total = sum(each.compared for each in compared)
    least = min((each.compared for each in compared), default=0)
    left_out = sum(each.left_out for each in compared)
    different = [each for each in compared if each.differs]
    print(
        f"\nbehaviour: {len(compared)} programs compared on {total} inputs ({least} at least; "
        f"{left_out} left out), {len(different)} differ"
    )
    for each in behaviours:
        if each.differs or each.unable:
            print(f"  {each.id}: {each.differs or each.unable}")


# --- several seeds -----------------------------------------------------------------------------


def print_seeds(runs: Sequence[Path]) -> Mapping[str, object]:
    """Mean RC of each run, and the overlap of their results, over programs that all have."""
    results = [
        {each.record.id: each for each in read_results(run) if not each.record.dropped}
        for run in runs
    ]
    common = sorted(set.intersection(*(set(each) for each in results)))
    means = [
        (
            fmean(each[program_id].record.after.scores.rc for program_id in common),
            fmean(each[program_id].record.after.scores.rr for program_id in common),
        )
        for each in results
    ]
    overlaps = {
        f"{one + 1}-{other + 1}": fmean(
            jaccard(_result(results[one][program_id]), _result(results[other][program_id]))
            for program_id in common
        )
        for one, other in combinations(range(len(runs)), 2)
    }
    own = fmean(
        jaccard(_before(results[0][program_id]), _result(results[0][program_id]))
        for program_id in common
    )
    print(f"\n{len(runs)} runs, {len(common)} programs that all of them evolved")
    for run, (rc, rr) in zip(runs, means, strict=True):
        print(f"  {run.name}: RC {rc:.3f}, RR {rr:.3f}")
    spread = max(rc for rc, _ in means) - min(rc for rc, _ in means)
    print(f"  mean RC within {spread:.3f}; token Jaccard of results of one program:")
    for pair, overlap in overlaps.items():
        print(f"  runs {pair}: {overlap:.3f}")
    print(f"  original and result of the first run: {own:.3f}")
    return {"programs": len(common), "means": means, "spread": spread, "jaccard": overlaps}


def _result(folder: StoredFolder) -> Program:
    return folder.program(folder.record.after)


def _before(folder: StoredFolder) -> Program:
    return folder.program(folder.record.before)


def jaccard(one: Program, other: Program) -> float:
    """Of the different tokens that two programs have, the share that both have."""
    mine, theirs = _tokens(one), _tokens(other)
    return len(mine & theirs) / len(mine | theirs)


def _tokens(program: Program) -> frozenset[str]:
    return frozenset(token.text for file in Source.of(program).files for token in file.tokens)


if __name__ == "__main__":
    raise SystemExit(main())
