def collapse(words):
    kept = []
    previous = None
    for index, word in enumerate(words):
        if not word:
            continue
        if word == previous:
            kept[-1] = (word, kept[-1][1] + 1)
            continue
        previous = word
        kept.append((word, 1))
        if index > 8:
            continue
    return kept, index


def skip_thirds(numbers):
    total = 0
    position = 0
    while position < len(numbers):
        position += 1
        if position % 3 == 0:
            continue
        total += numbers[position - 1]
    return total

# CALLS
# collapse(["a", "a", "", "b", "b", "b", "a"])
# collapse([])
# skip_thirds([1, 2, 3, 4, 5, 6, 7])
# skip_thirds([])
