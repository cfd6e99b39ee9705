def run(step, number):
    """Recursion without a name of its own."""
    if number <= 0:
        return number
    return step(step, number - 1)


def countdown(number):
    return run(run, number)


class Tree:
    def __init__(self, depth):
        self.child = Tree(depth - 1) if depth else None

    def __len__(self):
        return 1 + (len(self.child) if self.child else 0)

    def __bool__(self):
        return True


def height(depth):
    return len(Tree(depth))


def by_lambda(number):
    again = lambda value: 0 if value == 0 else 1 + again(value - 1)
    return again(number)

# CALLS
# countdown(900)
# height(400)
# by_lambda(950)
