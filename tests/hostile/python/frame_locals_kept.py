# outcome: returned
# item: 29
# also: 3.12 3.13
# delta[native]: first=['x']
# perturbed[3.11 python]: sys.settrace brings what locals() returned up to date at each event
# delta: x=2
def f():
    x = 1
    view = locals()
    first = sorted(view)
    x = 2
    return first, view.get("x"), "x" in view


print(f())
