def shadows(list, max=None):
    sum = 0
    for id in list:
        sum += id
    len = sum if max is None else min(sum, max)
    return len


def restores(values):
    total = sum(values)
    print("total", total)
    return total


def hidden(values):
    def sorted(items):
        return "not sorted", items

    return sorted(values)

# CALLS
# shadows([1, 2, 3])
# shadows([1, 2, 3], max=4)
# restores([1, 2])
# hidden([3, 1])
