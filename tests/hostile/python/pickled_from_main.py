# outcome: returned
# item: 27
# delta: b=Point#2(x=1)
import pickle


class Point:
    def __init__(self, x):
        self.x = x


a = Point(1)
b = pickle.loads(pickle.dumps(a))
print(b.x, Point.__module__)
