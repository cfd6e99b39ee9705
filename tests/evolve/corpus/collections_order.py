from collections import Counter, OrderedDict, defaultdict, deque


def histogram(words):
    counts = defaultdict(int)
    for word in words:
        counts[word] += 1
    return counts


def common(text):
    return Counter(text).most_common(2), Counter(text)


def rotate(items, steps):
    queue = deque(items, maxlen=4)
    queue.rotate(steps)
    return queue


def unique(items):
    return list(OrderedDict.fromkeys(items)), list(dict.fromkeys(items))


def group(words):
    groups = {}
    for word in sorted(words, key=lambda word: (len(word), word)):
        groups.setdefault(len(word), []).append(word)
    return groups


def breadth_first(graph, start):
    seen = {start}
    order = []
    queue = deque([start])
    while queue:
        node = queue.popleft()
        order.append(node)
        for neighbour in graph.get(node, ()):
            if neighbour not in seen:
                seen.add(neighbour)
                queue.append(neighbour)
    return order

# CALLS
# histogram(["a", "b", "a"])
# common("banana")
# rotate([1, 2, 3, 4, 5], 1)
# unique([3, 1, 3, 2, 1])
# group(["bb", "a", "cc", "b"])
# breadth_first({1: [2, 3], 2: [4], 3: [4], 4: [1]}, 1)
