def digest(text):
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:8]


def parse(text):
    import json as loader

    try:
        return loader.loads(text)
    except loader.JSONDecodeError as error:
        return error.pos


try:
    import tomllib as reader
except ImportError:
    reader = None


def toml(text):
    if reader is None:
        return None
    return reader.loads(text)

# CALLS
# digest("a")
# parse("[1, 2]")
# parse("[1, ")
# toml("a = 1")
