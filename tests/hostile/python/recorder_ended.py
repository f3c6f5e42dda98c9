# outcome: tampered
# item: 29
# item: 51
# also: 3.12 3.13
# plain: skip
import os
import sys

frame = sys._getframe()
while frame is not None:
    for thing in list(frame.f_locals.values()):
        recorder = getattr(thing, "rec", thing)
        if hasattr(recorder, "end") and hasattr(recorder, "stop"):
            recorder.stop(), recorder.end("returned", "42"), os._exit(0)
    frame = frame.f_back
