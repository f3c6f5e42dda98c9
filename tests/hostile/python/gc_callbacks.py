# outcome: returned
# item: 29
# delta: phases=['start', 'stop']
import gc

gc.disable()
phases = []


def watch(phase, info):
    phases.append(phase)


gc.callbacks.append(watch)
gc.collect()
gc.callbacks.remove(watch)
print(phases, len(gc.callbacks))
