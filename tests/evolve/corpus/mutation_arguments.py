def normalize(record):
    record["name"] = record["name"].strip().lower()
    record.setdefault("tags", []).append("seen")
    del record["old"]
    return None


def swap(values, left, right):
    values[left], values[right] = values[right], values[left]


def bubble_sort(values):
    for end in range(len(values) - 1, 0, -1):
        swapped = False
        for index in range(end):
            if values[index] > values[index + 1]:
                swap(values, index, index + 1)
                swapped = True
        if not swapped:
            break


def drain(queue, sink):
    while queue:
        sink.insert(0, queue.pop())
    return sink is queue


def partial_failure(values):
    for index, value in enumerate(values):
        values[index] = 10 // value
    return values

# CALLS
# normalize({"name": " Ann ", "old": 1})
# normalize({"name": " Ann "})
# bubble_sort([3, 1, 2])
# bubble_sort([])
# drain([1, 2], [])
# partial_failure([5, 2, 0, 1])
