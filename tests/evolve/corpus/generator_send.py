def averager():
    total = 0.0
    count = 0
    average = None
    while True:
        value = yield average
        if value is None:
            return count
        total += value
        count += 1
        average = total / count


def feed(values):
    running = averager()
    next(running)
    result = [running.send(value) for value in values]
    try:
        running.send(None)
    except StopIteration as stop:
        result.append(stop.value)
    return result


def delegating(values):
    count = yield from counted(values)
    yield f"{count} values"


def counted(values):
    count = 0
    for value in values:
        count += 1
        yield value
    return count


def closing(log):
    try:
        yield 1
        yield 2
    except GeneratorExit:
        log.append("closed")
        raise
    finally:
        log.append("finally")


def close_early():
    log = []
    source = closing(log)
    first = next(source)
    source.close()
    return first, log


def throw_in():
    log = []
    source = closing(log)
    next(source)
    try:
        source.throw(KeyError("in"))
    except KeyError as error:
        log.append(error.args)
    return log

# CALLS
# feed([10, 20, 60])
# feed([])
# delegating("abc")
# close_early()
# throw_in()
