import inspect


def caller_name():
    return inspect.currentframe().f_back.f_code.co_name


def outer_function():
    return caller_name()


def names_of(function):
    return function.__code__.co_varnames, function.__name__, function.__qualname__


def sample(alpha, beta=1):
    gamma = alpha + beta
    return gamma


def registry():
    handlers = {}

    def register(function):
        handlers[function.__name__] = function
        return function

    @register
    def start():
        return "started"

    @register
    def stop():
        return "stopped"

    return {name: handler() for name, handler in handlers.items()}

# CALLS
# outer_function()
# names_of(sample)
# registry()
# sample(alpha=2)
