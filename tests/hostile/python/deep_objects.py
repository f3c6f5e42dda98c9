# outcome: returned
# item: 6
# delta: n=150
class Node:
    def __init__(self, rest):
        self.rest = rest


head = None
for n in range(1, 151):
    head = Node(head)
print(n)
