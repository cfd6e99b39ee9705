import functools
import inspect


def logged(log):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            log.append((function.__name__, args, tuple(kwargs)))
            return function(*args, **kwargs)

        return wrapper

    return decorate


LOG = []


@logged(LOG)
def area(width: int, height: int = 2, *, unit: str = "cm") -> str:
    """The area, with its unit."""
    return f"{width * height} {unit}"


def plain(function):
    def inner(*args):
        return function(*args) + 1

    return inner


@plain
@plain
def three(extra):
    return 3 + extra


def describe():
    return (
        area.__name__,
        area.__doc__,
        str(inspect.signature(area)),
        sorted(area.__annotations__),
        three.__name__,
        hasattr(area, "__wrapped__"),
    )

# CALLS
# area(3)
# area(3, height=4, unit="m")
# area()
# three(1)
# describe()
# LOG
