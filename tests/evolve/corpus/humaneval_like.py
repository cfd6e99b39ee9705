from typing import List, Tuple


def has_close_elements(numbers: List[float], threshold: float) -> bool:
    """Whether two of the numbers are closer than the threshold."""
    for index, number in enumerate(numbers):
        for other_index, other in enumerate(numbers):
            if index != other_index:
                distance = abs(number - other)
                if distance < threshold:
                    return True
    return False


def sum_product(numbers: List[int]) -> Tuple[int, int]:
    sum_value = 0
    product_value = 1
    for number in numbers:
        sum_value += number
        product_value *= number
    return sum_value, product_value


def separate_groups(paren_string: str) -> List[str]:
    result = []
    current = []
    depth = 0
    for letter in paren_string:
        if letter == "(":
            depth += 1
            current.append(letter)
        elif letter == ")":
            depth -= 1
            current.append(letter)
            if depth == 0:
                result.append("".join(current))
                current.clear()
    return result


def encode_shift(s: str):
    return "".join([chr(((ord(ch) + 5 - ord("a")) % 26) + ord("a")) for ch in s])

# CALLS
# has_close_elements([1.0, 2.0, 3.9, 4.0], 0.3)
# has_close_elements([1.0, 2.0], 0.05)
# sum_product([1, 2, 3, 4])
# sum_product([])
# separate_groups("(()()) ((())) ()")
# encode_shift("abcxyz")
