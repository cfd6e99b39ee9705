"""What can go wrong, and the exit status that tells it."""


class ShedError(Exception):
    """Anything that ends a command with a message instead of a result."""

    status = 2


class InputError(ShedError):
    """What was typed or imported makes no sense."""


class NotFoundError(ShedError):
    """There is no record of that id."""

    status = 3


class RefusedError(ShedError):
    """A rule of the shed forbids it."""

    status = 4


class StoreError(ShedError):
    """The files of the shed are missing or damaged."""

    status = 5
