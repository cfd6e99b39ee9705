calls = []


def where(index):
    calls.append(index)
    return index


class Box:
    def __init__(self):
        self.reads = 0
        self._value = 1

    @property
    def value(self):
        self.reads += 1
        return self._value

    @value.setter
    def value(self, new):
        self.reads += 100
        self._value = new


def side_effects(values):
    """The target's index is worked out once."""
    values[where(1)] += 5
    values[where(0)] *= 3
    values[where(-1)] -= len(calls)
    return values, list(calls)


def through_property():
    box = Box()
    box.value += 4
    box.value **= 2
    return box.value, box.reads


def in_tuple(pair):
    try:
        pair[0] += [2]
    except TypeError as error:
        return pair, type(error).__name__
    return pair

# CALLS
# side_effects([1, 2, 3])
# side_effects([])
# through_property()
# in_tuple(([1], 2))
# in_tuple([[1], 2])
