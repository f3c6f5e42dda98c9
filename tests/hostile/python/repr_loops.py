# outcome: returned
# item: 1
# delta: x=Endless#1(n=7)
class Endless:
    def __repr__(self):
        while True:
            pass


x = Endless()
x.n = 7
y = [x]
print(y[0].n)
