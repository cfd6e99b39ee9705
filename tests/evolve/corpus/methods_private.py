class Stack:
    """Double underscores in a class are mangled."""

    def __init__(self, items=()):
        self.__items = list(items)
        self.__limit = 3

    def push(self, item):
        if len(self.__items) >= self.__limit:
            raise OverflowError("full")
        self.__items.append(item)
        return self

    def __peek(self):
        return self.__items[-1] if self.__items else None

    def top(self):
        return self.__peek()

    def hidden(self):
        return sorted(vars(self))


def fill(items):
    stack = Stack()
    for item in items:
        stack.push(item)
    return stack.top(), stack.hidden(), stack._Stack__items

# CALLS
# fill([1, 2])
# fill([])
# fill([1, 2, 3, 4])
