from functools import partial, reduce
from itertools import accumulate, chain, groupby
from operator import itemgetter, mul


def product(numbers):
    return reduce(mul, numbers, 1)


def runs(text):
    return [(key, len(list(group))) for key, group in groupby(text)]


def prefix_sums(numbers):
    return list(accumulate(numbers))


def by_second(pairs):
    return sorted(pairs, key=itemgetter(1), reverse=True)


def pipeline(value, *steps):
    for step in steps:
        value = step(value)
    return value


def add(left, right):
    return left + right


def use():
    add_five = partial(add, 5)
    flat = list(chain.from_iterable([[1], [2, 3]]))
    return pipeline(2, add_five, lambda value: value * value), list(map(add_five, flat))

# CALLS
# product([2, 3, 7])
# product([])
# runs("aabccc")
# prefix_sums([1, 2, 3])
# by_second([("a", 1), ("b", 3)])
# use()
