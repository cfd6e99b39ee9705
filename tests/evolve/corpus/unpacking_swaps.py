def fibonacci(count):
    first, second = 0, 1
    result = []
    for _ in range(count):
        result.append(first)
        first, second = second, first + second
    return result


def split(items):
    head, *middle, tail = items
    (a, b), [c] = (head, tail), [len(middle)]
    return a, b, c, middle


def chained():
    first = second = []
    first.append(1)
    a = b = c = 0
    a += 1
    return second, a, b, c


def order(values):
    index = 0
    index, values[index] = 1, "changed"
    return index, values


def gcd(left, right):
    while right:
        left, right = right, left % right
    return left

# CALLS
# fibonacci(10)
# fibonacci(0)
# split([1, 2, 3, 4])
# split([1])
# chained()
# order(["a", "b"])
# gcd(1071, 462)
# gcd(0, 0)
