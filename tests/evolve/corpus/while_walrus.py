def chunks(text, size):
    parts = []
    start = 0
    while piece := text[start : start + size]:
        parts.append(piece)
        start += size
    return parts, piece


def first_long(words, length):
    if any((found := word) and len(word) >= length for word in words):
        return found
    return None

# CALLS
# chunks("evolution", 4)
# chunks("", 3)
# first_long(["a", "abc", "abcd"], 3)
# first_long(["a"], 3)
