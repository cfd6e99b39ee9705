def guard(action, log):
    try:
        return action()
    except ZeroDivisionError as error:
        log.append(type(error).__name__)
        raise
    except (KeyError, IndexError) as error:
        log.append(error.args)
        raise LookupError("wrapped", *error.args) from error


def divide(left, right):
    return left / right


def outcomes():
    results = []
    for action in (lambda: divide(1, 0), lambda: {}[3], lambda: [][0], lambda: 5):
        log = []
        try:
            results.append(guard(action, log))
        except (ArithmeticError, LookupError) as error:
            results.append((type(error).__name__, error.args, log))
    return results

# CALLS
# outcomes()
# guard(lambda: divide(3, 0), [])
# guard(lambda: {}["k"], [])
# divide(1, 0)
# divide("a", 1)
