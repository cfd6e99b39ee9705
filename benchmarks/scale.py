"""How long a run on a cluster takes: a model in closed form beside a simulation of the events.

`python benchmarks/scale.py` prints the table of docs/scale.md; `--cases`, `--nodes` and the others
ask for one more row. Nothing is run: durations are drawn around the measured ones.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Run:
    """What is judged, on what. Defaults are measured (RESULTS.md) or said to be assumed."""

    cases: int = 10_000
    nodes: int = 25
    #: Cases that a node takes at a time.
    slots: int = 8
    #: Seconds of a case, mean; one processor each.
    case_s: float = 81.0
    #: Its coefficient of variation (assumed; instances differ by a factor of four).
    spread: float = 0.5
    #: Seconds of the driver for a case: submitted, and kept. It does one thing at a time.
    submit_s: float = 0.02
    keep_s: float = 0.03
    #: Megabytes that a node loads from the driver's machine before its first case.
    load_mb: float = 800.0
    #: Megabytes a second that the driver's machine sends in all (assumed: 1 Gbit/s).
    link_mb_s: float = 120.0
    #: Megabytes that a case sends back: logs and artifacts.
    result_mb: float = 2.0
    #: Mean hours until a node is lost (assumed; 0: never). Another takes its place at once.
    lost_h: float = 0.0

    @property
    def all_slots(self) -> int:
        """Cases at a time."""
        return self.nodes * self.slots


def model_s(run: Run) -> tuple[float, str]:
    """Seconds, and what bounds them.

    Loading, then the slowest of three lines that work side by side (slots, driver, link), then the
    tail: when nothing waits any more, the last case has begun and takes its time. With the longest
    first, a list schedule is within 1/3 of the best (Graham 1969); the tail that is added here is
    the mean of what is left of a running case, (1 + spread^2) / 2 of it.
    """
    loading = run.nodes * run.load_mb / run.link_mb_s
    lost = 1.0
    if run.lost_h:
        # Of every node that is lost, each slot's case was on average half done.
        lost += run.case_s * (1 + run.spread**2) / 2 / (run.lost_h * 3600)
    lines = {
        "slots": run.cases * run.case_s * lost / run.all_slots,
        "driver": run.cases * max(run.submit_s, run.keep_s),
        "link": run.cases * run.result_mb / run.link_mb_s,
    }
    bound = max(lines, key=lambda name: lines[name])
    tail = run.case_s * (1 + run.spread**2) / 2 if bound == "slots" else run.case_s
    # Nodes load side by side, so that all begin late; cases are submitted meanwhile.
    if loading > lines[bound]:
        # A slot that begins with the longest case ends no earlier than that.
        return loading + _longest_s(run), "loading"
    return loading + lines[bound] + tail, bound


def _longest_s(run: Run) -> float:
    """Seconds of the longest of all cases, at the quantile that one case in so many exceeds."""
    sigma = math.sqrt(math.log(1 + run.spread**2))
    return run.case_s * math.exp(sigma * math.sqrt(2 * math.log(run.cases)) - sigma**2 / 2)


def simulate_s(run: Run, seed: int) -> float:
    """Seconds, event by event: loads that share the link, a driver that keeps one at a time."""
    draw = random.Random(seed)
    sigma = math.sqrt(math.log(1 + run.spread**2))
    mu = math.log(run.case_s) - sigma**2 / 2
    durations = sorted((draw.lognormvariate(mu, sigma) for _ in range(run.cases)), reverse=True)
    # All nodes load at once and share the link fairly, so that they end together.
    loaded = run.nodes * run.load_mb / run.link_mb_s
    free = [(loaded, slot) for slot in range(run.all_slots)]
    heapq.heapify(free)
    dies = [
        draw.expovariate(1 / (run.lost_h * 3600)) if run.lost_h else math.inf
        for _ in range(run.nodes)
    ]
    waiting = [(index * run.submit_s, index, each) for index, each in enumerate(durations)]
    heapq.heapify(waiting)
    came: list[float] = []
    while waiting:
        ready, index, duration = heapq.heappop(waiting)
        at, slot = heapq.heappop(free)
        begin = max(at, ready)
        node = slot // run.slots
        while dies[node] <= begin:
            dies[node] += draw.expovariate(1 / (run.lost_h * 3600))
        if dies[node] < begin + duration:
            # Lost mid-case: begun again, whole, and the slot is another machine's.
            heapq.heappush(waiting, (dies[node], index, duration))
            heapq.heappush(free, (dies[node], slot))
            continue
        came.append(begin + duration)
        heapq.heappush(free, (begin + duration, slot))
    link = driver = 0.0
    for at in sorted(came):
        link = max(link, at) + run.result_mb / run.link_mb_s
        driver = max(driver, link) + run.keep_s
    return driver


ROWS = {
    "10,000 cases, one node of 8": Run(nodes=1),
    "10,000 cases, 25 nodes of 8": Run(),
    "10,000 cases, 250 nodes of 8": Run(nodes=250),
    "10,000 cases, 25 nodes, one lost every 10 h": Run(lost_h=10.0),
    "1,000,000 cases, 250 nodes of 8": Run(cases=1_000_000, nodes=250),
    "1,000,000 cases, 1,000 nodes of 8": Run(cases=1_000_000, nodes=1_000),
    "100,000 cases (one of ten drivers), 25 nodes of 8": Run(cases=100_000),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for each in fields(Run):
        kind = int if isinstance(each.default, int) else float
        parser.add_argument(f"--{each.name.replace('_', '-')}", type=kind)
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    rows = {"as asked": replace(Run(), **given)} if given else ROWS
    print("| run | model | simulation | ratio | bound by |")
    print("| --- | --- | --- | --- | --- |")
    for name, run in rows.items():
        said, bound = model_s(run)
        seen = simulate_s(run, seed=1)
        print(
            f"| {name} | {_text(said)} | {_text(seen)} | {seen / said:.2f} | {bound} |", flush=True
        )


def _text(seconds: float) -> str:
    return f"{seconds / 3600:.2f} h"


if __name__ == "__main__":
    main()
