"""What can be wrong with programs that are to be evolved."""

from pytest_benchmac.model.errors import BenchmacError, InputError


class ProgramError(InputError):
    """A program, its tests or the file that holds them cannot be used."""


class NondeterministicError(BenchmacError):
    """A program does one thing now and another then on the same input: nothing can be compared."""
