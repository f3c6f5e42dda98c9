# outcome: returned
# item: 2
# delta[native]: x=Mask#1(real=1)
# delta[python]: x=<Mask>
class Mask:
    def __init__(self):
        self.real = 1

    @property
    def __dict__(self):
        print("asked for its dict")
        return {"forged": 666}


x = Mask()
print(x.real)
