def make_counter(start=0, step=1):
    count = start

    def increment():
        nonlocal count
        count += step
        return count

    def reset(value=start):
        nonlocal count
        count = value

    return increment, reset


def play(rounds):
    increment, reset = make_counter(5, 2)
    seen = []
    for index in range(rounds):
        seen.append(increment())
        if index == 2:
            reset()
    return seen


def late_binding():
    functions = []
    for number in range(3):
        functions.append(lambda: number)
    eager = [lambda value=number: value for number in range(3)]
    return [function() for function in functions], [function() for function in eager]

# CALLS
# play(5)
# play(0)
# late_binding()
