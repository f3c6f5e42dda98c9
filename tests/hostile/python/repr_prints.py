# outcome: returned
# item: 1
# delta: x=Loud#1(n=0)
# delta: xs=[Loud#1(n=0), Loud#1]
class Loud:
    def __init__(self):
        self.n = 0

    def __repr__(self):
        print("I was called")
        return "Loud()"


x = Loud()
xs = [x, x]
print("one line only")
