number = int(input())
total = 0
digits = []
while number > 0:
    digit = number % 10
    digits.append(digit)
    total += digit
    number //= 10
for digit in reversed(digits):
    print(digit, end=" ")
print()
if total % 3 == 0:
    print("divisible")
else:
    print("not divisible", total)

# CALLS
# < "123\n"
# < "0\n"
# < "9871\n"
# < "x\n"
