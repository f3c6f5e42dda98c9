# outcome: returned
# item: 16
# delta: a=Item#3(name='pen', tags=['x'])
# delta: a=Item#3(name='pen', tags=['x', 'y'])
# delta: b=Fast#4(n=1)
from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    tags: list = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fast:
    n: int


a = Item("pen", ["x"])
a.tags.append("y")
b = Fast(1)
print(a, b)
