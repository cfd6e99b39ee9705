import functools


class CountCalls:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function
        self.count = 0

    def __call__(self, *args, **kwargs):
        self.count += 1
        return self.function(*args, **kwargs)


@CountCalls
def greet(name="you"):
    return f"hello {name}"


@functools.lru_cache(maxsize=None)
def slow_square(number):
    return number * number


@functools.total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(int(part) for part in text.split("."))

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts


def newest(texts):
    versions = [Version(text) for text in texts]
    return max(versions).parts, Version("1.0") >= Version("0.9")


def cached(numbers):
    result = [slow_square(number) for number in numbers]
    return result, slow_square.cache_info().hits

# CALLS
# greet()
# greet(name="ann")
# greet.count
# greet.__name__
# cached([2, 2, 3])
# newest(["1.2", "1.10", "0.9"])
