def factorial(number):
    result = 1
    for factor in range(2, number + 1):
        result *= factor
    return result


def total(numbers):
    return sum(numbers)


def largest(numbers):
    return max(numbers), min(numbers)


def power_mod(base, exponent, modulus):
    result = 1
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result

# CALLS
# factorial(30)
# factorial(0)
# total([2**62, 2**62, 2**62])
# total([2**70, 1])
# largest([2**64, -(2**64), 3])
# power_mod(3, 10**20, 10**18 + 9)
# total([])
# largest([])
