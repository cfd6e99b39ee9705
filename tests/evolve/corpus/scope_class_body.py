size = 3
names = ["ann", "bob"]


class Table:
    size = 5
    doubled = size * 2
    rows = [name.upper() for name in names]
    for index in range(2):
        last = index
    del index
    if doubled > 6:
        wide = True

    def area(self):
        return size * self.size

    class Cell:
        kind = "cell"
        size = size

    cells = [Cell.kind] * last


def describe():
    table = Table()
    return table.area(), Table.rows, Table.last, Table.wide, Table.Cell.size, Table.cells


def attributes():
    return sorted(name for name in vars(Table) if not name.startswith("__"))

# CALLS
# describe()
# attributes()
