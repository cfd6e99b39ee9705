def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def triangle(a, b, c):
    if a <= 0 or b <= 0 or c <= 0:
        return "invalid"
    if a + b <= c or a + c <= b or b + c <= a:
        return "invalid"
    if a == b and b == c:
        kind = "equilateral"
    elif a == b or b == c or a == c:
        kind = "isosceles"
    else:
        kind = "scalene"
    return kind


def grade(score):
    if score >= 90:
        return "A"
    elif score >= 80:
        return "B"
    elif not score:
        return None
    return "C" if score > 50 else "F"


def safe_first(items):
    if items and items[0] is not None and len(items) > 1:
        return items[0]
    return "none"

# CALLS
# leap(2000)
# leap(1900)
# leap("x")
# triangle(3, 4, 5)
# triangle(1, 1, 3)
# triangle(2, 2, 3)
# triangle(0, 1, 1)
# grade(85)
# grade(0)
# grade(None)
# safe_first([])
# safe_first([1, 2])
