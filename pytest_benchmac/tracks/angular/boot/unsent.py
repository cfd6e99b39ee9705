"""What was entered, is told to be taken, and was sent nowhere: no busy machine makes that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pytest_benchmac.tracks.angular.boot.counted import Counted, read, together


def unsent_writes(steps: Iterable[Counted]) -> Iterator[str]:
    """What the base sends at a step, both times, with what was entered in it, and the case never.

    Only where the case shows just what the base shows then: it got what was entered, and does as
    if it had sent it. One boot of two is enough: what is late shows something else.

    Args:
        steps: those that count.
    """
    for step, own in together(steps):
        if Counter(read(own.things)) != Counter(read(step.base.things)):
            continue
        late = step.after.calls if step.after is not None else ()
        sent = {(call.method, call.path) for call in (*own.calls, *late)}
        again = {(call.method, call.path) for call in step.again.calls}
        for call in step.base.calls:
            what = call.method, call.path
            entered = {value for _, value in call.values} & set(step.base.entered)
            if not call.reads and entered and what in again - sent:
                yield f"{step.base.did}: shows what the base shows, and does not send {call.kind}"
