from math import *
from string import ascii_lowercase as letters


def hypotenuse(a, b):
    return sqrt(a * a + b * b)


def rotate(text, by):
    result = ""
    for letter in text:
        if letter in letters:
            result += letters[(letters.index(letter) + by) % 26]
        else:
            result += letter
    return result


def ceiling(value):
    return ceil(value), floor(value), pi > 3

# CALLS
# hypotenuse(3, 4)
# rotate("abc xyz", 3)
# ceiling(2.1)
