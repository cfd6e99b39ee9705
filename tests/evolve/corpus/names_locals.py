def snapshot(first, second):
    third = first + second
    return dict(locals())


def format_from_locals(name):
    size = len(name)
    return "{name} {size}".format(**locals())


def evaluated(value):
    offset = 3
    return eval("value + offset")


def executed(value):
    scope = {"value": value}
    exec("result = value * 2", scope)
    return scope["result"]


def has_global(name):
    return name in globals()


def own_names():
    inner = 1
    return sorted(vars()), inner

# CALLS
# snapshot(1, 2)
# format_from_locals("ann")
# evaluated(4)
# executed(4)
# has_global("snapshot")
# has_global("nothing")
# own_names()
