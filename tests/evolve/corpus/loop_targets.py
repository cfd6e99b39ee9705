def walk(table):
    """Targets that are subscripts, attributes and stars."""
    box = [None]
    seen = []
    for box[0], *rest in table:
        seen.append((box[0], list(rest)))
    return box, seen


class Cursor:
    def __init__(self):
        self.at = 0

    def run(self, stops):
        for self.at in stops:
            pass
        return self.at


def visit(stops):
    cursor = Cursor()
    return cursor.run(stops), cursor.at

# CALLS
# walk([(1, 2, 3), "ab"])
# walk([])
# visit([4, 5])
# visit([])
