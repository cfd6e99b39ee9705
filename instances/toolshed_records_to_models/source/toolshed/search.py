"""Finding tools by words."""

from toolshed import storage


def score(tool, words):
    """How well a tool fits: 3 per word that starts one of its name, 1 per other hit; 0 is no fit.

    Every word has to be found somewhere.
    """
    total = 0
    parts = tool["name"].lower().split()
    for word in (word.lower() for word in words):
        if any(part.startswith(word) for part in parts):
            total += 3
        elif word in tool["name"].lower() or word in tool["category"]:
            total += 1
        else:
            return 0
    return total


def show(root, words, everything=False):
    """Print the tools that fit, the best first."""
    hits = []
    for tool in storage.load(root, "tools"):
        if tool["status"] == "retired" and not everything:
            continue
        points = score(tool, words)
        if points:
            hits.append({"points": points, "tool": tool})
    hits.sort(key=lambda hit: (-hit["points"], hit["tool"]["name"].lower()))
    if not hits:
        print(f"nothing found for {' '.join(words)}")
    for hit in hits:
        tool = hit["tool"]
        print(f"{tool['id']}  {tool['name']} ({tool['category']}, {tool['status']})")
