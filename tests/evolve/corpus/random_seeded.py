import random


def shuffled(items, seed):
    """Draws from the module's own generator: none may be taken in between."""
    random.seed(seed)
    items = list(items)
    random.shuffle(items)
    return items, random.random(), random.randint(1, 6)


def own_generator(seed):
    source = random.Random(seed)
    return [source.randrange(100) for _ in range(3)]


def from_numpy(seed):
    import numpy

    numpy.random.seed(seed)
    return float(numpy.random.rand()), int(numpy.random.randint(0, 10))

# CALLS
# shuffled("abcde", 7)
# own_generator(3)
# from_numpy(5)
