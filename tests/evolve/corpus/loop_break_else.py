def first_factor(number, limit=50):
    """The smallest factor above one, or a word that says there is none."""
    for candidate in range(2, limit):
        if candidate * candidate > number:
            break
        if number % candidate == 0:
            found = candidate
            break
    else:
        return "gave up"
    if candidate * candidate > number:
        found = number
    return found


def last_candidate(number):
    candidate = 0
    while candidate < number:
        candidate += 1
        if candidate % 7 == 0:
            break
    else:
        candidate = -1
    return candidate

# CALLS
# first_factor(91)
# first_factor(97)
# first_factor(2)
# first_factor(10007)
# first_factor(9, limit=2)
# last_candidate(3)
# last_candidate(30)
