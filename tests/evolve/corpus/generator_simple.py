def evens(limit):
    for number in range(limit):
        if number % 2 == 0:
            yield number


def windows(items, size):
    for start in range(len(items) - size + 1):
        window = items[start : start + size]
        yield tuple(window)
    return "done"

# CALLS
# evens(7)
# evens(0)
# windows([1, 2, 3, 4], 2)
# sum(evens(9))
