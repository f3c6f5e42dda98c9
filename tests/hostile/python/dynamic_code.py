# outcome: returned
# item: 26
# delta: made=<function made>
# delta: y=49
namespace = {}
exec("def made(x):\n    z = x * x\n    return z", namespace)
made = namespace["made"]
y = made(7)
w = eval("y + 1")
exec("late = y + 2")
print(y, w, late)
