def grow(numbers, limit):
    for number in numbers:
        if len(numbers) >= limit:
            break
        if number % 2:
            numbers.append(number * 3 + 1)
    return numbers


def drop_even(numbers):
    for number in numbers:
        if number % 2 == 0:
            numbers.remove(number)
    return len(numbers)


def change_keys(counts):
    for key in counts:
        counts[key + "x"] = counts[key]
    return counts

# CALLS
# grow([1, 2, 3], 9)
# grow([], 3)
# drop_even([2, 4, 4, 5])
# change_keys({"a": 1})
# change_keys({})
