def flatten(items):
    flat = []
    for item in items:
        if isinstance(item, list):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat


def hanoi(disks, source="A", target="C", spare="B"):
    if disks == 0:
        return []
    moves = hanoi(disks - 1, source, spare, target)
    moves.append(source + target)
    moves += hanoi(disks - 1, spare, target, source)
    return moves


def fibonacci(number, memo=None):
    memo = {} if memo is None else memo
    if number < 2:
        return number
    if number not in memo:
        memo[number] = fibonacci(number - 1, memo) + fibonacci(number - 2, memo)
    return memo[number]


def permutations(items):
    if len(items) <= 1:
        return [list(items)]
    result = []
    for index, item in enumerate(items):
        for rest in permutations(items[:index] + items[index + 1 :]):
            result.append([item] + rest)
    return result

# CALLS
# flatten([1, [2, [3, []]], 4])
# hanoi(3)
# fibonacci(200)
# permutations([1, 2, 3])
# permutations([])
