def depth(number):
    """As deep as Python's limit nearly allows."""
    if number == 0:
        return 0
    return 1 + depth(number - 1)


def is_even(number):
    if number == 0:
        return True
    return is_odd(number - 1)


def is_odd(number):
    if number == 0:
        return False
    return is_even(number - 1)


def too_deep(number):
    try:
        return depth(number)
    except RecursionError:
        return "too deep"

# CALLS
# depth(960)
# depth(0)
# is_even(960)
# is_odd(7)
# too_deep(2000)
# too_deep(3)
