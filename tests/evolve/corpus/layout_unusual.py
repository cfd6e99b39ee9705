"""A docstring first."""; import os.path
from math import (sqrt,
                  floor as down)

def one_line(x): return x * 2 if x else -1

def semicolons(x):
    a = x; b = a + 1; c = [a,
        b]
    if a: c.append(0); return c
    else: return c

def empty_lines(text):

    # a comment

    total = 0  # another
    for word in text.split(): total += len(word)
    while total > 100: total -= 1; total -= 1
    return (total
            + 1)

class Empty: ...

def backslash(a, b):
    if a and \
       b:
        return os.path.join("a", "b")
    return down(sqrt(9.5))

# CALLS
# one_line(2)
# one_line(0)
# semicolons(1)
# semicolons(0)
# empty_lines("one two three")
# empty_lines("x" * 120)
# backslash(1, 1)
# backslash(1, 0)
