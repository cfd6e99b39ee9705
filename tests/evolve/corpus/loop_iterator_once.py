def consume(values):
    """An iterator is drained in turn by two loops."""
    iterator = iter(values)
    head = []
    for value in iterator:
        head.append(value)
        if value > 2:
            break
    tail = []
    for value in iterator:
        tail.append(value)
    return head, tail, list(iterator)


def until_sentinel(values):
    source = iter(values)
    return [value for value in iter(lambda: next(source), 0)]

# CALLS
# consume([1, 2, 3, 4, 5])
# consume([])
# until_sentinel([4, 3, 0, 9])
# until_sentinel([1])
