# outcome: returned
# item: 17
# delta: log=['gone']
import weakref

log = []


class Thing:
    pass


def note(ref):
    log.append("gone")
    print("callback")


def work():
    thing = Thing()
    ref = weakref.ref(thing, note)
    print(ref() is thing)
    del thing
    print(ref() is None)


work()
print(log)
