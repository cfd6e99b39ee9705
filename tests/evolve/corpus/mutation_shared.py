def matrix(rows, columns):
    """Rows that are one and the same list."""
    shared = [[0] * columns] * rows
    separate = [[0] * columns for _ in range(rows)]
    shared[0][0] = 1
    separate[0][0] = 1
    return shared, separate


def cycle(value):
    items = [value]
    items.append(items)
    return items


def delete_slice(items):
    del items[1:3]
    items[:0] = ["new"]
    items[::2] = [None] * len(items[::2])
    return items


def same(left, right):
    return left is right, left == right


def passes_through(value):
    result = value
    return result

# CALLS
# matrix(2, 2)
# cycle(1)
# delete_slice([1, 2, 3, 4])
# x = [1]; same(x, x)
# same([1], [1])
# passes_through([1, [2]])
