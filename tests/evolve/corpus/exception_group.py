def check_all(values):
    errors = []
    for value in values:
        try:
            if value < 0:
                raise ValueError(value)
            if value > 9:
                raise OverflowError(value)
        except (ValueError, OverflowError) as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("bad values", errors)
    return len(values)


def sort_out(values):
    small = []
    big = []
    try:
        check_all(values)
    except* ValueError as group:
        small.extend(error.args[0] for error in group.exceptions)
    except* OverflowError as group:
        big.extend(error.args[0] for error in group.exceptions)
    return small, big

# CALLS
# check_all([1, 2])
# check_all([-1, 20])
# sort_out([-1, 20, 3, -4])
