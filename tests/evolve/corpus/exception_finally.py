def order(fail):
    log = []
    try:
        log.append("try")
        if fail:
            raise ValueError("failed")
    except ValueError as error:
        log.append(str(error))
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


def overrides(value):
    try:
        return value
    finally:
        if value < 0:
            return "negative"
        value = 99


def lost(log):
    for item in (1, 2, 3):
        try:
            if item == 2:
                raise KeyError(item)
            log.append(item)
        finally:
            log.append("f")
            if item == 2:
                break
    return log


def name_is_gone():
    error = "before"
    try:
        raise RuntimeError("x")
    except RuntimeError as error:
        kept = repr(error)
    try:
        return error
    except UnboundLocalError:
        return kept

# CALLS
# order(True)
# order(False)
# overrides(1)
# overrides(-1)
# lost([])
# name_is_gone()
