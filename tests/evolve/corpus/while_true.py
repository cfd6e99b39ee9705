def collatz(number):
    steps = [number]
    while True:
        if number == 1:
            return steps
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps.append(number)


def retry(actions):
    attempts = 0
    while True:
        attempts += 1
        try:
            action = actions.pop(0)
            if action == "fail":
                raise ValueError(action)
        except ValueError:
            if attempts >= 3:
                break
            continue
        except IndexError:
            return attempts, "empty"
        else:
            return attempts, action
        finally:
            attempts += 10
    return attempts, "broke"

# CALLS
# collatz(7)
# collatz(1)
# retry(["fail", "ok"])
# retry(["ok"])
# retry(["fail", "fail", "fail"])
# retry([])
