def show(value):
    doubled = value * 2
    return f"{value=} {doubled=!r:>8} {doubled + 1 = }"


def table(rows):
    lines = []
    for name, amount in rows:
        lines.append(f"{name:<6}|{amount:>7.2f}|{amount!r}")
    return "\n".join(lines)


def nested(width, text):
    return f"{text:>{width}}{'!' if width > 3 else ''}"


def old_styles(name, count):
    return "%s has %d" % (name, count), "%(name)s" % {"name": name}, "{0}{1}".format(name, count)

# CALLS
# show(4)
# show(1.5)
# table([("a", 1.005), ("bcd", 20)])
# nested(6, "ab")
# nested(2, "ab")
# old_styles("ann", 3)
