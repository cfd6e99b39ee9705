def traced(items, log):
    """How far it has come shows in the log."""
    for item in items:
        log.append(item)
        yield item * item


def take_two(items):
    log = []
    squares = traced(items, log)
    first = next(squares)
    before = list(log)
    second = next(squares, None)
    return first, before, second, log


def endless(start):
    while True:
        yield start
        start += 1


def take(count):
    source = endless(5)
    return [next(source) for _ in range(count)]

# CALLS
# take_two([3, 4, 5])
# take_two([3])
# take_two([])
# take(3)
