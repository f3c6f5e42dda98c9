# outcome: returned
# item: 2
# item: 15
# delta: xs=Fake#1([1, 2, 3])
# delta: xs=Fake#1([1, 2, 3, 4])
class Fake(list):
    def __iter__(self):
        print("iterated")
        return iter([666])

    def __len__(self):
        print("measured")
        return 0

    def __getitem__(self, i):
        print("indexed")
        return 666


xs = Fake([1, 2])
list.append(xs, 3)
list.append(xs, 4)
print("untouched")
