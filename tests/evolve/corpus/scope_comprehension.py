def outer(numbers):
    number = "kept"
    squares = [number * number for number in numbers]
    table = {number: [inner for inner in range(number)] for number in numbers}
    odd = {number for number in numbers if number % 2}
    return number, squares, table, odd


def nested(rows):
    flat = [value for row in rows for value in row if value is not None]
    transposed = [[row[column] for row in rows] for column in range(len(rows[0]))]
    return flat, transposed


def first_iterable(number):
    return [number for number in range(number)]

# CALLS
# outer([1, 2, 3])
# nested([[1, 2], [3, None]])
# first_iterable(4)
