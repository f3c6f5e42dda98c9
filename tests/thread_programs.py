"""Programs with threads, each for one way in which threads wait for each other or get in each other's way."""

from __future__ import annotations

COUNTER = """\
import threading
box = {'n': 0}
def work(k):
    for _ in range(k):
        v = box['n']
        v += 1
        box['n'] = v
ts = [threading.Thread(target=work, args=(6,)) for _ in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(box['n'])
"""
PROGRAMS: dict[str, str] = {
    "counter": COUNTER,
    "lock": """\
import threading
lock, n = threading.Lock(), 0
def work():
    global n
    for _ in range(4):
        with lock:
            v = n
            v += 1
            n = v
ts = [threading.Thread(target=work) for _ in range(3)]
for t in ts: t.start()
for t in ts: t.join()
assert n == 12
print(n, lock.locked(), lock.acquire(False), lock.acquire(timeout=0.5))
""",
    "rlock": """\
import threading
lock, seen = threading.RLock(), []
def deep(name, k):
    with lock:
        seen.append((name, k))
        if k:
            deep(name, k - 1)
ts = [threading.Thread(target=deep, args=(c, 3)) for c in 'ab']
for t in ts: t.start()
deep('m', 2)
for t in ts: t.join()
names = [name for name, _ in seen]
print(sorted(seen), [names.count(c) for c in 'abm'])
""",
    "condition": """\
import threading
cond, items, got = threading.Condition(), [], []
def produce():
    for k in range(4):
        with cond:
            items.append(k)
            cond.notify()
def consume():
    while len(got) < 4:
        with cond:
            while not items and len(got) < 4:
                if not cond.wait(timeout=1.0):
                    break
            if items:
                got.append(items.pop(0))
ts = [threading.Thread(target=consume), threading.Thread(target=consume), threading.Thread(target=produce)]
for t in ts: t.start()
for t in ts: t.join()
print(sorted(got))
""",
    "queue": """\
import queue, threading
q, results = queue.Queue(maxsize=2), []
def work():
    while True:
        item = q.get()
        if item is None:
            return
        results.append(item * item)
        q.task_done()
ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts: t.start()
for k in range(6):
    q.put(k)
q.join()
for _ in ts: q.put(None)
for t in ts: t.join()
try:
    q.get(timeout=2)
except queue.Empty:
    results.append('empty')
print(sorted(map(str, results)))
""",
    "simple queue": """\
import queue, threading
q = queue.SimpleQueue()
def work(k):
    q.put(k)
    q.put(-k)
ts = [threading.Thread(target=work, args=(k,)) for k in (1, 2)]
for t in ts: t.start()
got = [q.get() for _ in range(4)]
try:
    q.get(timeout=0.25)
except queue.Empty:
    got.append(0)
for t in ts: t.join()
print(sorted(got))
""",
    "barrier": """\
import threading
barrier, log = threading.Barrier(3), []
def work(name):
    log.append(('before', name))
    barrier.wait()
    log.append(('after', name))
ts = [threading.Thread(target=work, args=(k,)) for k in range(3)]
for t in ts: t.start()
for t in ts: t.join()
words = [word for word, _ in log]
print(words == ['before'] * 3 + ['after'] * 3, [k for _, k in log])
""",
    "semaphore": """\
import threading
room, inside, most = threading.Semaphore(2), 0, 0
def work():
    global inside, most
    with room:
        inside += 1
        most = max(most, inside)
        x = inside
        inside -= 1
ts = [threading.Thread(target=work) for _ in range(4)]
for t in ts: t.start()
for t in ts: t.join()
print(most <= 2, inside)
""",
    "event": """\
import threading
ready, log = threading.Event(), []
def work():
    log.append(ready.wait(timeout=0.5))
    ready.wait()
    log.append('go')
t = threading.Thread(target=work)
t.start()
t.join(timeout=1)
log.append(t.is_alive())
ready.set()
t.join()
log.append(t.is_alive())
print(log)
""",
    "timer": """\
import threading, time
log = []
t = threading.Timer(3600, log.append, args=('late',))
u = threading.Timer(1800, log.append, args=('soon',))
v = threading.Timer(10, log.append, args=('never',))
v.cancel()
t.start(); u.start(); v.start()
time.sleep(60)
log.append('main')
t.join(); u.join()
print(log)
""",
    "sleeping": """\
import threading, time
log = []
def work(name, seconds):
    for k in range(3):
        time.sleep(seconds)
        log.append(name + str(k))
ts = [threading.Thread(target=work, args=a) for a in (('a', 3), ('b', 5), ('c', 7))]
for t in ts: t.start()
for t in ts: t.join()
print(log)
""",
    "pool": """\
from concurrent.futures import ThreadPoolExecutor
def work(n):
    if n == 3:
        raise ValueError(n)
    return n * n
with ThreadPoolExecutor(max_workers=2) as pool:
    futures = [pool.submit(work, n) for n in range(5)]
    done = [f.exception(timeout=5) is None and f.result() for f in futures]
    more = list(pool.map(work, [5, 6]))
print(done, more)
""",
    "local": """\
import threading
local, seen = threading.local(), []
class Noisy:
    def __init__(self, name): self.name = name
    def __del__(self): seen.append('-' + self.name)
def work(name):
    local.x = Noisy(name)
    for _ in range(2):
        seen.append(local.x.name)
ts = [threading.Thread(target=work, args=(c,)) for c in 'ab']
for t in ts: t.start()
for t in ts: t.join()
print(sorted(seen), hasattr(local, 'x'))
""",
    "daemon": """\
import threading
ticks = []
def work():
    while True:
        ticks.append(len(ticks))
t = threading.Thread(target=work, daemon=True)
t.start()
for k in range(20):
    x = k * k
print(x, t.daemon, t.is_alive())
""",
    "exception": """\
import threading
def work(k):
    try:
        return 1 // k
    except ZeroDivisionError as error:
        kept = error
        raise KeyError(k) from None
ts = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
for t in ts: t.start()
for t in ts: t.join()
threading.excepthook = lambda args: print('caught', args.exc_type.__name__)
t = threading.Thread(target=work, args=(0,))
t.start()
t.join()
""",
    "generator": """\
import threading
def count():
    k = 0
    while k < 6:
        got = yield k
        k += 1
g, lock, seen = count(), threading.Lock(), []
def work(name):
    for _ in range(3):
        with lock:
            seen.append((name, next(g)))
ts = [threading.Thread(target=work, args=(c,)) for c in 'ab']
for t in ts: t.start()
for t in ts: t.join()
print([k for _, k in seen])
""",
    "exit": """\
import sys, threading
def work():
    x = 1
    sys.exit(3)
t = threading.Thread(target=work)
t.start()
t.join()
u = threading.Thread(target=lambda: [y for y in range(3)])
u.start()
sys.exit(4)
""",
    "raw": """\
import _thread
lock, out = _thread.allocate_lock(), []
def work(k):
    out.append(k)
    if len(out) == 2:
        lock.release()
lock.acquire()
for k in range(2):
    _thread.start_new_thread(work, (k,))
lock.acquire()
print(sorted(out))
""",
    "names": """\
import threading
seen = []
def work():
    me = threading.current_thread()
    seen.append((me.name, me.ident, threading.get_ident() == me.ident, threading.get_native_id()))
ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts: t.start()
for t in ts: t.join()
print(seen, threading.main_thread().ident, threading.current_thread(), ts)
""",
    "printing": """\
import threading
def work(name):
    for k in range(2):
        print(name, end=' ')
        print(k)
ts = [threading.Thread(target=work, args=(c,)) for c in 'ab']
for t in ts: t.start()
print('main')
for t in ts: t.join()
""",
    "random": """\
import random, threading
out = []
def work():
    for _ in range(3):
        out.append(random.randrange(6))
ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts: t.start()
for t in ts: t.join()
print(out)
""",
    "finaliser": """\
import threading
log = []
class Last:
    def __del__(self):
        t = threading.Thread(target=log.append, args=('from the end',))
        t.start()
        t.join()
def make():
    x = Last()
    y = 1
make()
print(log)
""",
    "not joined": """\
import threading
def work(k):
    total = 0
    for i in range(k):
        total += i
    print(total)
for k in (3, 4):
    threading.Thread(target=work, args=(k,)).start()
print('main is done')
""",
}  # fmt: skip
LOOPS: dict[str, str] = {
    "gather": """\
import asyncio, time
log = []
async def work(name, seconds):
    for k in range(2):
        await asyncio.sleep(seconds)
        log.append(name + str(k))
    return name
async def main():
    return await asyncio.gather(work('a', 300), work('b', 500), work('c', 0))
print(asyncio.run(main()), log)
""",
    "as_completed": """\
import asyncio
async def work(n):
    await asyncio.sleep(60 * n)
    return n
async def main():
    found = []
    for each in asyncio.as_completed([work(3), work(1), work(2), work(1)]):
        found.append(await each)
    done, pending = await asyncio.wait({asyncio.ensure_future(work(n)) for n in (5, 6, 7)}, timeout=330)
    for task in pending:
        task.cancel()
    return found, sorted(t.result() for t in done), len(pending)
print(asyncio.run(main()))
""",
    "timeouts": """\
import asyncio
async def slow():
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print('cancelled')
        raise
async def main():
    for seconds in (1, 7200):
        try:
            print(await asyncio.wait_for(slow(), timeout=seconds))
        except asyncio.TimeoutError:
            print('too late')
    try:
        async with asyncio.timeout(5):
            await asyncio.Event().wait()
    except TimeoutError:
        print('again')
asyncio.run(main())
""",
    "queues": """\
import asyncio, random
async def produce(q, name):
    for k in range(3):
        await asyncio.sleep(random.random())
        await q.put((name, k))
async def consume(q, out):
    while True:
        out.append(await q.get())
        q.task_done()
async def main():
    q, out = asyncio.Queue(maxsize=1), []
    eaters = [asyncio.create_task(consume(q, out)) for _ in range(2)]
    await asyncio.gather(*(produce(q, c) for c in 'ab'))
    await q.join()
    for each in eaters:
        each.cancel()
    return out
print(asyncio.run(main()))
""",
    "to_thread": """\
import asyncio, time
def block(n):
    time.sleep(n)
    return n * n
async def main():
    loop = asyncio.get_running_loop()
    both = await asyncio.gather(asyncio.to_thread(block, 30), asyncio.to_thread(block, 20), asyncio.sleep(25, 'slept'))
    more = await loop.run_in_executor(None, block, 2)
    return both, more
print(asyncio.run(main()))
""",
}  # fmt: skip
DEADLOCK = """\
import threading
a, b = threading.Lock(), threading.Lock()
ready = threading.Barrier(2)
def work(first, second):
    with first:
        ready.wait()
        with second:
            print('never')
t = threading.Thread(target=work, args=(a, b))
t.start()
work(b, a)
"""
