from contextlib import contextmanager, suppress


@contextmanager
def tagged(name, log):
    log.append(f"<{name}>")
    try:
        yield log
    except ValueError as error:
        log.append(str(error))
    finally:
        log.append(f"</{name}>")


def page(fail):
    log = []
    with tagged("html", log), tagged("body", log) as body:
        body.append("text")
        if fail:
            raise ValueError("broken")
        body.append("more")
    return log


def escapes():
    log = []
    with tagged("a", log):
        return log, {}["missing"]


def quiet(values, key):
    with suppress(KeyError):
        return values[key]
    return "default"

# CALLS
# page(False)
# page(True)
# escapes()
# quiet({"a": 1}, "a")
# quiet({}, "a")
