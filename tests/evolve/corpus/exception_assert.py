def check(value):
    assert value > 0, f"{value} is not positive"
    assert isinstance(value, int)
    return value


def exits(code):
    if code:
        raise SystemExit(code)
    return "stayed"


def interrupts(flag):
    try:
        if flag:
            raise KeyboardInterrupt
    except Exception:
        return "caught as an exception"
    except BaseException as error:
        return type(error).__name__
    return None


def stop_in_generator(values):
    source = iter(values)

    def pull():
        while True:
            yield next(source)

    return list(pull())

# CALLS
# check(3)
# check(-3)
# check(2.5)
# exits(0)
# exits(3)
# interrupts(True)
# interrupts(False)
# stop_in_generator([1])
