def mean(values):
    return sum(values) / len(values)


def total(values):
    return sum(values)


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def extremes(values):
    return max(values), min(values), sorted(values), abs(values[0])


def rounding(value):
    return round(value), round(value, 1), int(value), value // 1, value % 1

# CALLS
# mean([1, 2, 3])
# mean([True, False])
# mean([])
# total([True, True])
# total([0.1] * 10)
# total([1, 2.5])
# total([1e308, 1e308])
# total([1 + 2j, 3])
# product([True, False])
# product([1.5, 2])
# extremes([3, 1.0, True])
# extremes([float("inf"), -0.0, 0])
# rounding(2.5)
# rounding(-7)
