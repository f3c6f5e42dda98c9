# outcome: returned
# item: 4
# delta: a=Node#1(other=Node#2(other=Node#1))
class Node:
    pass


a = Node()
b = Node()
a.other = b
b.other = a
del b
print(a.other.other is a)
