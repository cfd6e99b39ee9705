from decimal import Decimal
from fractions import Fraction


def sum_prices(prices):
    total = Decimal("0")
    for price in prices:
        total += Decimal(price)
    return total


def harmonic(count):
    total = Fraction(0)
    for number in range(1, count + 1):
        total += Fraction(1, number)
    return total


def add_any(left, right):
    return left + right

# CALLS
# sum_prices(["0.10", "0.20"])
# harmonic(10)
# harmonic(0)
# add_any(Decimal("1.5"), 2)
# add_any(Fraction(1, 3), 1)
# add_any(Decimal(1), 0.5)
