def extend_alias(first, extra):
    """`+=` on a list changes whoever else holds it."""
    second = first
    first += extra
    return second


def rebind_alias(first, extra):
    second = first
    first = first + extra
    return second, first


def tuple_alias(first, extra):
    second = first
    first += extra
    return second, first


def set_alias(left, right):
    other = left
    left |= right
    left &= {1, 2, 3}
    left -= {3}
    return other is left, sorted(other)


def extend_from_generator(items):
    items += (item * 2 for item in list(items))
    items *= 2
    return items

# CALLS
# extend_alias([1], [2])
# extend_alias([1], "ab")
# rebind_alias([1], [2])
# rebind_alias([1], "ab")
# tuple_alias((1,), (2,))
# set_alias({1, 3}, {2, 9})
# extend_from_generator([1, 2])
