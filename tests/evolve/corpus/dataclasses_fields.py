from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import NamedTuple


class Color(Enum):
    RED = 1
    GREEN = 2

    @property
    def short(self):
        return self.name[0]


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass(order=True)
class Item:
    weight: float
    name: str = "thing"
    tags: list = field(default_factory=list, compare=False)
    color: Color = field(default=Color.RED, compare=False)


def heaviest(pairs):
    items = [Item(weight, name) for weight, name in pairs]
    items[0].tags.append("first")
    best = max(items)
    return best, asdict(items[0]), items[0].color.short


def move(point, dx):
    return point._replace(x=point.x + dx)

# CALLS
# heaviest([(1.5, "a"), (3, "b")])
# heaviest([])
# move(Point(1), dx=3)
# Item(weight=2, name="x")
