counter = 0
history = []


def bump(amount=1):
    global counter
    counter += amount
    history.append(counter)
    return counter


def bump_many(amounts):
    for amount in amounts:
        bump(amount)
    return counter, list(history)


def shadow():
    counter = "local"
    return counter


def define_later():
    global created
    created = "now"


def read_created():
    define_later()
    return created

# CALLS
# bump()
# bump_many([2, 3])
# shadow()
# read_created()
# (counter, history, created)
