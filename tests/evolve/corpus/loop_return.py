def index_of(items, wanted):
    for index, item in enumerate(items):
        if item == wanted:
            return index
        if item is None:
            return None
    return -1


def search_grid(grid, wanted):
    for row, line in enumerate(grid):
        for column, value in enumerate(line):
            if value == wanted:
                return row, column
        else:
            if not line:
                return "empty row"
    return None


def bare(items):
    for item in items:
        if item:
            return
        items.append(1)

# CALLS
# index_of([3, 1, 4], 4)
# index_of([3, 1, 4], 9)
# index_of([3, None, 4], 4)
# search_grid([[1, 2], [3, 4]], 3)
# search_grid([[1, 2], []], 3)
# search_grid([[1, 2]], 3)
# bare([0, 0])
# bare([])
