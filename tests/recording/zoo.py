"""Instances of the standard library's classes, and of subclasses of theirs: what a recorder may ever meet.

Text to be run inside a recorded program under another file's name, so that it leaves no steps but those of `look`. What
is shown depends on the interpreter alone: not on the clock, on chance, or on what a recorder has imported.
"""

import contextlib
import gc
import importlib
import types

MODULES = """
    abc array ast asyncio binascii bisect bz2 calendar cmath codecs collections collections.abc contextlib
    contextvars copy csv ctypes dataclasses datetime decimal difflib email.message enum fractions functools graphlib
    gzip hashlib heapq hmac html.parser inspect io ipaddress itertools json keyword linecache locale lzma math
    numbers operator pathlib pickle pprint queue random re reprlib select selectors shlex socket sqlite3 ssl
    statistics string struct symtable textwrap threading time tokenize traceback types typing unicodedata uuid
    weakref xml.etree.ElementTree zipfile zlib zoneinfo _asyncio _bisect _bz2 _codecs _collections _contextvars _csv
    _ctypes _datetime _decimal _functools _hashlib _heapq _io _json _lzma _operator _pickle _queue _random _socket
    _sqlite3 _ssl _struct _thread _tokenize _typing _uuid _weakref _zoneinfo
""".split()  # noqa: SIM905
UNWANTED = ("Thread", "Timer", "EventLoop", "Executor", "ChildWatcher", "FileIO", "Runner")  # they start, wait or open
ATTEMPTS = (
    (), (1,), ("a",), (b"a",), ([1, 2],), ({"a": 1},), (len,), ([], 1), ("a", 1), (1, 2, 3), ("a", (), {}), ("a", "b"),
    (len, [1]), ({}.get,), ("i", [1, 2]), ("a", [ValueError(1)]), (None, 1), (types.SimpleNamespace,),
    (bytearray(b"a"),),
)  # fmt: skip
BODIES = (
    {},
    {"__slots__": ()},
    {"__slots__": ("a",)},
    {"__slots__": ("a", "b", "__weakref__")},
    {"__slots__": ("__dict__",)},
)


def classes():
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()  # some modules replace their classes by others
    tops = {name.split(".")[0] for name in MODULES} | {"builtins"}
    found, waiting = {}, [object]
    while waiting:
        for cls in type.__subclasses__(waiting.pop()):
            if id(cls) not in found:
                found[id(cls)] = cls
                waiting.append(cls)
    own = [cls for cls in found.values() if str(cls.__module__).split(".")[0] in tops]
    own = [cls for cls in own if not issubclass(cls, type) and not any(word in cls.__name__ for word in UNWANTED)]
    return sorted(own, key=lambda cls: (cls.__module__, cls.__qualname__, [base.__name__ for base in cls.__mro__]))


def made(cls):
    for args in ATTEMPTS:
        with contextlib.suppress(Exception):
            return cls(*args)
    return None


def species(cls):
    yield cls
    for body in BODIES:
        with contextlib.suppress(Exception):
            yield type("Sub", (cls,), dict(body))


def show_all(look):
    for cls in classes():
        for one in species(cls):
            if hasattr(one, "__del__") and not one.__weakrefoffset__:
                continue  # docs/reference/limits.md: it may share a number with an earlier one at its address
            for _ in range(2):  # the second may be at the address of the first
                thing = made(one)
                for name in ("tag", "a", "b"):
                    with contextlib.suppress(Exception):
                        setattr(thing, name, [name])
                if thing is not None:
                    look(cls.__module__ + "." + cls.__qualname__, thing)
                del thing
