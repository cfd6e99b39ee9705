"""Decide, reproducibly and against adversaries, whether a patch really migrated a code base."""

#: Of the package that is installed. Whoever imports this may be a process that parses some sources,
#: and finding it out would take a third of its time.
__version__: str

#: Raised whenever the same inputs could lead to another evaluation than before;
#: stored evaluations of another protocol version are not reused.
PROTOCOL_VERSION = 5


def __getattr__(name: str) -> str:
    """The version, where somebody asks for it."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("pytest-benchmac")
