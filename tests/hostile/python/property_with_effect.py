# outcome: returned
# item: 2
# delta: reads=1
class Meter:
    reads = 0

    @property
    def value(self):
        Meter.reads += 1
        return Meter.reads

    def __getattr__(self, name):
        print("asked for", name)
        raise AttributeError(name)


m = Meter()
reads = m.value
print(reads)
