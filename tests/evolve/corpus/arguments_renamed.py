def scale(value, factor=2):
    result = value * factor
    return result


def total_scaled(values, factor):
    total = 0
    for value in values:
        total += scale(value=value, factor=factor)
    return total


def build(name, size):
    options = dict(name=name, size=size)
    text = "{name}-{size}".format(**options)
    return text, "{name}".format(name=name), options


def partials(value):
    from functools import partial

    triple = partial(scale, factor=3)
    return triple(value), triple(value=value + 1)

# CALLS
# total_scaled([1, 2], 3)
# build("a", 4)
# partials(5)
# scale(value="x")
