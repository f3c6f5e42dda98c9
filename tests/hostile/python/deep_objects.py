# outcome: returned
# item: 6
# delta: n=300
class Node:
    def __init__(self, rest):
        self.rest = rest


head = None
for n in range(1, 301):
    head = Node(head)
print(n)
