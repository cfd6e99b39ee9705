import sys


def report(values):
    for index, value in enumerate(values, 1):
        print(index, value, sep=": ", end=";\n")
    print()
    print("sum", sum(values), file=sys.stderr)
    sys.stdout.write("written\n")
    return len(values)


def noisy(value):
    print("noisy", value)
    return value


def short_circuit(a, b):
    result = noisy(a) and noisy(b) or noisy("last")
    if noisy(1) < noisy(2) < noisy(0) < noisy(9):
        return "never"
    return result, [noisy(x) for x in (1, 2) if noisy(x) > 1]


def order():
    values = {noisy("key"): noisy("value")}
    values[noisy("target")] = noisy("right")
    return values

# CALLS
# report([3, 4])
# report([])
# short_circuit(1, 0)
# short_circuit(0, 1)
# order()
