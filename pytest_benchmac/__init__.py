"""Decide, reproducibly and against adversaries, whether a patch really migrated a code base."""

from importlib.metadata import version

__version__ = version("pytest-benchmac")

#: Raised whenever the same inputs could lead to another evaluation than before;
#: stored evaluations of another protocol version are not reused.
PROTOCOL_VERSION = 5
