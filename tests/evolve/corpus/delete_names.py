def forget(value):
    temporary = value * 2
    result = temporary + 1
    del temporary
    try:
        return temporary
    except NameError:
        return result


def conditional(flag):
    if flag:
        maybe = 1
    return maybe


def remove(mapping, key):
    del mapping[key]
    return mapping


class Holder:
    pass


def strip():
    holder = Holder()
    holder.value = 3
    del holder.value
    return hasattr(holder, "value")

# CALLS
# forget(3)
# conditional(True)
# conditional(False)
# remove({"a": 1}, "a")
# remove({}, "a")
# strip()
