# outcome: returned
# twice: same
# item: 52
# delta: same=True
a = []
same = id(a) == id(a)
text = object.__repr__(a).startswith("<list object at")
print(same, text)
