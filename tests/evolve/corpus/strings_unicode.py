def reverse(text):
    return text[::-1]


def count_vowels(text):
    vowels = "aeiou"
    count = 0
    for letter in text.lower():
        if letter in vowels:
            count += 1
    return count


def caesar(text, key):
    result = []
    for letter in text:
        if letter.isascii() and letter.isalpha():
            base = ord("A") if letter.isupper() else ord("a")
            result.append(chr((ord(letter) - base + key) % 26 + base))
        else:
            result.append(letter)
    return "".join(result)


def greeting(name):
    prefix = "Grüße, "
    mark = "\ud83d"
    return prefix + name, mark, len(mark)


def raw(name):
    pattern = r"\d+\s*"
    data = b"\x00\xff"
    empty = ""
    long = "one " "two " "three"
    return pattern, data, empty, long, name + "\n\t"

# CALLS
# reverse("añb")
# reverse("")
# count_vowels("Evolution")
# caesar("Hello, Wörld", 3)
# greeting("Jürgen")
# raw("x")
