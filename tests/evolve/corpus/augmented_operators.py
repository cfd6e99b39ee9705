class Money:
    def __init__(self, cents):
        self.cents = cents
        self.log = []

    def __add__(self, other):
        self.log.append("add")
        return Money(self.cents + other)

    def __iadd__(self, other):
        self.log.append("iadd")
        self.cents += other
        return self

    def __sub__(self, other):
        return Money(self.cents - other)


def spend():
    purse = Money(10)
    alias = purse
    purse += 5
    purse = purse + 1
    alias -= 3
    return purse.cents, alias.cents, purse.log, alias.log


def bits(value):
    value <<= 3
    value |= 5
    value ^= 0b1010
    value >>= 1
    value &= 0xFF
    value //= 3
    value %= 11
    return value


def matrix(value):
    value @= 2
    return value


def texts(value):
    value += "!"
    value *= 2
    value %= ()
    return value

# CALLS
# spend()
# bits(12345)
# bits(True)
# matrix(3)
# texts("ab")
# texts(1)
