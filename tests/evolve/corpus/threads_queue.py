import queue
import threading


def parallel_squares(numbers):
    results = queue.Queue()
    threads = [
        threading.Thread(target=lambda value=number: results.put(value * value))
        for number in numbers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = []
    while not results.empty():
        found.append(results.get())
    return sorted(found)


local = threading.local()


def remember(value):
    previous = getattr(local, "value", None)
    local.value = value
    return previous


def locked_total(numbers):
    lock = threading.Lock()
    total = 0
    for number in numbers:
        with lock:
            total += number
    return total, lock.locked(), threading.current_thread() is threading.main_thread()

# CALLS
# parallel_squares([3, 1, 2])
# remember(1)
# remember(2)
# locked_total([1, 2])
