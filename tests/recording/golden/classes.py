import enum
from collections import Counter, OrderedDict, deque, namedtuple
from dataclasses import dataclass, field


@dataclass
class Node:
    value: int
    children: list = field(default_factory=list)

    @property
    def size(self):
        return 1 + sum(child.size for child in self.children)


class Color(enum.Enum):
    RED = 1


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = self


root = Node(1)
root.children.append(Node(2))
twin = root
twin.value = 10
size = root.size
pair = namedtuple("Pair", "x y")(1, [2])
counts = Counter("aab")
order = OrderedDict(a=1, b=2)
order.move_to_end("a")
queue = deque([1, 2, 3], maxlen=2)
things = [Color.RED, Slotted(), len, root.__init__, Node, {3, 1, 2}, frozenset("ba"), 1j, b"\0", range(3), ...]
