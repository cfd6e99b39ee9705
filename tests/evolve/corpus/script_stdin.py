import sys


def solve(numbers):
    best = current = numbers[0]
    for number in numbers[1:]:
        current = max(number, current + number)
        best = max(best, current)
    return best


def main():
    count = int(sys.stdin.readline())
    for case in range(count):
        numbers = [int(word) for word in input().split()]
        print(f"Case #{case + 1}: {solve(numbers)}")


if __name__ == "__main__":
    main()

# CALLS
# < "2\n1 -3 4 5\n-2 -1\n"
# < "0\n"
# < "1\n"
# solve([1, 2, -9, 4])
