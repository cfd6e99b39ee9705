class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __bool__(self):
        return bool(self.x or self.y)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (self.x, self.y)[index]

    def __repr__(self):
        return f"Vector({self.x!r}, {self.y!r})"


def walk(steps):
    position = Vector(0, 0)
    visited = {position}
    for x, y in steps:
        position = position + Vector(x, y)
        visited.add(position)
    return position, len(visited), bool(position), list(position), repr(position)


def bad_sum():
    return Vector(1, 2) + 3

# CALLS
# walk([(1, 0), (0, 1), (-1, -1)])
# walk([])
# bad_sum()
