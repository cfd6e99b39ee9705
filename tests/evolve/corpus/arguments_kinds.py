def everything(first, /, second, *rest, third=3, **others):
    return first, second, rest, third, sorted(others.items())


def keyword_only(*, left, right=None):
    return left, right


def forward(*args, **kwargs):
    kwargs.setdefault("third", len(args))
    return everything(*args, **kwargs)


def calls():
    numbers = [1, 2, 3]
    options = {"third": 9, "fourth": 4}
    return (
        everything(*numbers, **options),
        everything(1, second=2),
        keyword_only(right=1, left=2),
        forward(1, 2, x=5),
    )

# CALLS
# calls()
# everything(1)
# everything(first=1, second=2)
# keyword_only(1)
# keyword_only(left=[1])
# forward(1, second=3)
