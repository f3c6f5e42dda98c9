"""Programs that go at one weak place of a recorder each: food for test_odd.py, which compares the two cores on them."""

from __future__ import annotations

VALUES = {
    "sets": """
class O:
    def __hash__(self): return 7
s = {(1, 2), (), (3,), frozenset({1}), frozenset(), 'a', b'b', None, True, 2, 2.5, -1, 10**30, -10**30, ...}
s.add(O()); s.add(len); s.discard('a')
a, b = O(), O()
t = {a, b, (a, b), frozenset({a, b})}
a.me = t
t.remove(b)
u = {float('nan'), float('inf'), -0.0, 1e300}
u.clear()
u |= {1, 2, 3}; u ^= {2, 9}
v = frozenset({frozenset({frozenset()}), frozenset({1})})
""",
    "dicts": """
def walk(d):
    try:
        for k in d:
            d[k * 2] = 0
    except RuntimeError as e:
        pass
    for k in list(d):
        del d[k]
        d[k] = k
    d.update(a=1, b=[d])
    d.pop('a'); d['a'] = 2
    d |= {'c': d['b']}
    d.setdefault('q', []).append(d)
    d[(1, 'x')] = d[None] = d[1.5] = 0
    d.popitem()
    d.clear()
    d[0] = d
    return d
walk({'k': 1, 'l': 2})
e = dict.fromkeys(range(20)); e.pop(3); e[3] = 'again'
del e[0], e[19]
e[0] = e
""",
    "attributes": """
class P:
    def __init__(self, *names):
        for n in names: setattr(self, n, len(n))
class Q(P): pass
a, b = P('x', 'y'), P('y', 'x')
del a.x; a.x = 5
b.z = a; a.z = b
a.__class__ = Q
a.__dict__['x y'] = 1; a.__dict__[3] = 4; a.__dict__['__hidden__'] = 5
a.__dict__ = {'new': 1}
a.__dict__.clear()
vars(b).update(q=1, r=b)
del b.__dict__
b.s = 1
c = P(); c.list = [c]; c.list.append(c.list)
del c.list
""",
    "slots": """
class A:
    __slots__ = ('a', 'b')
class B(A):
    __slots__ = ('c', '__dict__')
class C(A): pass
x, y, z = A(), B(), C()
x.a = [x]; x.b = 1; del x.a
y.c = 1; y.other = 2; y.a = y; del y.c
z.b = 1; z.free = z
del z.free
x.a = (y, z)
z = A(); z = A(); z = A()
""",
    "slots_borrowed": """
class A:
    __slots__ = ('a', 'b', 'c', 'd', 'e', 'f', 'g')
class B:
    __slots__ = ('z',)
B.q = A.__dict__['g']
B.start = slice.start
B.y = B.__dict__['z']
b = B()
b.z = 1
""",
    "subclasses": """
import collections, enum
class L(list): pass
class D(dict): pass
class S(set): pass
class T(tuple): __slots__ = ()
class I(int): pass
class F(float): pass
class U(str): pass
class Y(bytes): pass
class BA(bytearray): pass
class Q(collections.deque): pass
class E(enum.Enum): A = 1; B = 'b'
class G(enum.Flag): X = 1; Y = 2
l, d, s, t, i, f, u, y, ba, q = L([1]), D(a=1), S([1]), T((1, [])), I(7), F(1.5), U('u'), Y(b'y'), BA(b'ba'), Q([1], 2)
l.f = l; l.append(l); d['d'] = d; d.f = 1; s.f = s; i.f = 1; u.f = u; ba.f = 2; q.f = 3
ba += b'more'; q.append(2); q.append(q); s.add(2); l.sort(key=str); del l.f
e = [E.A, E.B, G.X | G.Y, G(0)]
c = collections.Counter('abca'); c['z'] += 1
dd = collections.defaultdict(list); dd['a'].append(dd)
n = collections.namedtuple('N', 'a b')(1, [2])
n.b.append(n)
cm = collections.ChainMap({}, {'a': 1}); cm['b'] = 2
""",
    "deques": """
from collections import deque
d = deque([1, 2, 3], maxlen=3)
d.append(4); d.rotate(1); d.rotate(-2)
d.appendleft([d]); d.extend('ab')
e = deque(); e.append(e); e.clear()
e.extend(range(200)); e.rotate(77)
del e[3]; e.insert(3, 'x'); e.reverse(); e.remove('x')
e = deque(maxlen=0); e.append(1)
""",
    "ordered": """
from collections import OrderedDict
o = OrderedDict(a=1, b=2, c=3)
o.move_to_end('a'); o.move_to_end('c', last=False)
o['a'] = [o]; del o['b']; o['b'] = 0
class K: pass
p = OrderedDict({K(): 1, 'x': 2}); p.move_to_end('x', last=False)
o.popitem(last=False)
o.clear(); o['z'] = o
class OD(OrderedDict): pass
q = OD(a=1, b=2); q.move_to_end('a'); q.f = 1
r = OrderedDict(a=1, b=2)
dict.__setitem__(r, 'raw', 1)
dict.__delitem__(r, 'a')
""",
    "bytearrays": """
b = bytearray(b'abc')
b += bytes(range(256)); b[0] = 0; del b[1:200]; b.reverse()
b[:] = b''; b.extend(b'12345678'); b[7] = 57
b.pop(0); b.insert(0, 49); c = b; c.append(1)
n = [b, b, (b,)]; b.clear()
m = memoryview(b'x'); v = [m, b]
""",
    "cycles": """
from collections import deque
class O: pass
class X(Exception): pass
a = []; a.append(a); a.append((a,)); b = {}; b['b'] = b; b[1] = a; a.append(b)
o = O(); o.o = o; o.l = [o]; o.d = {1: o}; o.t = (o, o.l); o.s = {o}; o.q = deque([o]); o.f = frozenset([o, (o,)])
x = X(o); x.args = (x, o); x.x = [x]; x.__cause__ = x
t = ([],); t[0].append(t); t[0].append(t[0])
u = ({},); u[0]['t'] = u
s = slice(a, o, s) if 's' in dir() else slice(a, o, None)
r = [slice([], [1], {2}), range(3), range(0, 10**40, 7), range(5, -5, -1)]
w = [r, r]; w.append(w[0][0])
del o.o; o.l.clear(); a.clear(); a += [b, b]
""",
    "opaque_names": """
def f(): pass
class C: pass
import types
m = types.ModuleType('m')
for i in range(3):
    f.__name__ = 'a%d' % i; f.__name__ = 'b%d' % i
    C.__name__ = 'c%d' % i; C.__name__ = 'd%d' % i
    m.__name__ = 'e%d' % i; m.__name__ = 'f%d' % i
    g = [f, C, m]
    f.__name__ = 'odd name %d' % i
    C.__name__ = '<i%d>' % i
""",
    "field_names": """
class O: pass
def turn(o, i):
    delattr(o, 'k%d' % i)
    setattr(o, 'k%d' % (i + 1), 7)
o = O()
for j in range(60): setattr(o, 'j%d' % j, 0)
o.k0 = 7
for i in range(50): delattr(o, 'k%d' % i); setattr(o, 'k%d' % (i + 1), 7)
d = o.__dict__
for i in range(50): d.pop('k%d' % (i + 50)); d['k%d' % (i + 51)] = 7
for i in range(100, 150):
    turn(o, i)
""",
}

LISTS = {
    "splices": """
def f():
    a = [1, 2, 3]
    b = a; c = [a, b]
    a.insert(0, 0); a.insert(2, 'two'); a.append(4); a[0] = 9; a[-1] = 8
    del a[1:3]; del a[0]; del a[-1]
    a.reverse(); a.extend([5, 3, 1]); a.sort()
    a[:] = a; a[:] = [1]; a[:] = []; a += [1, 2]; a[1:1] = [7, 7, 7]; a *= 2; a[::2] = [0] * len(a[::2])
    a.clear(); a.append(1)
    a = [1]; a = [1]; a = list(a)
    a.append(2**70); a.append(-2**70); a.append(-5); a.append(True); a.append("it's")
    a.append('"\\n\\u2028é\\U0001f600')
    a.pop(0); a.pop(); a.pop(3); a[0] = a[0] + 1; a[0] = -1; a[1] = 1.0; a[1] = -0.0; a[1] = 0.0
    a.append([]); a.pop(); a.append(None); a[0:0] = range(70); a[10:20] = []; a[5:5] = ['x'] * 65
    del a[:-1]; del a[0]
    a.extend(range(100)); a[0] = 'f'; a[99] = 'l'; a[50:60] = [1]; a.remove('l'); a.insert(0, 'f'); a.pop(0)
    return a, b, c
f()
l = list(range(300))
for i in range(40): l.insert(i * 7 % 300, -i)
for i in range(40): del l[i * 5 % 200]
for i in range(30): l[i] = l[i + 1]
x = y = z = l
x.append('z'); y = y + []; z.pop()
""",
    "over_and_under": """
def f():
    a = []
    for i in range(40):
        a.append(i * 1000)
    for i in range(40):
        a.pop()
    s = ''
    for i in range(70):
        s += 'x'
    s = s[:10]; s = '\\n' * 59; s = '\\t' * 59; s = 'q'
    n = 1 << 300; n += 1; n = -n; n = 5; n = 1 << 301; n <<= 1
    t = 1 << 5000; t += 1
    r = range(10**70); r = range(10**70 + 1)
    b = b'\\0' * 50; b = b'\\1' * 50; b = b''
f()
""",
    "nested_over": """
def f():
    inner, tail = list(range(100)), bytearray(b'x' * 100)
    outer, other = [[1], inner], {'k': tail}
    inner.clear()
    del tail[:]
    d, s = {i: i for i in range(100)}, set(range(100))
    box = [d]; bag = (s,)
    d.clear()
    s.clear()
    class L(list): pass
    l = L(range(100)); hold = [l]
    l.clear()
    l.f = 1
    from collections import deque
    q = deque(range(100)); held = [0, q]
    q.clear()
    text = ['y' * 100]
    text[0] = 'y'
    m = [1, list(range(100)), 2]
    m[1] = 0
f()
""",
}

FRAMES = {
    "generators": """
def g(n):
    x = []
    try:
        while n:
            x.append(n)
            got = yield x
            if got: x = [got]
            n -= 1
    except ValueError as e:
        yield 'caught'
    finally:
        x = None
    return 'end'
def d(n):
    r = yield from g(n)
    return r
a = g(3); next(a); a.send(5); a.throw(ValueError('v'))
try: next(a)
except StopIteration as e: v = e.value
b = g(2); next(b); b.close(); b.close()
c = g(2); next(c); del c
h = d(2); next(h); h.throw(ValueError); 
try: next(h)
except StopIteration: pass
i = d(3); next(i); i = None
j = g(1); j.close()
k = g(1)
try: k.throw(KeyError('k'))
except KeyError: pass
l = [next(g(1)) for _ in range(5)]
z = list(zip(g(2), g(3)))
m = (lambda: (yield 1))(); next(m)
n = [g(2) for _ in range(3)]
for q in n: next(q)
n.pop(); n = [next(q) for q in n]
""",
    "coroutines": """
import asyncio
class Manager:
    async def __aenter__(self): return self
    async def __aexit__(self, *a): return True
class Step:
    def __await__(self):
        got = yield 'step'
        return got
async def agen(n):
    try:
        for i in range(n):
            yield i
    finally:
        n = None
async def main():
    out = []
    async with Manager() as m:
        async for v in agen(3):
            out.append(v)
            if v == 1: break
        raise KeyError
    out += [i async for i in agen(2)]
    return out
async def hand():
    return await Step()
c = hand(); c.send(None)
try: c.send(4)
except StopIteration as e: r = e.value
d = hand(); d.send(None); d.close()
e = hand(); e.close()
x = asyncio.run(main())
""",
    "finalisers": """
class D:
    def __init__(self, n): self.n = n
    def __del__(self):
        log.append(self.n)
        if self.n == 2: raise ValueError('in del')
log = []
def f():
    a = D(1)
    a = D(2)
    b = [D(3)]; b[0] = None
    c = D(4); c.c = c
f()
import gc; gc.collect()
x = D(5); x = 0
d = {}; d['x'] = D(6); d.clear()
""",
    "closures": """
def counter():
    n = 0
    seen = []
    def up(by=1, log=seen):
        nonlocal n
        n += by
        log.append(n)
        return n
    def drop():
        nonlocal n
        del n
    def both(): return up(), n
    return up, drop, both
up, drop, both = counter()
up(); both(); drop()
try: up()
except NameError as e: pass
fs = [lambda i=i: i for i in range(3)] + [lambda: i for i in range(3)]
[f() for f in fs]
def default(x, acc=[]):
    acc.append(x)
    return acc
default(1); default(2); default(3, [])
def rec(n, shared):
    shared.append(n)
    if n: rec(n - 1, shared)
    shared.pop()
rec(3, [])
def outer(cell):
    def inner(): return cell
    cell = [cell]
    return inner
outer(1)()
""",
    "globals_change": """
count = 0
def up():
    global count, fresh
    count += 1
    fresh = [count]
    helper()
    del fresh
    globals()['late'] = count
    return len([late])
def helper():
    fresh.append(count)
    return print
up()
del count
count = 5
up()
globals().update(count=7, late=None)
up()
exec('count = 8; extra = 1')
del late
up()
len = lambda x: 3
up()
del len
up()
""",
    "two_namespaces": """
import types
word = 'main'
bag = []
def step():
    global bag
    bag = bag + [word]
    yield word
    bag = bag + ['again']
    yield len(bag)
other = {'word': 'other', 'bag': [0], '__builtins__': __builtins__}
twin = types.FunctionType(step.__code__, other)
a, b = step(), twin()
next(a); next(b)
next(a); next(b)
def down(n):
    global seen
    seen = n
    if n:
        (down if n % 2 else low)(n - 1)
    seen = -n
low = types.FunctionType(down.__code__, dict(globals(), seen='low'))
low.__globals__.update(down=down, low=low)
down(4)
c, d = step(), twin()
for i in range(2):
    next(d); next(c)
    other['word'] = i
list(a), list(b), list(c), list(d)
""",
    "namespaces": """
class Odd(dict):
    def __getitem__(self, k):
        if k == 'ghost': return 'boo'
        return dict.__getitem__(self, k)
    def __setitem__(self, k, v): dict.__setitem__(self, k, v)
class Meta(type):
    @classmethod
    def __prepare__(m, name, bases): return Odd(pre=1)
    def __new__(m, name, bases, ns): return super().__new__(m, name, bases, dict(ns))
class A(metaclass=Meta):
    x = ghost
    y = [x]
    del pre
    def f(self): return __class__
    z = [i for i in y]
import collections
class Meta2(type):
    @classmethod
    def __prepare__(m, name, bases): return collections.ChainMap()
    def __new__(m, name, bases, ns): return super().__new__(m, name, bases, dict(ns))
class B(metaclass=Meta2):
    x = 1
    y = 2
from math import *
from collections import *
total = [y for x in range(3) if (y := x * x)]
pairs = {a: b for a, b in zip('ab', 'cd')}
nested = [[j for j in range(i)] for i in range(3)]
gen = list(i for i in nested if (last := i))
a = b = [1]
del a; a = b
a, b = b, a
b = [1]
one = two = 3
del one; one = 3
del one, two
locals()['made'] = [1]
exec('inside = made', globals())
exec(compile('p = 1\\nq = [p]\\n', __file__, 'exec'), {}, {})
exec(compile('p = 1\\nq = [p]\\n', __file__, 'exec'), {'p': 2})
eval(compile('[made, 1]', __file__, 'eval'))
""",
    "statements": """
from contextlib import suppress, contextmanager
def match(v):
    match v:
        case [1, *rest] if rest: return rest
        case {'k': x, **more}: return x, more
        case (int() | str()) as s: return s
        case _: return None
for v in ([1, 2], {'k': 1, 'z': 2}, 5, 'a', None, [1]): match(v)
def override():
    try:
        return 1
    finally:
        return 2
def swallow():
    for i in range(3):
        try: 1 / (i - 1)
        except ZeroDivisionError: continue
        finally:
            if i == 2: break
    with suppress(KeyError):
        x = {}['k']
    return i
@contextmanager
def ctx(n):
    try: yield [n]
    except ValueError: pass
def use():
    with ctx(1) as a, ctx(2) as b:
        raise ValueError(a, b)
    try:
        try: 1 / 0
        except ZeroDivisionError as e: raise KeyError('k') from e
    except KeyError as f: kept = f
    try:
        try: raise OSError(2, 'no')
        finally: del kept
    except OSError as e: pass
    try: raise ExceptionGroup('g', [ValueError(1), KeyError(2)])
    except* ValueError as eg: v = eg
    except* KeyError as eg: w = eg
    while True:
        if (n := len('abc')) > 2: break
    else: n = 0
    assert n == 3, 'no'
    x, *y, z = range(5); (p, q), r = [1, 2], 3
    return f'{x!r:>4}{y}'
override(); swallow(); use()
try: assert False, [1]
except AssertionError as e: pass
""",
    "one_line": """
for i in range(3): x = i; y = [x] * i
while x: x -= 1
z = [i for i in range(3)]; w = {i: {j for j in range(i)} for i in range(3)}
f = lambda n: n and f(n - 1); f(3)
def g(n): return n if n < 2 else g(n - 1) + g(n - 2)
g(4)
class C: a = 1; b = [a]; c = [i for i in b]
class M:
    a = [
        i
        for i in range(2)
    ]
def h(v):
    return [
        (i, k)
        for i in v
        for k in [
            i * 2
        ]
        if k
    ]
h([1, 2])
m = [
    n
    for n in h([3])
]
if True: a = 1
else: a = 2
try: 1/0
except: a = 3
""",
    "deep": """
def late():
    global mark
    mark = [mark]
    return mark
mark = 0
def down(n):
    try:
        return down(n + 1)
    except RecursionError:
        return late()
import sys
sys.setrecursionlimit(120)
down(0)
""",
    "many_locals": "def f():\n"
    + "".join(f"    v{i} = {'[' + str(i) + ']' if i % 50 == 0 else i}\n" for i in range(600))
    + "    w = v0\n    v0.append(1)\n    del v0, v599\nf()\n"
    + "".join(f"g{i} = [{i}]\n" for i in range(120))
    + "h = g0\n",
    "text_subclass": """
import sys
class T(str):
    def __getitem__(self, i): raise RuntimeError('asked')
    def __str__(self): return 'other'
sys.stdout.write(T('hello\\n'))
print(T('x'))
""",
    "names_hostile": """
class E(str):
    def __hash__(self):
        print('hashed')
        return str.__hash__(self)
    def __eq__(self, other):
        print('compared')
        return str.__eq__(self, other)
c = compile('a = 1', E('elsewhere'), 'exec')
exec(c)
def f(): return 1
f.__code__ = f.__code__.replace(co_filename=E('x'))
f()
""",
    "long_detail": "raise ValueError('a' + 'é' * 5000)\n",
    "own_settrace": """
import sys
def t(frame, event, arg):
    seen.append(event)
    return t
seen = []
def f(x):
    y = x
    return y
f(1)
""",
    "signals": """
import signal, os
hits = []
def handler(n, frame):
    hits.append(n)
signal.signal(signal.SIGUSR1, handler)
def f():
    os.kill(os.getpid(), signal.SIGUSR1)
    x = len(hits)
    return x
f(); f()
""",
    "fork": """
import os
def child(): x = [1]; os._exit(3)
def f():
    pid = os.fork()
    if pid == 0: child()
    done = os.waitpid(pid, 0)[1] >> 8
    return done
f()
""",
    "threads": """
import _thread
def gen():
    x = yield 1
    y = yield x
    yield y
def work(out):
    out.append(1)
    g = gen(); next(g)
    out.append(g)
def run(act, *args):
    lock = _thread.allocate_lock()
    lock.acquire()
    def body():
        act(*args)
        lock.release()
    _thread.start_new_thread(body, ()); lock.acquire()  # one line: no step sees the thread half done
out = []
for i in range(3):
    run(work, out)
    out[-1].send(i); out[-1].send(2)
g = gen(); next(g)
run(g.send, 3)
g.send(4)
""",
    "loop": """
def f(n):
    a, t = [0] * 10, 0
    for i in range(n):
        a[i % 10] = i
        t += i
    return t
f(1500)
""",
}  # fmt: skip


def _spread(source: str) -> str:
    """One simple statement a line, so that each is an event of its own."""
    lines = []
    for line in source.splitlines():
        start = line[: len(line) - len(line.lstrip())]
        simple = ": " not in line.split("=")[0] or "lambda" in line
        lines += [start + part.strip() for part in line.split("; ")] if simple else [line]
    return "\n".join(lines) + "\n"


LINED = {f"{name}_lined": _spread(text) for name, text in {**VALUES, **LISTS}.items()}
PROGRAMS = {**VALUES, **LISTS, **LINED, **FRAMES}
