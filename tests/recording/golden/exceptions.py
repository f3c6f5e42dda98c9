class Lock:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return kind is KeyError


def f(k):
    try:
        with Lock() as lock:
            {}[k]
        1 / 0
    except ZeroDivisionError as e:
        note = str(e)
        raise RuntimeError(note)
    finally:
        k = None


try:
    f("k")
except RuntimeError as e:
    kept = e
try:
    raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
except* ValueError as group:
    n = len(group.exceptions)
except* TypeError:
    pass
