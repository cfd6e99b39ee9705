def is_sorted(values):
    return all(left <= right for left, right in zip(values, values[1:]))


def any_negative(values):
    for value in values:
        if value < 0:
            return True
    return False


def truthy(left, right):
    """What `and` and `or` give is one of the operands."""
    return left and right, left or right, not left


def compare(a, b, c):
    return a < b < c, a == b != c, (a is b) is False


def count_true(flags):
    count = 0
    for flag in flags:
        count += flag
    return count

# CALLS
# is_sorted([1, 2, 2])
# is_sorted([])
# any_negative([1, -1])
# any_negative([])
# truthy([], "x")
# truthy(0, 0.0)
# truthy("a", None)
# compare(1, 2, 3)
# compare(1, 1.0, True)
# count_true([True, False, True])
# count_true([])
