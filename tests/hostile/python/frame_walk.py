# outcome: returned
# item: 29
# also: 3.12 3.13
# perturbed: the frames of the guest, which runs the program, are below it
# delta: names=['f', '<module>']
import sys


def f():
    names = []
    frame = sys._getframe()
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


print(f())
