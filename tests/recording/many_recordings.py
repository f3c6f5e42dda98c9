"""Recordings one after another in one process. Executed by test_detach.py, on each interpreter with each core.

Arguments: the folder of the package `guests`, the native core or `-`, the folder for the wires, a scenario of this
file. Prints what the scenario returns as JSON.
"""

import ast
import gc
import importlib.machinery
import importlib.util
import json
import os
import sys
import types
import weakref

GUESTS, NATIVE, FOLDER, SCENARIO = sys.argv[1:]
sys.path.insert(0, GUESTS)
from guests.python import global_names  # noqa: E402

SMALLEST = 64 + 3 * 4096
LIMITS = {"steps": 100_000, "value_bytes": 4096, "value_depth": 20}
FILE = "/project/own.py"
SOURCE = """
import sys
total, words = 0, ['a']

class Point:
    def __init__(self, x):
        self.x = x

def numbers(n):
    try:
        for i in range(n):
            yield i
    finally:
        words.append('closed')

def fail(n):
    if n % 3 == 0:
        raise ValueError(n)
    return n

def work(n, say):
    global total
    points, text = [], ''
    both = points
    for i in numbers(n):
        points.append(Point(i))
        text += str(i)
        total += i
        squares = [p.x * p.x for p in both]
        try:
            fail(i)
        except ValueError as error:
            say(str(error))
    del both
    return len(text), squares[-1]
"""


def load_core():
    if NATIVE == "-":
        from guests import recorder

        return recorder
    loader = importlib.machinery.ExtensionFileLoader("_recorder", NATIVE)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("_recorder", NATIVE, loader=loader))
    loader.exec_module(module)
    return module


CORE = load_core()


def project(source=SOURCE, file=FILE):
    namespace = {"__name__": "own"}
    exec(compile(source, file, "exec"), namespace)
    return namespace


def recorder(name, *, size=1 << 20, files=None, **limits):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.truncate(size)
    fd = os.open(path, os.O_RDWR)
    rec = CORE.Recorder(fd, files or {FILE: "own.py"}, {**LIMITS, **limits}, global_names, detach=True)
    os.close(fd)
    return rec


def is_off():
    """Tell whether nobody receives events any more."""
    tool = sys.monitoring.get_tool(4) if hasattr(sys, "monitoring") else None
    frame, local = sys._getframe(), False
    while frame is not None:
        frame, local = frame.f_back, local or frame.f_trace is not None
    return sys.gettrace() is None and tool is None and not local


def touch(rec, note="late"):
    """Call everything that must be harmless after a detach."""
    rec.output("text")
    rec.input("line")
    rec.input("line")
    rec.draw("clock", "1")
    rec.note(note)
    rec.meta("key", "value")
    rec.exit(3)
    return rec.render([1, {"a": Exception}]), isinstance(rec.at(), int)


def run(rec, n=9):
    own = project()

    def say(text):
        rec.output(text)
        rec.input(text * 2)
        rec.draw("clock", text)

    rec.start()
    result = own["work"](n, say)
    off = is_off()
    fine = rec.stop()
    rec.end("returned", "")
    return result, own["total"], own["words"], off, fine


def limits():
    """Reach the limit of steps, and of bytes, at every place."""
    seen = [run(recorder(f"steps-{n}", steps=n)) for n in range(1, 330, 5)]
    seen += [run(recorder(f"bytes-{n}", size=SMALLEST + n)) for n in range(0, 12_000, 217)]
    whole = run(recorder("whole"))
    assert [row[:3] for row in seen] == [whole[:3]] * len(seen)
    return {"off": [row[3] for row in seen].count(True), "fine": all(row[4] for row in seen), "all": len(seen)}


def after():
    """Everything is harmless after a detach, before and after `stop` and `end`, and within the program."""
    own, results = project(), []
    rec = recorder("after", steps=40)
    rec.start()
    own["work"](9, lambda text: results.append(touch(rec, "within")))
    results.append(touch(rec))
    fine = rec.stop(), rec.stop()
    results.append(touch(rec))
    rec.end("returned", "")
    rec.end("returned", "again")
    results.append(touch(rec))
    rec.start()
    own["work"](9, lambda text: results.append(touch(rec)))
    early = recorder("early", size=SMALLEST)
    for _ in range(200):
        early.note("much")
    early.start()
    own["work"](3, str)
    return {"fine": [*fine, early.stop()], "off": is_off(), "results": sorted(set(map(repr, results)))}


def generators():
    """A generator that is suspended in one recording and resumed in the next counts as a new call there."""
    own = project()
    waiting = own["numbers"](5)
    own["next"] = next
    own["step"] = eval(compile("lambda g: next(g)", FILE, "eval"), own)
    values, fine = [], []
    for n in range(4):
        rec = recorder(f"generator-{n}")
        rec.start()
        values.append(own["step"](waiting))
        values.append(own["step"](waiting) if n == 0 else None)
        fine.append(rec.stop())
        rec.end("returned", "")
    return {"values": values, "fine": fine}


def open_frames():
    """Frames that run before the start are ignored; those that run at the stop are not an offence."""
    source = """
def deep(start):
    before = 1
    start()
    after = 2
    return helper(after)

def helper(n):
    return n + 1

def outer(start):
    x = deep(start)
    for i in range(3): x += i
    try:
        raise ValueError(x)
    except ValueError:
        x = helper(x)
    return x

def stopping(stop):
    y = 1
    stop()
    y = 2
    return y
"""
    own = project(source)
    rec = recorder("open-start")
    value = own["outer"](rec.start)
    fine = [rec.stop()]
    rec.end("returned", "")
    rec = recorder("open-stop")
    rec.start()
    own["stopping"](lambda: fine.append(rec.stop()))
    rec.end("returned", "")
    rec = recorder("taken")
    rec.start()
    own["stopping"](lambda: sys.settrace(None) or sys._getframe(1).__setattr__("f_trace", None))
    fine.append(rec.stop())
    rec.end("returned", "")
    return {"value": value, "fine": fine}


def names():
    """Names that no source can spell are not recorded."""
    source = "shown = 1\nhidden = 2\ndef f(a):\n    hidden = a\n    def g():\n        return hidden\n"
    source += "    g()\n    hidden += shown\n    return hidden + also\n"
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ("hidden", "also"):
            node.id = "@" + node.id
    own = {"__name__": "own", "@also": 1}
    rec = recorder("names")
    rec.start()
    exec(compile(tree, FILE, "exec"), own)
    own["f"](1)
    own["@also"] = 5
    fine = rec.stop()
    rec.end("returned", "")
    return {"fine": fine}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def many():
    """2,000 recordings, some with a limit, take no more memory than a few hundred."""
    own = project()
    waiting, sizes, fine = [], [], 0
    for n in range(2000):
        if n in (500, 1000, 1999):
            gc.collect()
            sizes.append(resident())
        own[f"fresh_{n % 7}"] = project(SOURCE, FILE if n % 5 else f"/project/other{n}.py")["work"]
        rec = recorder("many", size=1 << 16, steps=30 if n % 4 == 0 else 1000)
        rec.start()
        own["work"](2 + n % 3, rec.output)
        own[f"fresh_{n % 7}"](2, rec.output)
        waiting.append(own["numbers"](3))
        for generator in waiting[-5:]:
            next(generator, None)
        del waiting[:-5]
        own["words"].clear()
        fine += rec.stop()
        rec.end("returned", "")
    with open("/proc/self/maps") as file:
        mapped = sum("many" in line for line in file)
    free = os.dup(0)  # as low as it was before, if no file was left open
    return {"growth": max(sizes) - sizes[0], "fine": fine, "maps": mapped, "free": free}


class Mark:
    """Something that can be waited for to be gone."""


def released():
    """Code, module globals, classes and values are gone after `stop`, also after a limit."""
    gone = []
    for steps in (1000, 30):
        own = project()
        own["mark"] = Mark()
        held = [own["mark"], own["Point"], own["work"].__code__, own["work"]]
        exec(compile("def look():\n    return mark, words", FILE, "exec"), own)
        rec = recorder("released", steps=steps)
        rec.start()
        own["look"]()
        own["work"](4, str)
        point = own["Point"](1)
        leftover = own["numbers"](2)
        next(leftover)
        weak = [weakref.ref(thing) for thing in held]
        rec.stop()
        del own, held, point, leftover
        gc.collect()
        gone.append([ref() is None for ref in weak])
        rec.end("returned", "")
    return {"gone": gone}


def forked():
    """A forked child leaves the trace to its parent, and can make its own."""
    own = project()
    rec = recorder("parent")
    rec.start()
    own["work"](2, str)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            own["work"](3, str)
            status = 2 + 4 * (not rec.stop())
            rec.end("returned", "of the child")
            status += 1 - (run(recorder("child"))[4] and is_off())
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    own["work"](2, str)
    fine = rec.stop()
    rec.end("returned", "")
    return {"status": status, "fine": fine}


def files():
    """A file that was another's in one recording can be the program's own in the next."""
    other = project(SOURCE, "/project/other.py")
    fine = []
    for name, file in (("first", FILE), ("second", "/project/other.py"), ("third", "/project/other.py")):
        rec = recorder(f"files-{name}", files={file: "own.py"})
        rec.start()
        other["work"](2, str)
        fine.append(rec.stop())
        rec.end("returned", "")
    return {"fine": fine}


def twice():
    """Two at a time are refused, and the first goes on."""
    rec = recorder("first")
    rec.start()
    refused = False
    try:
        recorder("second")
    except RuntimeError:
        refused = True
    project()["fail"](1)
    fine = rec.stop()
    rec.end("returned", "")
    return {"refused": refused, "fine": fine}


if isinstance(globals().get(SCENARIO), types.FunctionType):
    print(json.dumps(globals()[SCENARIO]()))
