import math


def clean(values):
    return [value for value in values if value == value]


def has_nan(values):
    found = False
    for value in values:
        if isinstance(value, float) and math.isnan(value):
            found = True
    return found


def signs(value):
    return math.copysign(1, value), value == 0, str(value)


def precise(values):
    total = 0.0
    for value in values:
        total += value
    return total, math.fsum(values)

# CALLS
# clean([1.0, float("nan"), 2])
# has_nan([float("nan")])
# has_nan([1, 2.0])
# signs(-0.0)
# signs(0)
# precise([0.1] * 7)
# precise([1e16, 1.0, -1e16])
