class Account:
    rate = 0.5
    _opened = 0

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        type(self)._opened += 1

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError("overdrawn")
        self._balance = value

    @classmethod
    def opened(cls):
        return cls._opened

    @classmethod
    def empty(cls, owner):
        return cls(owner)

    @staticmethod
    def valid(amount, minimum=1):
        return amount >= minimum

    def deposit(self, amount):
        if not self.valid(amount):
            return False
        self.balance += amount
        return True


class Savings(Account):
    def deposit(self, amount):
        done = super().deposit(amount)
        if done:
            self.balance += int(amount * self.rate)
        return done


def story(amounts):
    savings = Savings.empty("ann")
    results = [savings.deposit(amount) for amount in amounts]
    return results, savings.balance, Savings.opened(), Account.opened()


def overdraw():
    account = Account("bob", 3)
    account.balance -= 5

# CALLS
# story([10, 0, 5])
# overdraw()
# Account.valid(0)
# Account.valid(amount=3, minimum=5)
# __import__("inspect").signature(Account.valid)
# Account("ann").deposit(4)
