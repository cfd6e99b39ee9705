class ConfigError(Exception):
    """What is wrong with the settings."""


def read_number(settings, key):
    try:
        return int(settings[key])
    except KeyError as error:
        raise ConfigError(f"no {key}") from error
    except ValueError:
        raise ConfigError("not a number")
    except TypeError:
        raise ConfigError("no type") from None


def implicit(values):
    try:
        return values[10]
    except IndexError:
        return {}["missing"]


def swallowed(settings, key):
    try:
        return read_number(settings, key)
    except ConfigError as error:
        cause = error.__cause__
        context = error.__context__
        return (
            str(error),
            type(cause).__name__,
            type(context).__name__,
            error.__suppress_context__,
        )

# CALLS
# read_number({"a": "3"}, "a")
# read_number({}, "a")
# read_number({"a": "x"}, "a")
# read_number({"a": None}, "a")
# implicit([])
# swallowed({}, "a")
# swallowed({"a": "x"}, "a")
# swallowed({"a": []}, "a")
