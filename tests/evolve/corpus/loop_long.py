def checksum(rounds):
    """Far more rounds than Python has frames."""
    state = 17
    for index in range(rounds):
        state = (state * 31 + index) % 1000003
    return state


def countdown(number):
    steps = 0
    while number:
        number -= 1
        steps += 1
    return steps

# CALLS
# checksum(100000)
# checksum(0)
# countdown(100000)
