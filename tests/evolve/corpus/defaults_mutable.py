def remember(item, seen=[]):
    """The default is made once."""
    seen.append(item)
    return list(seen)


def count_calls(counts={"calls": 0}):
    counts["calls"] += 1
    return counts["calls"]


def fresh(item, seen=None):
    if seen is None:
        seen = []
    seen.append(item)
    return seen


offset = 10


def default_bound(value, offset=offset):
    return value + offset


offset = 20

# CALLS
# remember(1)
# remember(2)
# remember(3, [0])
# count_calls()
# count_calls()
# fresh(1)
# fresh(2)
# default_bound(1)
# remember.__defaults__
