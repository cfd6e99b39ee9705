def count_and_last(text):
    """The loop's variable is used when the loop is over."""
    total = 0
    for letter in text:
        if letter in "aeiou":
            total += 1
    return total, letter


def leftover(numbers):
    for number in numbers:
        number = number * 2
    try:
        return number
    except UnboundLocalError:
        return "nothing"

# CALLS
# count_and_last("evolution")
# count_and_last("")
# leftover([1, 2, 3])
# leftover([])
