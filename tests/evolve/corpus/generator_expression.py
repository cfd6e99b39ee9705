def total_lengths(words, minimum):
    lengths = (len(word) for word in words if len(word) >= minimum)
    words = []
    minimum = 100
    return sum(lengths)


def late(values):
    factor = 2
    scaled = (value * factor for value in values)
    factor = 10
    return list(scaled)

# CALLS
# total_lengths(["a", "abc", "abcd"], 3)
# late([1, 2, 3])
