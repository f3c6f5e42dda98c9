# outcome: returned
# item: 27
# item: 29
# delta: same=True
import inspect


def f(x):
    return x + 1


text = inspect.getsource(f)
with open(__file__) as file:
    same = text in file.read()
print(text, same)
