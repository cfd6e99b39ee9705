def accumulator(totals):
    def add(name, amount):
        totals[name] = totals.get(name, 0) + amount
        total = sum(totals.values())
        return total

    return add


def book(entries):
    totals = {}
    add = accumulator(totals)
    history = []
    for name, amount in entries:
        history.append(add(name, amount))
    totals["closed"] = True
    return history, totals


def compose(*functions):
    def composed(value):
        for function in reversed(functions):
            value = function(value)
        return value

    return composed


def apply_all(value):
    return compose(str, lambda number: number + 1, abs)(value)

# CALLS
# book([("a", 1), ("b", 2), ("a", 3)])
# book([])
# apply_all(-4)
