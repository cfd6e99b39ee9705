def classify(value):
    match value:
        case 0 | 1:
            return "bit"
        case int(number) if number < 0:
            return f"negative {number}"
        case [first, *rest]:
            return first, rest
        case {"kind": kind, **others}:
            return kind, others
        case str() as text:
            return text.upper()
        case _:
            return None


def match(case):
    """Soft keywords are names, too."""
    type = case
    _ = type
    return _

# CALLS
# classify(1)
# classify(-5)
# classify([1, 2, 3])
# classify({"kind": "k", "x": 1})
# classify("abc")
# classify(2.5)
# match(3)
