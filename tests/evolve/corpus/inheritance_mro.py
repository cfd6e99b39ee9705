class Base:
    name = "base"

    def describe(self):
        return [self.name]

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__()
        cls.tag = kwargs.get("tag", cls.__name__.lower())


class Left(Base, tag="L"):
    def describe(self):
        return ["left"] + super().describe()


class Right(Base):
    name = "right"

    def describe(self):
        return ["right"] + super().describe()


class Both(Left, Right):
    pass


def lineage():
    both = Both()
    return both.describe(), both.tag, Left.tag, [kind.__name__ for kind in Both.__mro__]

# CALLS
# lineage()
