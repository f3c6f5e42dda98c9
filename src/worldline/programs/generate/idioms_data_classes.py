"""Templates of small classes: stacks, accounts, points, linked nodes, machines, records. Text only."""

from __future__ import annotations

CLASSES = r"""
:f run_stack use_stack test_stack
:let cls Stack ~ Stack ~ Bag ~ Box
class $cls:
    def __init__(self<:~, limit=#int(2,5):>):
        self.items = []

    def push(self, $item):
        <:self.items.append($item)~if $item is not None:
            self.items.append($item)~self.items = self.items + [$item]:>

    def pop(self):
        <:return self.items.pop() if self.items else None~if not self.items:
            return <:None~-1:>
        return self.items.pop():>

    def <:peek~top:>(self):
        return self.items[-1]<:~ if self.items else None:>

    def __len__(self):
        return len(self.items)

def $f($items):
    $st = $cls()
<:
    for $item in $items:
        $st.push($item)
    $out = []
    while len($st) > <:0~1:>:
        $out.append($st.pop())
    return $out
~
    for $item in $items:
        if #cond($item):
            $st.push($item)
        else:
            $st.pop()
    return <:$st.items~len($st)~$st.pop(), $st.items:>
:>
:call $f(#ints(1,4))
---
:f run_account simulate_account final_balance
:let cls Account ~ Wallet ~ BankAccount ~ Card
class $cls:
    def __init__(self, balance=0):
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        <:if amount <= 0:
            raise ValueError('invalid amount')
        ~:>self.balance += amount
        self.history.append(<:amount~('in', amount)~self.balance:>)

    def withdraw(self, amount):
        if amount > self.balance:
            <:return False~self.history.append(None)
            return False:>
        self.balance -= amount
        return True

def $f($nums):
    $obj = $cls(<:#int(0,50)~balance=#int(0,99):>)
    for $num in $nums:
        if $num > 0:
            $obj.deposit($num)
        <:else~elif $num < 0:>:
            $obj.withdraw(-$num)
    return <:$obj.balance~$obj.history~($obj.balance, len($obj.history)):>
:call $f(#ints(1,4,-30,60))
---
:f add_points move_point path_length centroid
:let cls Point ~ Vector ~ Vec
class $cls:
    def __init__(self, x=0, y=0):
        self.x = x
        self.y = y

    def __add__(self, other):
        return $cls(self.x + other.x, self.y + other.y)

    def <:scale~__mul__:>(self, k):
        <:self.x *= k
        self.y *= k
        return self~return $cls(self.x * k, self.y * k):>

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __repr__(self):
        return f'$cls({self.x}, {self.y})'

def $f($ps):
<:
    $t = $cls()
    for $a, $b in $ps:
        $t = $t + $cls($a, $b)
    return <:$t.x, $t.y~repr($t)~str($t)~$t == $cls(0, 0):>
~
    $out = [$cls($a, $b) for $a, $b in $ps]
    <:$out.sort(key=lambda p: (p.x, p.y))~$out = [p for p in $out if p.x <:<~>=~!=:> p.y]~$out = $out[::-1]:>
    return <:[(p.x, p.y) for p in $out]~str($out)~[p.x * p.y for p in $out]:>
:>
:call $f(#points(1,3))
---
:f build_list linked_sum reverse_linked list_to_nodes
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

def $f($nums):
    $cur = None
    for $num in <:reversed($nums)~$nums~$nums[::-1]:>:
        $cur = Node($num, $cur)
<:
    $out = []
    while $cur:
        $out.append($cur.value)
        $cur = $cur.next
    return $out
~
    $t = 0
    while $cur is not None:
        if #cond($cur.value):
            $t += $cur.value
        $cur = $cur.next
    return $t
~
    $prev = None
    while $cur:
        $cur.next, $prev, $cur = $prev, $cur, $cur.next
    return $prev.value
:>
:call $f(#ints(1,3))
---
:f tree_insert tree_sum inorder tree_height
def insert($node, $v):
    if $node is None:
        return {'v': $v, 'l': None, 'r': None}
    if $v < $node['v']:
        $node['l'] = insert($node['l'], $v)
    else:
        $node['r'] = insert($node['r'], $v)
    return $node

def walk($node):
    if $node is None:
        return []
    return <:walk($node['l']) + [$node['v']] + walk($node['r'])~\
        [$node['v']] + walk($node['l']) + walk($node['r']):>

def $f($nums):
    $obj = None
    for $num in $nums:
        $obj = insert($obj, $num)
    return walk($obj)
:call $f(#ints(1,3))
---
:f count_calls use_counter run_counter
:let cls Ticker ~ Meter ~ Clicker
:let mth tick ~ increment ~ bump
class $cls:
    total = <:0~#int(0,9):>

    def __init__(self, step=1):
        self.step = step
        self.value = 0

    def $mth(self):
        self.value += self.step
        $cls.total += 1
        return <:self~self.value:>

def $f($n):
    $obj = $cls(<:~2~#int(1,5):>)
    $obj2 = $cls(step=#int(2,9))
    for $i in range($n):
        if #cond($i):
            $obj.$mth()
        else:
            $obj2.$mth()
    return $obj.value, $obj2.value, $cls.total
:call $f(#int(1,6))
---
:f total_area describe_shapes largest_shape
class Shape:
    def __init__(self, name):
        self.name = name

    def area(self):
        return 0

    def describe(self):
        return f'{self.name}:{self.area()}'

class Rect(Shape):
    def __init__(self, w, h):
        super().__init__(<:'rect'~'box':>)
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h

class Square(Rect):
    def __init__(self, side):
        super().__init__(side, side)
        <:self.name = 'square'~self.side = side:>

def $f($nums):
    $out = []
    for $num in $nums:
        if #cond($num):
            $out.append(Square($num))
        else:
            $out.append(Rect($num, #int(1,5)))
    return <:[s.describe() for s in $out]~sum(s.area() for s in $out)~max($out, key=lambda s: s.area()).name:>
:call $f(#ints(1,3,1,9))
---
:f run_machine traffic_light next_states simulate_states
class Machine:
    def __init__(self):
        self.state = 'idle'
        <:self.log = []~self.log = ['idle']:>

    def send(self, event):
        table = {
            ('idle', 'start'): 'running',
            ('running', 'pause'): 'paused',
            ('paused', 'start'): 'running',
            ('running', 'stop'): 'idle',
        }
        <:self.state = table.get((self.state, event), self.state)~if (self.state, event) in table:
            self.state = table[self.state, event]~try:
            self.state = table[(self.state, event)]
        except KeyError:
            self.log.append('bad'):>
        self.log.append(self.state)

def $f($ops):
    $obj = Machine()
    for $op in $ops:
        $obj.send($op)
    return <:$obj.state~$obj.log~$obj.log.count('idle'):>
:call $f([<:'start', 'pause', 'start'~'start', 'stop'~'stop', 'start', 'pause'~'pause'~\
    'start', 'pause', 'stop':>])
---
:f inventory_total run_inventory restock
class Inventory:
    def __init__(self):
        self.stock = {}

    def add(self, name, qty=1):
        self.stock[name] = self.stock.get(name, 0) + qty

    def remove(self, name, qty=1):
        if self.stock.get(name, 0) < qty:
            <:raise KeyError(name)~return False:>
        self.stock[name] -= qty
        if self.stock[name] == 0:
            del self.stock[name]
        return True

def $f($ps):
    $obj = Inventory()
    for $key, $v in $ps:
        if $v >= 0:
            $obj.add($key, $v)
        else:
            try:
                $obj.remove($key, -$v)
            except KeyError:
                $obj.add('missing')
    return <:$obj.stock~sorted($obj.stock.items())~sum($obj.stock.values()):>
:call $f([('<:tea~milk:>', #int(1,9)), ('<:tea~eggs:>', #int(-5,9)), ('tea', #int(-4,3))])
---
:f dataclass_total sort_items summarize_orders cheapest_item
:let cls Item ~ Order ~ Product
@dataclass
class $cls:
    name: str
    price: int
    qty: int = 1

    def total(self):
        return self.price * self.qty

def $f($ps):
    $out = []
    for $key, $v in $ps:
        $out.append($cls(<:$key, $v~name=$key, price=$v~$key, $v, #int(2,4):>))
    return <:[p.total() for p in $out]~sorted((p.total(), p.name) for p in $out)~\
        sum(p.total() for p in $out)~$out[0] == $out[-1]~[p.name for p in $out if #cond(p.price)]:>
:call $f(#pairs(1,3))
---
:f matrix_ops add_matrix scale_matrix
class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, pos):
        i, j = pos
        return self.rows[i][j]

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

def $f($grid):
    $obj = Matrix($grid)
<:
    $obj2 = $obj + $obj
    return $obj2.rows
~
    $n, $m = $obj.shape
    return [$obj[i, <:0~$m - 1:>] for i in range($n)]
~
    return <:$obj.shape~$obj[0, 0] + $obj[-1, -1]:>
:>
:call $f(#matrix(1,2))
---
:f lru_order use_cache cached_lookup
class Cache:
    def __init__(self, size):
        self.size = size
        self.data = {}
        <:self.misses = 0~self.hits = 0
        self.misses = 0:>

    def get(self, key):
        if key in self.data:
            <:self.data[key] = self.data.pop(key)
            ~:>return self.data[key]
        self.misses += 1
        self.data[key] = #expr(key)
        if len(self.data) > self.size:
            self.data.pop(next(iter(self.data)))
        return self.data[key]

def $f($nums, $k=<:2~3:>):
    $obj = Cache($k)
    $out = [$obj.get($num) for $num in $nums]
    return <:$out~$obj.data~$obj.misses~list($obj.data):>
:call $f(#ints(1,5,1,4))
---
:f call_objects chain_methods build_query builder
class Builder:
    def __init__(self):
        self.parts = []

    def add(self, part):
        self.parts.append(part)
        return self

    def drop(self):
        if self.parts:
            self.parts.pop(<:~0:>)
        return self

    def build(self, sep=<:' '~','~'-':>):
        return sep.join(<:self.parts~sorted(self.parts)~str(p) for p in self.parts:>)

def $f($words):
    $obj = Builder()
    for $word in $words:
        $obj.add($word)<:~.drop()~.add(#word):>
    return <:$obj.build()~$obj.drop().build('/')~len($obj.parts), $obj.build():>
:call $f(#words(1,4))
---
:f temperature convert_all clamp_levels
class Level:
    def __init__(self, value):
        self._value = 0
        self.value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        <:self._value = max(0, min(new, #int(20,100)))~if new < 0:
            raise ValueError('negative')
        self._value = new:>

    @<:staticmethod
    def parse(text):
        return Level(int(text))~classmethod
    def parse(cls, text):
        return cls(int(text)):>

def $f($nums):
    $out = []
    for $num in $nums:
        try:
            $obj = Level.parse(str($num))
            $obj.value += #int(1,9)
            $out.append($obj.value)
        except ValueError<:~ as $err:>:
            $out.append(<:None~'bad'~0:>)
    return $out
:call $f(#ints(1,3,-10,90))
"""
