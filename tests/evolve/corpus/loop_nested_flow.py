def primes(limit):
    found = []
    for number in range(2, limit):
        for divisor in found:
            if divisor * divisor > number:
                found.append(number)
                break
            if number % divisor == 0:
                break
        else:
            found.append(number)
    return found


def pairs(left, right):
    result = []
    for a in left:
        for b in right:
            if a == b:
                continue
            if a + b > 9:
                break
            result.append((a, b))
        else:
            result.append("whole")
    return result

# CALLS
# primes(40)
# primes(0)
# pairs([1, 5, 9], [1, 2, 7])
